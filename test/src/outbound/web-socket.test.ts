/** Against a real WebSocket server on a free port, and against other servers. */
import { createHash } from 'node:crypto';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { TemplatedApp, us_listen_socket, WebSocket } from 'uWebSockets.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { messageBytesMax, openWebSockets } from '../../../src/outbound/web-socket.ts';

let app: TemplatedApp;
let url = '';
const sockets = openWebSockets();
const openedHere = openWebSockets();
const doings: { readonly [path: string]: (ws: WebSocket<unknown>) => void } = {
  '/hello': (ws) => void ws.send('hello'),
  '/huge': (ws) => void ws.send('x'.repeat(messageBytesMax + 1)),
  '/bytes': (ws) => void ws.send(new Uint8Array([1, 2]), true),
  '/bye': (ws) => ws.end(1000),
  '/quiet': () => {},
};

beforeAll(async () => {
  const uws = await import('uWebSockets.js');
  app = uws.App();
  for (const [path, open] of Object.entries(doings)) app.ws(path, { open });
  app.get('/page', (res) => void res.end('no socket here'));
  const listening = await new Promise<us_listen_socket | false>((go) => app.listen('127.0.0.1', 0, go));
  if (listening === false) throw new Error('no port');
  url = `ws://127.0.0.1:${uws.us_socket_local_port(listening)}`;
});
afterAll(async () => {
  await sockets.close();
  await openedHere.close();
  app.close();
});

/** What was said until the end, or until `enough` messages. */
const heard = (path: string, enough = Infinity): Promise<readonly string[]> =>
  new Promise((done) => {
    const said: string[] = [];
    const close = sockets.open(url + path, {
      message(text) {
        said.push(text);
        if (said.length === enough) close();
      },
      closed: () => done([...said, 'closed']),
    });
  });

test('a message arrives unchanged', async () => {
  expect(await heard('/hello', 1)).toEqual(['hello', 'closed']);
});

test.each(['/bye', '/huge', '/page', '/nowhere'])('%s ends it without a message', async (path) => {
  expect(await heard(path)).toEqual(['closed']);
});

test('a refused connection is an end', async () => {
  const closed = new Promise<string>((done) => {
    sockets.open('ws://127.0.0.1:9/', { message: () => done('heard'), closed: () => done('closed') });
  });
  expect(await closed).toBe('closed');
});

test('closed by us it ends once, whatever the other side does', async () => {
  let ends = 0;
  const close = sockets.open(`${url}/quiet`, { message: () => {}, closed: () => ends++ });
  close();
  close();
  expect(ends).toBe(1);
});

/** Accepts connections, and records the first bytes of each. */
async function lying(first: (socket: Socket, said: string) => void): Promise<{ server: Server; to: string }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (said: Buffer) => first(socket, said.toString('latin1')));
  });
  await new Promise<void>((open) => server.listen(0, '127.0.0.1', open));
  return { server, to: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

const agreed = (said: string): string => {
  const key = /sec-websocket-key: (.*)\r\n/i.exec(said)?.[1] ?? '';
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  return (
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
    `Sec-WebSocket-Accept: ${accept}\r\n\r\n`
  );
};

test.each([
  ['a handshake that is never answered', (): string => ''],
  ['an answer that never ends', (): string => 'HTTP/1.1 101 Switching Protocols\r\nX-Slow: '],
  ['a head beyond all bounds', (): string => `HTTP/1.1 101 Yes\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`],
  ['the hash of another key', (said: string): string => agreed(said).replace(/Accept: ./, 'Accept: x')],
  ['bytes that are no message', (said: string): string => `${agreed(said)}\xff\xff\xff\xff`],
])('%s is an end, and no connection stays open', async (_what, answer) => {
  const patient = openWebSockets({ openMs: 200 });
  const gone = new Promise<void>((closed) => {
    void lying((socket, said) => {
      socket.once('close', () => closed());
      socket.write(Buffer.from(answer(said), 'latin1'));
    }).then(({ server, to }) => {
      const heard: string[] = [];
      patient.open(to, {
        message: (text) => void heard.push(text),
        closed: () => {
          expect(heard).toEqual([]);
          server.close();
        },
      });
    });
  });
  await gone;
  await patient.close();
});

test.each([
  ['closed by us', (close: () => void): void => close()],
  ['cut with all the others', (): void => void openedHere.close()],
])('a socket %s leaves no connection open, although the other side never closes', async (_how, leave) => {
  const gone = new Promise<string>((closed) => {
    void lying((socket, said) => {
      socket.write(agreed(said));
      socket.write(Buffer.from('\x81\x02hi', 'latin1'));
      // it keeps sending and reads nothing
      const talk = setInterval(() => socket.write(Buffer.from('\x81\x02hi', 'latin1')), 20);
      socket.once('close', () => {
        clearInterval(talk);
        closed('gone');
      });
    }).then(({ server, to }) => {
      const close = openedHere.open(to, {
        message: () => leave(close),
        closed: () => void server.close(),
      });
    });
  });
  expect(await gone).toBe('gone');
});
