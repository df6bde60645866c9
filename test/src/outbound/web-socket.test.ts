/** Against a real server of sockets on a free port. */
import type { TemplatedApp, us_listen_socket, WebSocket } from 'uWebSockets.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { messageBytesMax, openWebSockets } from '../../../src/outbound/web-socket.ts';

let app: TemplatedApp;
let url = '';
const sockets = openWebSockets();
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

test('a message is heard as it was sent', async () => {
  expect(await heard('/hello', 1)).toEqual(['hello', 'closed']);
});

test.each(['/bye', '/huge', '/page', '/nowhere'])('%s ends it with nothing heard', async (path) => {
  expect(await heard(path)).toEqual(['closed']);
});

test('nobody there, or no answer to the handshake, is an end', async () => {
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
