import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import type { StreamReader } from './reader.ts';
import { connected, frame, ShopLog } from './shop-log.ts';

let shop: ShopLog;
beforeEach(async () => {
  shop = await new ShopLog().open();
});
afterEach(() => shop.close());

const day = 86_400_000;
const idsIn = (reader: StreamReader): readonly string[] =>
  reader.frames.flatMap((one) => /^id: (\S+)/.exec(one)?.[1] ?? []);
const codeIn = ({ body }: StreamReader): unknown =>
  (JSON.parse(body) as { readonly error?: { readonly code?: unknown } }).error?.code;
const gone = (): Promise<true> =>
  eventually(
    async () => shop.streams.size === 0 || null,
    () => 'all streams to be gone',
  );

test('sends connected first, then events from now on, byte for byte, and a ping every 7 s', async () => {
  shop.happens('checkout.created');
  const reader = await shop.reader();
  expect(reader.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    'ratelimit-limit': '50',
  });
  expect(reader.headers['access-control-allow-origin']).toBeUndefined();
  await reader.sees(1);
  const id = shop.happens('payment.succeeded');
  await reader.sees(2);
  shop.clock.go(7000);
  await reader.sees(3);
  expect(reader.body).toBe(`${connected}${frame(id, 'payment.succeeded')}event: ping\ndata: {}\n\n`);
});

test('row 70: cut after any event, it continues with the next: nothing lost, nothing twice', async () => {
  const first = shop.happens('checkout.created');
  const ids = Array.from({ length: 150 }, () => shop.happens('payment.failed'));
  const heard: string[] = [first];
  for (let cuts = 0; heard.at(-1) !== ids.at(-1); cuts++) {
    const last = heard.at(-1) ?? '';
    const reader = await (cuts % 2 === 0
      ? shop.reader('', [`Last-Event-ID: ${last}`])
      : shop.reader(`?lastEventId=${last}`));
    const left = ids.length - heard.length + 1;
    await reader.sees(1 + Math.min(left, 7 * cuts + 1));
    reader.leave();
    heard.push(...idsIn(reader));
  }
  expect(heard).toEqual([first, ...ids]);
  await gone();
});

test('an event during catch-up arrives at its position', async () => {
  const [first] = [shop.happens('checkout.created')];
  for (let n = 0; n < 500; n++) shop.happens('payment.failed', { quietly: true });
  const reader = await shop.reader('', [`Last-Event-ID: ${first}`]);
  for (let n = 0; n < 20; n++) shop.happens('payment.succeeded');
  await reader.sees(1 + 520);
  expect(idsIn(reader)).toEqual(shop.rows.slice(1).map(({ body }) => body['eventId']));
});

test('an event is not sent before its log has committed it', async () => {
  const reader = await shop.reader();
  shop.written('checkout.created');
  shop.clock.go(14_000);
  await reader.sees(3);
  expect(idsIn(reader)).toEqual([]);
  shop.happens('payment.succeeded');
  await reader.sees(5);
  expect(idsIn(reader)).toHaveLength(2);
});

test('a lost notice or a store that does not answer delays an event, and never loses it', async () => {
  const reader = await shop.reader();
  await reader.sees(1);
  shop.silent = true;
  shop.happens('payment.succeeded');
  shop.silent = false;
  shop.happens('payment.failed', { quietly: true });
  shop.clock.go(14_000);
  await eventually(
    async () => idsIn(reader).length === 2 || null,
    () => 'both events',
  );
});

test('since starts at an instant, types selects kinds', async () => {
  for (const at of [1000, 2000, 3000, 4000]) {
    shop.happens('checkout.created', { at });
    shop.happens('payment.succeeded', { at: at + 1 });
  }
  const query = '?since=1970-01-01T00:00:02.001Z&types=payment.succeeded,payment.failed';
  const reader = await shop.reader(query);
  await reader.sees(4);
  expect(idsIn(reader)).toEqual([4, 6, 8].map((pos) => shop.rows[pos - 1]?.body['eventId']));
});

