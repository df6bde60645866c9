import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openHttp, type Http, type HttpRequest, type HttpResult } from '../../../src/outbound/http.ts';
import { runningPerKindMax } from '../../../src/runtime/delivery/effects.ts';
import { httpServer, tcpServer } from './servers.ts';

function sender(): Http {
  const http = openHttp();
  onTestFinished(() => http.close());
  return http;
}

const call = (port: number, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'POST',
  url: `http://127.0.0.1:${port}/hook?a=1`,
  headers: { 'X-Name': 'value' },
  body: 'ping',
  timeoutMs: 5000,
  answerBytesMax: 2048,
  ...more,
});

function answered(result: HttpResult): Extract<HttpResult, { is: 'answered' }> {
  if (result.is !== 'answered') throw new Error(`unanswered: ${result.reason}`);
  return result;
}

test('a call arrives unchanged and its answer returns complete', async () => {
  const port = await httpServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      response
        .setHeader('Set-Cookie', ['a=1', 'b=2'])
        .writeHead(201)
        .end(`${request.method} ${request.url} ${String(request.headers['x-name'])} ${body}`);
    })();
  });
  const answer = answered(await sender().send(call(port)));
  expect(answer.status).toBe(201);
  expect(answer.body.toString()).toBe('POST /hook?a=1 value ping');
  expect(answer.headers['set-cookie']).toBe('a=1, b=2');
  expect(answer.cut).toBeNull();
});

test('a redirect is an answer like any other and is not followed', async () => {
  let asked = 0;
  const port = await httpServer((_request, response) => {
    asked++;
    response.writeHead(302, { Location: '/elsewhere' }).end();
  });
  expect(answered(await sender().send(call(port))).status).toBe(302);
  expect(asked).toBe(1);
});

test('of an endless answer the beginning is kept and the connection is closed', async () => {
  let cut: Promise<unknown> = Promise.resolve();
  let written = 0;
  const port = await httpServer((_request, response) => {
    response.writeHead(200);
    cut = once(response, 'close');
    const pour = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(64 * 1024, 'x'))) written += 64 * 1024;
    };
    response.on('drain', pour);
    pour();
  });
  const answer = answered(await sender().send(call(port)));
  expect(answer.status).toBe(200);
  expect(answer.cut).toBe('too_long');
  expect(answer.body.toString()).toBe('x'.repeat(2048));
  await cut;
  expect(written).toBeLessThan(64 * 1024 * 1024);
});

test('after an answer a little longer than the limit the connection is used again', async () => {
  const connections = new Set<unknown>();
  const port = await httpServer((request, response) => {
    connections.add(request.socket);
    response.end('x'.repeat(10_000));
  });
  const http = sender();
  for (let i = 0; i < 10; i++) expect(answered(await http.send(call(port))).body.length).toBe(2048);
  expect(connections.size).toBeLessThan(5);
});

test('a body of one byte a second is read until the time limit, and the status is kept', async () => {
  const port = await httpServer((_request, response) => {
    response.writeHead(200).write('a');
  });
  const answer = answered(await sender().send(call(port, { bodyWaitMs: 50 })));
  expect(answer).toMatchObject({ status: 200, cut: 'too_slow' });
  expect(answer.body.toString()).toBe('a');
});

test('a body that breaks off keeps the status and is marked incomplete', async () => {
  const port = await tcpServer((socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'));
  });
  const answer = answered(await sender().send(call(port)));
  expect(answer).toMatchObject({ status: 200, cut: 'broken' });
  expect(answer.body.toString()).toBe('half');
});

test.each<[string, string, (socket: import('node:net').Socket) => void]>([
  ['never answers', 'timeout', () => undefined],
  ['sends its head a byte at a time', 'timeout', (socket) => void socket.write('HTTP/1.1 200')],
  ['hangs up', 'connection closed before an answer', (socket) => void socket.end()],
  ['resets', 'connection reset', (socket) => void socket.once('data', () => socket.resetAndDestroy())],
  [
    'speaks something else',
    'answer is not HTTP',
    (socket) => void socket.write('220 mail.example ESMTP\r\n'),
  ],
  [
    'sends 10,000 headers',
    'head of the answer too large',
    (socket) =>
      void socket.write(
        `HTTP/1.1 200 OK\r\n${Array.from({ length: 10_000 }, (_, i) => `X-${i}: ${i}\r\n`).join('')}\r\n`,
      ),
  ],
])('a server that %s is unanswered: %s', async (_what, reason, talk) => {
  const port = await tcpServer(talk);
  expect(await sender().send(call(port, { timeoutMs: 300 }))).toMatchObject({ is: 'unanswered', reason });
});

test('a closed port and an unknown host name are reported in words', async () => {
  const http = sender();
  expect(await http.send(call(1))).toMatchObject({ is: 'unanswered', reason: 'connection refused' });
  const named = await http.send(call(80, { url: 'http://nobody.invalid/' }));
  expect(named).toMatchObject({
    is: 'unanswered',
    reason: expect.stringMatching(/^name (not found|look-up failed)$/) as string,
  });
});

test('one server that hangs does not hold up another', async () => {
  const hanging = await tcpServer(() => undefined);
  const fine = await httpServer((_request, response) => void response.end('ok'));
  const http = sender();
  const stuck = Array.from({ length: 50 }, () => http.send(call(hanging, { timeoutMs: 9000 })));
  expect(answered(await http.send(call(fine))).status).toBe(200);
  expect(await Promise.race([...stuck, Promise.resolve('still waiting')])).toBe('still waiting');
});

test('closing ends calls in progress', async () => {
  const port = await tcpServer(() => undefined);
  const http = openHttp();
  const under = http.send(call(port));
  await http.close();
  expect((await under).is).toBe('unanswered');
});

test('paths of one host that never answer leave connections for one that does', async () => {
  const silent = 400;
  let waiting = 0;
  const port = await httpServer((request, response) => {
    if (request.url === '/answers') response.end('ok');
    else waiting++;
  });
  const http = openHttp({ perOrigin: runningPerKindMax });
  const held = Array.from({ length: silent }, () => http.send(call(port)));
  await vi.waitFor(() => expect(waiting).toBe(silent));
  const answer = await http.send(call(port, { url: `http://127.0.0.1:${port}/answers` }));
  expect(answered(answer).body.toString()).toBe('ok');
  await http.close();
  expect((await Promise.all(held)).map(({ is }) => is)).toEqual(held.map(() => 'unanswered'));
});
