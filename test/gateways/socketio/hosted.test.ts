import { afterEach, expect, test, vi } from 'vitest';
import { StoreUnresponsive } from '../../../gateways/http/route/reading.ts';
import { socketsPerSessionMax, type HostedParts } from '../../../gateways/socketio/hosted.ts';
import { seconds } from '../../../src/kernel/time.ts';
import type { Client } from '../../../src/runtime/model/client.ts';
import { running, says } from '../../actors/checkout-session/buyer.ts';
import { payPath, sessionId, textOf, Till, type TillOptions } from '../buyer/till.ts';
import { Counter, type Page } from './hosted-rig.ts';

const auth = { session: sessionId };
const eventually = (check: () => void) => vi.waitFor(check, { timeout: 8000, interval: 10 });

/** A till and the namespace over it; what is read is counted and can be made to fail. */
class Shop {
  readonly till: Till;
  reads = 0;
  silent = false;
  readonly counter: Counter;
  private standsAgain = (): void => undefined;

  constructor(options: TillOptions = {}, parts: Partial<HostedParts> = {}) {
    this.till = new Till(options);
    const session = this.till.client;
    const client: Pick<Client, 'read' | 'watch'> = {
      read: (to, scope) => {
        this.reads++;
        return this.silent
          ? Promise.reject(new StoreUnresponsive('no answer'))
          : session.read<never>(to, scope);
      },
      watch: (id, onNotice) => (id === sessionId ? session.watch(id, onNotice) : () => undefined),
    };
    const onReconnect = (again: () => void) => {
      this.standsAgain = again;
      return () => undefined;
    };
    this.counter = new Counter({ client, scheduler: this.till.clock, onReconnect, ...parts });
  }

  /** The bus is connected again. */
  reconnected(): void {
    this.standsAgain();
  }

  /** What the page's own status door says now. */
  async status(): Promise<unknown> {
    return JSON.parse(textOf(await this.till.get(`${payPath}/status`)));
  }
}

const open: Shop[] = [];
afterEach(async () => {
  for (const { counter } of open.splice(0)) await counter.close();
});

async function shop(options: TillOptions = {}, parts: Partial<HostedParts> = {}): Promise<Shop> {
  const made = new Shop(options, parts);
  open.push(made);
  await made.counter.open();
  return made;
}

async function following(place: Shop): Promise<Page> {
  const page = place.counter.page(auth);
  await eventually(() => expect(page.states.length).toBe(1));
  return page;
}

const nobody = { sockets: 0, sessions: 0 };

test("a page receives its session's state at once, and every change, as its status route shows it", async () => {
  const place = await shop();
  const page = await following(place);
  const told = [await place.status()];
  expect(page.states).toEqual(told);
  place.till.happens((story) => running(story));
  await eventually(() => expect(page.states.length).toBe(2));
  told.push(await place.status());
  place.till.happens((story) => says(story.wait(4000), 'ambiguous'));
  await eventually(() => expect(page.states.length).toBe(3));
  told.push(await place.status());
  expect(page.states).toEqual(told);
  expect(told).toMatchObject([
    { status: 'pending', provider: null, needsReview: false, next: null },
    { status: 'initiated', provider: 'wallet_b', needsReview: false, next: null },
    { status: 'initiated', provider: 'wallet_b', needsReview: true, next: null },
  ]);
});

test('the end is its last message: with the way to the shop, then the connection is closed', async () => {
  const place = await shop();
  const page = await following(place);
  place.till.happens((story) => says(running(story).wait(4000), 'paid'));
  await eventually(() => expect(page.ended).not.toBeNull());
  expect(page.states.at(-1)).toEqual(await place.status());
  expect(page.states.at(-1)).toMatchObject({
    status: 'success',
    next: `https://shop.example/return?session_id=${sessionId}&status=success`,
  });
  await eventually(() => expect(place.counter.hosted.sizes).toEqual(nobody));
  expect(place.till.watchers.size).toBe(0);
  const late = place.counter.page(auth);
  await eventually(() => expect(late.ended).not.toBeNull());
  expect(late.states).toEqual([await place.status()]);
});

