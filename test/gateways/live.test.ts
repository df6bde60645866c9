/** Streams and sockets in the metrics of a running service: open ones, and refused ones. */
import { connect, type Socket as Connection } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { io, type Socket } from 'socket.io-client';
import { eventually } from '../support/eventually.ts';
import { gallaOfFile } from '../support/of-file.ts';
import { code, premium, streamAt } from '../support/qr-shop.ts';
import { forgetScreens, Screen, ticketOf } from '../support/screen.ts';
import type { StreamReader } from './sse/reader.ts';

const galla = gallaOfFile({ GALLA_RATE_LIMITS: 'on' });
afterEach(forgetScreens);

/** The numbers of this name, by their labels. */
async function numbers(name: string): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${galla.url}/metrics`)).text();
  const line = new RegExp(`^${name}\\{(.*)\\} (\\d+)$`, 'gm');
  return new Map([...text.matchAll(line)].map(([, labels = '', value]) => [labels, Number(value)]));
}

const untilOpen = (open: { readonly [of: string]: number }): Promise<boolean> =>
  eventually(
    async () => {
      const now = await numbers('galla_live_open');
      return Object.entries(open).every(([of, count]) => now.get(`of="${of}"`) === count) ? true : null;
    },
    () => `these to be open: ${JSON.stringify(open)}`,
  );

test('open streams and sockets are counted by type, until they are closed', async () => {
  const nothing = { socket: 0, merchant_socket: 0, hosted_socket: 0, qr_stream: 0, event_stream: 0 };
  await untilOpen(nothing);
  const shop = await premium(galla);
  const session = await code(shop);
  const checkout = await shop.checkout();
  const screen = await Screen.of(shop.api.key ?? '', galla.url);
  const page: Socket = io(`${galla.url}/hosted`, {
    transports: ['websocket'],
    auth: { session: checkout.at('id') },
    reconnection: false,
    forceNew: true,
  });
  const stream = await streamAt(galla.url, session.text('id'));
  await untilOpen({ socket: 2, merchant_socket: 1, hosted_socket: 1, qr_stream: 1, event_stream: 0 });
  screen.socket.disconnect();
  page.disconnect();
  stream.socket.destroy();
  await untilOpen(nothing);
});

const limited = async (of: string, limit: string): Promise<number> =>
  (await numbers('galla_live_limits_total')).get(`of="${of}",limit="${limit}"`) ?? 0;

const untilLimited = (of: string, limit: string): Promise<boolean> =>
  eventually(
    async () => ((await limited(of, limit)) === 1 ? true : null),
    () => `one ${of} turned away by ${limit}`,
  );

test('refused connections are counted by the limit', async () => {
  const { api } = await galla.merchant();
  const opening = { path: '/v1/events/stream', headers: [`Authorization: Bearer ${api.key ?? ''}`] };
  const streams: StreamReader[] = [];
  for (let opened = 0; opened < 5; opened++) streams.push(await streamAt(galla.url, '', opening));
  await untilOpen({ event_stream: 5 });
  expect((await api.get('/v1/events/stream')).status).toBe(429);
  expect(await limited('event_stream', 'per_project')).toBe(1);
  for (const { socket } of streams) socket.destroy();
});

const atOnce = (count: number, open: (at: number) => Promise<unknown>): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, (_, at) => open(at)));

test('pages of one session above a hundred are counted', async () => {
  const session = (await (await galla.merchant()).checkout()).text('id');
  const pages: Socket[] = [];
  const opened = (): Promise<'in' | 'refused'> =>
    new Promise((resolve) => {
      const page = io(`${galla.url}/hosted`, {
        transports: ['websocket'],
        auth: { session },
        reconnection: false,
        forceNew: true,
      });
      pages.push(page);
      page.on('connect', () => resolve('in'));
      page.on('connect_error', () => resolve('refused'));
    });
  await atOnce(100, opened);
  expect(await opened()).toBe('refused');
  await untilLimited('hosted_socket', 'per_session');
  for (const page of pages) page.disconnect();
});

test('screens of one project and mode above two hundred are counted', { timeout: 30_000 }, async () => {
  const { projectId } = await galla.merchant();
  // each key may buy fifty tickets at once
  const keys = await Promise.all(
    Array.from({ length: 5 }, () => galla.key(projectId, { kind: 'secret', mode: 'sandbox' })),
  );
  const ticket = (at: number): Promise<string> => ticketOf(keys[at % keys.length] ?? '', galla.url);
  await atOnce(200, async (at) => new Screen(galla.url, { ticket: await ticket(at) }).begun());
  await new Screen(galla.url, { ticket: await ticket(0) }).untilRefused();
  await untilLimited('merchant_socket', 'per_project');
});

const upgrade = [
  'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1',
  'Host: localhost',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  '\r\n',
].join('\r\n');

test('connections of one address above a thousand are counted', { timeout: 30_000 }, async () => {
  await untilOpen({ socket: 0 });
  const connections: Connection[] = [];
  await atOnce(
    1001,
    () =>
      new Promise<void>((resolve, reject) => {
        const connection = connect({ port: Number(new URL(galla.url).port), host: '127.0.0.1' });
        connections.push(connection);
        connection.once('data', () => resolve()).once('error', reject);
        connection.write(upgrade);
      }),
  );
  await untilLimited('socket', 'per_address');
  for (const connection of connections) connection.destroy();
});
