/** The log of requests: nothing is left out, nothing waits for it, and what it finds. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeEach, expect, test } from 'vitest';
import { blockEntriesMax, requestLogKind } from '../../../gateways/requests/blocks.ts';
import { piecesEntriesMax } from '../../../gateways/requests/entries.ts';
import type { Door, DoorRequest, KeyUsed } from '../../../gateways/server/door.ts';
import {
  blocksPerWriteMax,
  entriesMax,
  flushEveryMs,
  RequestLog,
} from '../../../gateways/requests/request-log.ts';
import {
  blocksMax,
  entriesMax as searchEntriesMax,
  findRequests,
  type Found,
} from '../../../gateways/requests/search.ts';
import type { EntryFilter } from '../../../gateways/requests/found-entries.ts';
import { RequestIds } from '../../../gateways/server/request-id.ts';
import { seconds, type Scheduler } from '../../../src/kernel/time.ts';
import type { Scope } from '../../../src/runtime/model/address.ts';
import { createSimStore, type SimStore } from '../../support/simulated/store-sim.ts';
import { chanceOf } from '../../simulation/random.ts';
import { selfRunning } from '../../simulation/self-running.ts';

const scope: Scope = 'prj_0000:sandbox';
let scheduler: Scheduler;
let store: SimStore;
let requests: RequestLog;
let complaints: number;
let ids: RequestIds;

beforeEach(() => {
  scheduler = selfRunning();
  store = createSimStore({ scheduler, chance: chanceOf(1, 'requests'), rowsInCommit: false });
  complaints = 0;
  ids = new RequestIds(() => scheduler.now());
  const count = (): void => void complaints++;
  requests = new RequestLog({
    store: store.connect(),
    scheduler,
    log: { warn: () => undefined, error: count },
    idKey: ids.key,
  });
});

const wait = (ms: number): Promise<void> => new Promise((resolve) => void scheduler.after(ms, resolve));

/** As a cache of keys gives them: one object for each. */
const callers = new Map<string, KeyUsed>();
function callerOf(of: string, keyId: string): KeyUsed {
  const caller = callers.get(of + keyId) ?? { scope: of, keyId };
  callers.set(of + keyId, caller);
  return caller;
}

function note(path = '/v1/payments', { status = 200, keyId = 'key_a', of = scope } = {}): string {
  const requestId = ids.next();
  const request = { requestNumber: ids.number, method: 'GET', path, params: {} };
  requests.note(undefined, { ...request, keyUsed: callerOf(of, keyId) }, status, 3.4);
  return requestId;
}

const find = (filter: EntryFilter = {}, after: Found['next'] = null, limit = 100): Promise<Found> =>
  findRequests(store.connect(), { ...filter, scope, after, limit, now: scheduler.now() });
const idsOf = ({ data }: Found): readonly string[] => data.map(({ id }) => id);

test('every request is found by its id, its key, its status and its path, newest first', async () => {
  const [a, b] = [note('/v1/payments/pay_1'), note('/v1/refunds', { status: 422, keyId: 'key_b' })];
  note('/v1/payments', { of: 'prj_0001:sandbox' });
  await wait(seconds(3));
  const c = note('/v1/payments/pay_1', { status: 404, keyId: 'key_b' });
  await wait(flushEveryMs + 100);
  expect(idsOf(await find())).toEqual([c, b, a]);
  expect(idsOf(await find({ key: 'key_b' }))).toEqual([c, b]);
  expect(idsOf(await find({ status: 422 }))).toEqual([b]);
  expect(idsOf(await find({ path: '/payments/pay_1' }))).toEqual([c, a]);
  expect(idsOf(await find({ key: 'key_b', path: '/v1/refunds', status: 422 }))).toEqual([b]);
  expect(await find({ id: b })).toEqual({
    data: [
      {
        id: b,
        at: '1970-01-01T00:00:00.000Z',
        method: 'GET',
        path: '/v1/refunds',
        status: 422,
        keyId: 'key_b',
        durationMs: 3,
        code: null,
      },
    ],
    next: null,
  });
  expect(await find({ id: 'no id' })).toEqual({ data: [], next: null });
});

test('what one second answers is a few rows, and pages of it are complete', async () => {
  const ids = Array.from({ length: 2 * blockEntriesMax + 7 }, () => note());
  await wait(flushEveryMs + 100);
  expect(store.disk.rows(requestLogKind)).toHaveLength(3);
  const found: string[] = [];
  let after: Found['next'] = null;
  do {
    const page: Found = await find({}, after, 99);
    found.push(...idsOf(page));
    after = page.next;
  } while (after !== null);
  expect(found).toEqual(ids.toReversed());
});

test('a search that finds nothing in many blocks stops, and goes on where it stopped', async () => {
  const first = note('/v1/rare');
  for (let second = 0; second < blocksMax + 5; second++) {
    await wait(flushEveryMs + 100);
    note();
  }
  await wait(flushEveryMs + 100);
  const one = await find({ path: '/v1/rare' });
  expect([one.data, one.next === null]).toEqual([[], false]);
  expect(idsOf(await find({ path: '/v1/rare' }, one.next))).toEqual([first]);
});

test('a store that does not answer loses nothing: what was noted is written when it answers again', async () => {
  Object.assign(store.weather, { silent: 0.5, lost: 0.5, answerMsMax: 500 });
  const ids = Array.from({ length: 20 }, () => note());
  await wait(seconds(5));
  Object.assign(store.weather, { silent: 0, lost: 0 });
  await wait(seconds(5));
  expect(idsOf(await find())).toEqual(ids.toReversed());
});

