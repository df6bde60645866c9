import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openHttp } from '../../../src/outbound/http.ts';
import { inPieces } from '../../../src/outbound/in-pieces.ts';
import { httpServer, tcpServer } from './servers.ts';

/** A socket as undici gets it, with all of `text` received. */
async function received(text: string): Promise<Socket> {
  const server = createServer((socket) => socket.end(text));
  await new Promise<void>((open) => server.listen(0, '127.0.0.1', open));
  const { port } = server.address() as AddressInfo;
  const made = await new Promise<Socket>((done, failed) => {
    const connector = inPieces((_options, connected) => {
      const socket = connect(port, '127.0.0.1', () => connected(null, socket));
    });
    const options = { hostname: '127.0.0.1', protocol: 'http:', port: String(port) };
    connector(options, (...how) => (how[1] === null ? failed(how[0]) : done(how[1])));
  });
  onTestFinished(() => {
    made.destroy();
    server.close();
  });
  await once(made, 'readable');
  while (made.readableLength < text.length) await new Promise((resolve) => setTimeout(resolve, 5));
  return made;
}

test('received data is read in pieces of a kilobyte, complete and in order', async () => {
  const text = Array.from({ length: 2000 }, (_, at) => `line ${at}\n`).join('');
  const socket = await received(text);
  const pieces: Buffer[] = [];
  for (let piece: Buffer | null; (piece = socket.read() as Buffer | null) !== null;) pieces.push(piece);
  expect(Math.max(...pieces.map(({ length }) => length))).toBe(1024);
  expect(Buffer.concat(pieces).toString()).toBe(text);
});

test('a destroyed response is not read further', async () => {
  const socket = await received('x'.repeat(10_000));
  expect((socket.read() as Buffer).length).toBe(1024);
  socket.destroy();
  expect(socket.read()).toBeNull();
});

test('an answer with ten thousand headers is refused; a long one is complete', async () => {
  const http = openHttp();
  onTestFinished(() => http.close());
  const call = (port: number) =>
    http.send({
      method: 'GET',
      url: `http://127.0.0.1:${port}/`,
      headers: {},
      timeoutMs: 8000,
      answerBytesMax: 300_000,
    });
  const many = await tcpServer((socket) => {
    const lines = Array.from({ length: 10_000 }, (_, at) => `X-${at}: ${at}\r\n`);
    socket.write(`HTTP/1.1 200 OK\r\n${lines.join('')}Content-Length: 0\r\n\r\n`);
  });
  expect(await call(many)).toMatchObject({ is: 'unanswered' });
  const body = 'क'.repeat(90_000);
  const long = await httpServer((_request, response) => void response.end(body));
  const answer = await call(long);
  expect(answer).toMatchObject({ is: 'answered', cut: null });
  expect(answer.is === 'answered' && answer.body.toString() === body).toBe(true);
});