test('a change that a buyer does not see is not sent', async () => {
  const place = await shop();
  const page = await following(place);
  const { reads } = place;
  for (let times = 0; times < 3; times++) place.till.happens(() => undefined);
  await eventually(() => expect(place.reads).toBeGreaterThan(reads));
  place.till.happens((story) => running(story));
  await eventually(() => expect(page.states.length).toBe(2));
});

test('one session is read once for all its sockets, and watched while there is one', async () => {
  const place = await shop();
  const pages = [await following(place), await following(place), await following(place)];
  expect(place.till.watchers.size).toBe(1);
  const before = place.reads;
  place.till.happens((story) => running(story));
  await eventually(() => expect(pages.map(({ states }) => states.length)).toEqual([2, 2, 2]));
  expect(place.reads - before).toBe(1);
  for (const { socket } of pages) socket.disconnect();
  await eventually(() => expect(place.counter.hosted.sizes).toEqual(nobody));
  expect(place.till.watchers.size).toBe(0);
});

test.each([
  ['no auth', {}],
  ['no text', { session: 7 }],
  ['an id of another kind', { session: 'pay_n5z1m6q3x9k2v7b1' }],
  ['a session nobody has', { session: 'cs_000000000000000000000000' }],
  ['an object that plays a text', { session: { toString: 'x' } }],
])('%s is refused', async (_what, given) => {
  const place = await shop();
  const page = place.counter.page(given);
  await eventually(() => expect(page.refused).not.toBeNull());
  expect(page.refused).toEqual({ code: 'resource_not_found', message: 'No such resource.' });
  expect(page.states).toEqual([]);
  expect(place.counter.hosted.sizes).toEqual(nobody);
});

test('a Direct-QR session has no page, so it has no socket', async () => {
  const place = await shop({ order: { source: 'direct_qr', returnUrl: null } });
  const page = place.counter.page(auth);
  await eventually(() => expect(page.refused).toMatchObject({ code: 'resource_not_found' }));
  expect(place.counter.hosted.sizes).toEqual(nobody);
});

test('a session has a hundred sockets at most, and a free place when one leaves', async () => {
  const place = await shop();
  const pages = Array.from({ length: socketsPerSessionMax }, () => place.counter.page(auth));
  await eventually(() => expect(pages.every(({ states }) => states.length === 1)).toBe(true));
  const [first] = pages;
  const more = place.counter.page(auth);
  await eventually(() => expect(more.refused).toMatchObject({ code: 'rate_limit_exceeded' }));
  first?.socket.disconnect();
  await eventually(() => expect(place.counter.hosted.sizes.sockets).toBe(socketsPerSessionMax - 1));
  await following(place);
});

test('a store that does not answer admits no socket and drops none: the next read updates them', async () => {
  const place = await shop();
  const page = await following(place);
  place.silent = true;
  place.till.happens((story) => running(story));
  const other = place.counter.page(auth);
  await eventually(() => expect(other.refused).toMatchObject({ code: 'service_unavailable' }));
  expect(page.states.length).toBe(1);
  place.silent = false;
  await place.till.clock.pass(seconds(16));
  await eventually(() => expect(page.states.length).toBe(2));
});

test('a lost notice is recovered within 15 s, or as soon as the bus is back', async () => {
  const place = await shop();
  const page = await following(place);
  place.till.deaf = true;
  place.till.happens((story) => running(story));
  await place.till.clock.pass(seconds(16));
  await eventually(() => expect(page.states.length).toBe(2));
  place.till.happens((story) => says(story.wait(4000), 'ambiguous'));
  place.reconnected();
  await eventually(() => expect(page.states.length).toBe(3));
});

test('a client that leaves while it is admitted leaves nothing behind', async () => {
  const place = await shop();
  let answer = (): void => undefined;
  const session = place.till.client;
  const waiting = new Promise<void>((go) => (answer = go));
  const slow = new Counter({
    scheduler: place.till.clock,
    client: {
      watch: (id, onNotice) => session.watch(id, onNotice),
      read: async (to, scope) => {
        await waiting;
        return session.read<never>(to, scope);
      },
    },
  });
  await slow.open();
  const page = slow.page(auth);
  await eventually(() => expect(slow.hosted.sizes.sockets).toBe(1));
  page.socket.disconnect();
  await eventually(() => expect(slow.hosted.sizes).toEqual(nobody));
  answer();
  await slow.close();
  expect(slow.hosted.sizes).toEqual(nobody);
});