test('the entries of many projects are written together', async () => {
  const many = 1000;
  const sizes: number[] = [];
  const connected = store.connect();
  const putRows: typeof connected.putRows = (rows) => {
    sizes.push(rows.length);
    return connected.putRows(rows);
  };
  const log = { warn: () => undefined, error: () => undefined };
  requests = new RequestLog({ store: { putRows }, scheduler, log, idKey: ids.key });
  for (let n = 0; n < many; n++) note('/v1/payments', { of: `prj_${n}:live` });
  const full = 'prj_full:live';
  for (let n = 0; n < 3 * blockEntriesMax; n++) note('/v1/payments', { of: full });
  await requests.close();
  expect(sizes.filter((size) => size === blocksPerWriteMax)).toHaveLength(many / blocksPerWriteMax);
  expect(sizes.slice(many / blocksPerWriteMax)).toEqual([3]);
  expect(requests.full).toBe(false);
  expect(store.disk.rows(requestLogKind)).toHaveLength(many + 3);
});

test('when it is full it says so, and is free again when the store has taken it', async () => {
  store.weather.awayUntil = scheduler.now() + seconds(30);
  for (let n = 0; n < entriesMax; n++) note();
  expect(requests.full).toBe(true);
  note();
  note();
  expect(complaints).toBe(1);
  await wait(seconds(60));
  expect(requests.full).toBe(false);
});

test('the path of a door is put together from its parameters, as it was sent', async () => {
  const door = (path: string): Door => ({
    method: 'POST',
    path,
    handle: () => Promise.reject(new Error('never asked')),
  });
  const [two, one] = [door('/v1/{a}/of/{b}'), door('/v1/{id}')];
  const keyUsed = { scope, keyId: 'key_a' };
  const sent = (of: Door, path: string, params: DoorRequest['params']): void => {
    ids.next();
    requests.note(of, { requestNumber: ids.number, method: 'POST', path, params, keyUsed }, 200, 1);
  };
  sent(two, '/v1/x/of/y', { a: 'x', b: 'y' });
  sent(one, '/v1/a%20b', { id: 'a b' });
  sent(one, '/v1/', { id: '' });
  sent(one, '/v1/%E0', { id: 'à' });
  sent(door('/v1/*'), '/v1/every/thing', {});
  sent(one, `/v1/${'z'.repeat(400)}`, { id: 'z'.repeat(400) });
  sent(one, '/v1/{b}', { id: '{b}' });
  await requests.close();
  const paths = (await find()).data.map(({ method, path }) => `${method} ${path}`);
  expect(paths.toReversed()).toEqual([
    'POST /v1/x/of/y',
    'POST /v1/a%20b',
    'POST /v1/',
    'POST /v1/%E0',
    'POST /v1/every/thing',
    `POST /v1/${'z'.repeat(296)}`,
    'POST /v1/{b}',
  ]);
});

test('a block names no key of another project', async () => {
  note('/v1/payments', { keyId: 'key_a' });
  note('/v1/payments', { keyId: 'key_stranger', of: 'prj_0001:live' });
  await requests.close();
  const rows = store.disk.rows(requestLogKind).map((row) => JSON.stringify(row));
  expect(rows.map((row) => [row.includes('key_a'), row.includes('key_stranger')])).toEqual([
    [true, false],
    [false, true],
  ]);
});

test('a piece that is full is written at once', async () => {
  for (let n = 0; n < piecesEntriesMax; n++) note();
  await wait(flushEveryMs / 2);
  expect(store.disk.rows(requestLogKind)).toHaveLength(Math.ceil(piecesEntriesMax / blockEntriesMax));
});

test('closing writes what is left', async () => {
  const id = note();
  await requests.close();
  expect(idsOf(await find())).toEqual([id]);
});

test('a key in a path is cut out, and a long path is cut off', async () => {
  note('/v1/payments/sk_test_abcdefgh12345678/x');
  note(`/v1/${'x'.repeat(5000)}`);
  await requests.close();
  const [long, cut] = (await find()).data;
  expect(cut?.path).toBe('/v1/payments/[removed]/x');
  expect(long?.path).toHaveLength(300);
});

test('the id of another project finds nothing, also when both were noted in one second', async () => {
  const [mine, theirs] = [note(), note('/v1/payments', { of: 'prj_0001:sandbox' })];
  await requests.close();
  expect(idsOf(await find({ id: mine }))).toEqual([mine]);
  expect(await find({ id: theirs })).toEqual({ data: [], next: null });
});

test('one search looks through a bounded number of entries, and the next goes on', async () => {
  const first = note('/v1/rare');
  for (let n = 0; n < searchEntriesMax; n++) note();
  await requests.close();
  const one = await find({ path: '/v1/rare' });
  expect([one.data, one.next === null]).toEqual([[], false]);
  expect(idsOf(await find({ path: '/v1/rare' }, one.next))).toEqual([first]);
});

const collectedBytes = (): number => {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};
const mib = 1024 * 1024;

test.each([
  ['usual paths', '/v1/checkout/cs_0123456789abcdefghjkm', 14 * mib],
  ['the longest paths', `/v1/${'x'.repeat(400)}`, 75 * mib],
])('a log that is full has a bounded size: %s, each another', (_, path, bytesMax) => {
  store.weather.awayUntil = scheduler.now() + seconds(30);
  const before = collectedBytes();
  for (let n = 0; n < entriesMax; n++) note(path.replace('/v1/', `/v1/${n}`));
  expect(requests.full).toBe(true);
  expect(collectedBytes() - before).toBeLessThan(bytesMax);
});

test('entries that wait for the store keep no more of a path than will be written', () => {
  const before = collectedBytes();
  for (let n = 0; n < 4000; n++) note(Buffer.from(`/v1/${n}${'x'.repeat(10_000)}`).toString());
  expect(collectedBytes() - before).toBeLessThan(4000 * 2000);
});
