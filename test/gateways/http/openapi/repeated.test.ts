/** Every POST under /v1, as the operations declare them, sent again with its Idempotency-Key: a new operation is covered as
 *  soon as it has its call (calls.ts). */
import { expect, test } from 'vitest';
import type { Api } from '../../../../src/cli/demo/api.ts';
import { declaredOperations } from '../../../support/doors.ts';
import { eventually } from '../../../support/eventually.ts';
import { gallaOfFile } from '../../../support/of-file.ts';
import { expectRefusal } from '../../../support/refusal.ts';
import type { Node } from '../worst-bodies.ts';
import { calls } from './calls.ts';
import { repeating, type Watch } from './repeating.ts';

const galla = gallaOfFile();

const posts = declaredOperations.filter(({ method, path }) => method === 'POST' && path.startsWith('/v1/'));
const lists = declaredOperations.filter(
  ({ method, path, key, results }) =>
    method === 'GET' &&
    path.startsWith('/v1/') &&
    key !== 'none' &&
    !path.includes('{') &&
    'data' in ((results[0]?.content['application/json']?.schema as Node | undefined)?.properties ?? {}),
);

test('every POST under /v1 reads an Idempotency-Key', () => {
  expect(posts.length).toBeGreaterThan(10);
  expect(lists.length).toBeGreaterThan(4);
  expect(posts.filter(({ keyed }) => !keyed)).toEqual([]);
});

/** A day later the key would be a new one. */
const bodies: { readonly [operation: string]: object } = { advanceTestClock: { bySeconds: 60 } };
const bodyOf = (name: string): object =>
  bodies[name] ??
  (declaredOperations.find(({ operation }) => operation === name)?.body?.example as object | undefined) ??
  {};

/** How much there is of everything the merchant can list, each event type and delivery by itself, and the clock. */
async function countsOf(api: Api): Promise<object> {
  const read = async (path: string) => (await api.must('GET', path)).body;
  const countOf = async (path: string) => {
    const list = await read(path);
    return list.at('total') ?? list.list('data').length;
  };
  const totals = await Promise.all(lists.map(async ({ path }) => [path, await countOf(path)]));
  const types = (await read('/v1/events?limit=100')).list('data').map((one) => one.text('type'));
  const endpoints = (await read('/v1/webhooks')).list('data').map((one) => one.text('id'));
  const deliveries = await Promise.all(endpoints.map((id) => read(`/v1/webhooks/${id}/deliveries`)));
  return {
    lists: Object.fromEntries(totals) as object,
    events: types.toSorted(),
    deliveries: deliveries
      .flatMap((log) => log.list('data'))
      .map((one) => `${one.text('eventType')} ${one.text('status')} ${String(one.at('attempts'))}`)
      .toSorted(),
    clock: Math.round(Number((await read('/v1/test/clock')).at('offsetSeconds')) / 60),
  };
}

/** What was committed before this has been published, too. */
async function marked(api: Api): Promise<void> {
  const order = { amount: 1000, returnUrl: 'https://shop.example/marker' };
  const id = (await api.must('POST', '/v1/checkout', order)).body.text('id');
  await eventually(
    async () => (await api.must('GET', `/v1/events?objectId=${id}`)).body.at('total') === 1 || null,
    () => 'the event of the marker',
  );
}

/** Calls the operation, and watches what it sends. */
async function sent(operation: string, path: string, again: boolean) {
  const call = calls[operation];
  if (call === undefined) throw new Error(`${operation} has no call`);
  const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  const watch: Watch = { path: pattern, again, merchant: null, found: null };
  await call({ galla: repeating(galla, watch), bodyOf });
  const { merchant, found } = watch;
  if (merchant === null) throw new Error(`${operation} did not send POST ${path}`);
  return { merchant, found };
}

test.each(posts.map(({ operation, path }) => [operation, path] as const))(
  'row 9: %s is executed once, however often it is sent',
  { timeout: 30_000 },
  async (operation, path) => {
    const { found, merchant } = await sent(operation, path, true);
    if (found === null) throw new Error(`${operation} was not repeated`);
    const { running, first, again, other, last, inspected } = found;

    expect(running.status).toBe(409);
    expect(running.headers.get('retry-after')).toBe('1');
    expect(running.body.value).toEqual({ error: expect.any(String), code: 'idempotency_conflict' });

    expect(first.status, first.text).toBeLessThan(300);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    for (const repeat of [again, last]) {
      expect([repeat.status, repeat.text]).toEqual([first.status, first.text]);
      expect(repeat.headers.get('idempotent-replayed')).toBe('true');
      expect(repeat.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
    }
    expectRefusal(other, 'idempotency_key_reused');
    expect(inspected.body.list('data').map(({ value }) => value)).toMatchObject([
      { method: 'POST', state: 'completed', statusCode: first.status },
    ]);

    // what a merchant sees who has sent it once
    const twin = (await sent(operation, path, false)).merchant;
    await Promise.all([marked(merchant), marked(twin)]);
    let seen = '';
    await eventually(
      async () => {
        const [repeated, once] = await Promise.all([countsOf(merchant), countsOf(twin)]);
        seen = `${JSON.stringify(repeated)} instead of ${JSON.stringify(once)}`;
        return JSON.stringify(repeated) === JSON.stringify(once) || null;
      },
      () => `${operation} to have the effect of one request: ${seen}`,
      10_000,
    );
  },
);
