/** Streams and sockets in the numbers of a running service: what is open, and who was turned away. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { io, type Socket } from 'socket.io-client';
import { eventually } from '../support/eventually.ts';
import { startGalla, type Galla } from '../support/galla.ts';
import { code, premium, streamAt } from '../support/qr-shop.ts';
import { forgetScreens, Screen } from '../support/screen.ts';
import type { StreamReader } from './sse/reader.ts';

let galla: Galla;
beforeAll(async () => {
  galla = await startGalla({ GALLA_RATE_LIMITS: 'on' });
});
afterAll(() => galla.stop());
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

test('what is open is counted by its sort, and no more when it is closed', async () => {
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

test('who is over a limit is counted by that limit', async () => {
  const { api } = await galla.merchant();
  const opening = { path: '/v1/events/stream', headers: [`Authorization: Bearer ${api.key ?? ''}`] };
  const streams: StreamReader[] = [];
  for (let opened = 0; opened < 5; opened++) streams.push(await streamAt(galla.url, '', opening));
  await untilOpen({ event_stream: 5 });
  expect((await api.get('/v1/events/stream')).status).toBe(429);
  expect((await numbers('galla_live_limits_total')).get('of="event_stream",limit="per_project"')).toBe(1);
  for (const { socket } of streams) socket.destroy();
});