test('an unknown event id and one older than 90 days are 410', async () => {
  const old = shop.happens('checkout.created');
  shop.now = 90 * day;
  expect((await shop.reader('', [`Last-Event-ID: ${old}`])).status).toBe(200);
  shop.now += 1;
  for (const reader of [
    await shop.reader('', [`Last-Event-ID: ${old}`]),
    await shop.reader('?lastEventId=evt_nobody'),
    await shop.reader('?since=1970-01-01T00:00:00Z'),
  ]) {
    await reader.end();
    expect([reader.status, codeIn(reader)]).toEqual([410, 'event_cursor_gone']);
  }
});

test('bad queries, versions and keys are answered as on every route', async () => {
  for (const [query, headers, key, status, code] of [
    ['?types=nonsense', [], shop.key, 400, 'validation_failed'],
    ['?since=yesterday', [], shop.key, 400, 'validation_failed'],
    ['', ['Api-Version: 1999-01-01'], shop.key, 400, 'api_version_unknown'],
    ['', [], `sk_test_${'x'.repeat(32)}`, 401, 'api_key_invalid'],
    ['', [], shop.keys.issue('pk_sandbox_'), 403, 'api_key_must_be_secret'],
  ] as const) {
    const reader = await shop.reader(query, headers, key);
    await reader.end();
    expect([reader.status, codeIn(reader)]).toEqual([status, code]);
    reader.leave();
  }
});

test('five streams of a project and mode are open at once, a sixth is 429 until one has left', async () => {
  const all = await Promise.all(Array.from({ length: 5 }, () => shop.reader()));
  const more = await shop.reader();
  await more.end();
  expect([more.status, codeIn(more), more.headers['retry-after']]).toEqual([429, 'rate_limit_exceeded', '5']);
  all[0]?.leave();
  await eventually(
    async () => shop.streams.size === 4 || null,
    () => 'one to be gone',
  );
  expect((await shop.reader()).status).toBe(200);
});

test('a key that is revoked ends its streams', async () => {
  const reader = await shop.reader();
  shop.keys.change(shop.key, { revokedAt: 1 });
  shop.now = 10_000;
  shop.clock.go(7000);
  await reader.end();
  expect(reader.ended).toBe(true);
  await gone();
});

test('a reader that does not read gets no writes, and is cut when more than 1 MiB waits; it resumes', async () => {
  const first = shop.happens('checkout.created');
  const reader = await shop.reader();
  await reader.sees(1);
  reader.socket.pause();
  // more than any kernel keeps for a socket
  shop.happens('payment.failed', { filler: 'x'.repeat(6 * 1024 * 1024) });
  await eventually(
    async () => shop.streams.size === 1 || null,
    () => 'one stream',
  );
  for (let n = 0; n < 10; n++) shop.happens('payment.failed', { filler: 'x'.repeat(120_000) });
  await gone();
  reader.leave();
  const next = await shop.reader('', [`Last-Event-ID: ${first}`]);
  await next.hears(12);
  expect(idsIn(next)).toEqual(shop.rows.slice(1).map(({ body }) => body['eventId']));
});

test('a reader that resumes with a large backlog receives all of it at its own pace, and is not cut', async () => {
  const first = shop.happens('checkout.created');
  for (let n = 0; n < 300; n++) shop.happens('payment.failed', { filler: 'क'.repeat(20_000), quietly: true });
  const reader = await shop.reader('', [`Last-Event-ID: ${first}`]);
  // it reads in bursts
  const gulps = setInterval(() => {
    if (reader.socket.isPaused()) reader.socket.resume();
    else reader.socket.pause();
  }, 5);
  shop.happens('payment.succeeded');
  await reader.hears(1 + 301);
  clearInterval(gulps);
  expect(idsIn(reader)).toEqual(shop.rows.slice(1).map(({ body }) => body['eventId']));
  expect(reader.closed).toBe(false);
});

test('a node that drains ends its streams as HTTP ends one', async () => {
  const reader = await shop.reader();
  shop.streams.drain();
  await reader.end();
  expect(reader.ended).toBe(true);
});
