/** A service that releases another version of its API: what was made before stays in the older one, and is told when
 *  that ends. The newer version exists in this test alone; it has `amount` where the older one has `total`. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer } from '../../src/cli/demo/api.ts';
import type { Shop } from '../../src/cli/demo/shop.ts';
import { apiVersion, releases } from '../../src/kernel/api-releases.ts';
import type { Change, Release } from '../../src/kernel/api-versions.ts';
import { merchantWithLogin, Page } from '../support/dashboard.ts';
import { startGalla, type Galla } from '../support/galla.ts';
import { Merchant } from '../support/merchant.ts';
import { eventually } from '../support/eventually.ts';
import { expectRefusal } from '../support/refusal.ts';

type Json = Parameters<NonNullable<Change['event']>>[0];

const renamed = (object: Json, from: string, to: string): Json =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name === from ? to : name, value]));

const change: Change = {
  request: (operation, body) => (operation === 'createCheckout' ? renamed(body, 'total', 'amount') : body),
  answer: (operation, body) => (operation.endsWith('Checkout') ? renamed(body, 'amount', 'total') : body),
  event: (envelope) => ({ ...envelope, data: renamed(envelope['data'] as Json, 'amount', 'total') }),
};
const next = '2027-05-01';
const [at, sunset] = [Date.parse('2027-05-01T00:00:00Z'), Date.parse('2028-06-01T00:00:00Z')];
const released: readonly Release[] = [
  { version: apiVersion, deprecated: { at, sunset } },
  { version: next, change },
];
const ending = {
  'api-version': apiVersion,
  deprecation: '@1809129600',
  sunset: 'Thu, 01 Jun 2028 00:00:00 GMT',
};
const current = { 'api-version': next, deprecation: null, sunset: null };

const versionOf = ({ headers }: Pick<Answer, 'headers'>) =>
  Object.fromEntries(Object.keys(ending).map((name) => [name, headers.get(name)]));

const returnUrl = 'https://shop.example/return';

let dataDir = '';
let owner: Awaited<ReturnType<typeof merchantWithLogin>>;
let galla: Galla;
/** Before and after the release: a client, its server, its endpoint. */
let older: Merchant;
let newer: Merchant;
let olderShop: Shop;
let newerShop: Shop;
let olderEndpoint = '';
let newerEndpoint = '';
let earlier: { readonly id: string; readonly envelope: string };

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'galla-test-'));
  const before = await startGalla({ GALLA_DATA_DIR: dataDir }, releases);
  owner = await merchantWithLogin(before.admin, { email: 'versions@example.com' });
  const key = await before.key(owner.projectId, { kind: 'secret', mode: 'sandbox' });
  const publishable = await before.key(owner.projectId, { kind: 'publishable', mode: 'sandbox' });
  const made = new Merchant(owner.projectId, before.with(key), before.with(publishable));
  const { id: sessionId } = (await made.checkout()).value as { id: string };
  const [event] = await made.untilEvents(1, 'checkout.created', sessionId);
  earlier = { id: event?.text('id') ?? '', envelope: JSON.stringify(event?.value) };
  // its server comes later: the endpoint is what has to be there
  const { body } = await made.api.must('POST', '/v1/webhooks', { url: 'https://shop.example/hooks' });
  expect(body.at('apiVersion')).toBe(apiVersion);
  await before.stop();

  galla = await startGalla({ GALLA_DATA_DIR: dataDir }, released);
  older = new Merchant(made.projectId, galla.with(key), made.publishable);
  const another = await galla.key(made.projectId, { kind: 'secret', mode: 'sandbox' });
  newer = new Merchant(made.projectId, galla.with(another), made.publishable);
  [olderShop, newerShop] = [await galla.shop(), await galla.shop()];
  olderEndpoint = (await older.endpoint(olderShop)).id;
  newerEndpoint = (await newer.endpoint(newerShop)).id;
}, 30_000);
afterAll(async () => {
  await galla.stop();
  await rm(dataDir, { recursive: true, force: true });
});

test('row 97: a key keeps its version after a new one is released, and is told when it ends', async () => {
  const created = await older.api.must('POST', '/v1/checkout', { total: 125_050, returnUrl });
  expect([created.body.at('total'), created.body.at('amount')]).toEqual([125_050, undefined]);
  const { headers } = created;
  expect([headers.get('api-version'), headers.get('deprecation'), headers.get('sunset')]).toEqual(
    Object.values(ending),
  );
  const read = await older.api.must('GET', `/v1/checkout/${created.body.text('id')}`);
  expect([read.body.at('total'), versionOf(read)]).toEqual([125_050, ending]);
  // refusals, too
  const refused = await older.api.post('/v1/checkout', { returnUrl });
  expectRefusal(refused, 'validation_failed', ['amount required']);
  expect(versionOf(refused)).toEqual(ending);
});

test('a new key has the new version, and either may name the other', async () => {
  const { projectId } = older;
  const { body } = await galla.admin.must('GET', `/admin/v1/projects/${projectId}/keys`);
  const pins = body.list('data').map((key) => key.at('apiVersion'));
  expect(pins).toEqual([next, apiVersion, apiVersion]);
  const created = await newer.api.must('POST', '/v1/checkout', { amount: 125_050, returnUrl });
  expect([created.body.at('amount'), versionOf(created)]).toEqual([125_050, current]);
  const path = `/v1/checkout/${created.body.text('id')}`;
  const named = await newer.api.must('GET', path, undefined, { headers: { 'api-version': apiVersion } });
  expect([named.body.at('total'), versionOf(named)]).toEqual([125_050, ending]);
  const upwards = await older.api.must('GET', path, undefined, { headers: { 'api-version': next } });
  expect([upwards.body.at('amount'), versionOf(upwards)]).toEqual([125_050, current]);
  const unknown = await newer.api.get(path, { headers: { 'api-version': '2027-05-02' } });
  expectRefusal(unknown, 'api_version_unknown');
});

test('a repeated request has the bytes of its first answer', async () => {
  const key = { idempotencyKey: 'a-version-ago' };
  const first = await older.api.post('/v1/checkout', { total: 125_050, returnUrl }, key);
  const again = await older.api.post('/v1/checkout', { total: 125_050, returnUrl }, key);
  expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([
    201,
    first.text,
    'true',
  ]);
  expect(versionOf(again)).toEqual(ending);
  const otherBody = await older.api.post('/v1/checkout', { total: 125_051, returnUrl }, key);
  expectRefusal(otherBody, 'idempotency_key_reused');
});

test('a repeat in another version has the bytes and the version of the first answer', async () => {
  const key = { idempotencyKey: 'a-version-between' };
  // each version reads the name it knows
  const both = { total: 125_050, amount: 125_050, returnUrl };
  const first = await older.api.post('/v1/checkout', both, key);
  expect([first.body.at('total'), first.body.at('amount')]).toEqual([125_050, undefined]);
  await older.api.must('POST', `/v1/checkout/${first.body.text('id')}/expire`);
  const inNext = { ...key, headers: { 'api-version': next } };
  const again = await older.api.post('/v1/checkout', both, inNext);
  expect([again.status, again.text]).toEqual([201, first.text]);
  expect(versionOf(again)).toEqual(versionOf(first));
  // and the other way round
  const other = { idempotencyKey: 'a-version-ahead' };
  const newest = await older.api.post('/v1/checkout', both, { ...other, headers: { 'api-version': next } });
  const repeat = await older.api.post('/v1/checkout', both, other);
  expect([repeat.status, repeat.text, versionOf(repeat)]).toEqual([201, newest.text, versionOf(newest)]);
});

test('an endpoint keeps its version: one event, the same id, each in its own', async () => {
  const { body } = await newer.api.must('POST', '/v1/checkout', { amount: 200_000, returnUrl });
  const about = body.text('id');
  const [old, fresh] = await Promise.all(
    [olderShop, newerShop].map((shop) => shop.webhook(({ objectId }) => objectId === about)),
  );
  const told = (raw: Buffer | undefined) => {
    const {
      id,
      apiVersion: version,
      data,
    } = JSON.parse(String(raw)) as {
      readonly id: string;
      readonly apiVersion: string;
      readonly data: Json;
    };
    return { id, version, total: data['total'], amount: data['amount'] };
  };
  expect(told(old?.raw)).toEqual({ id: old?.id, version: apiVersion, total: 200_000, amount: undefined });
  expect(told(fresh?.raw)).toEqual({ id: old?.id, version: next, total: undefined, amount: 200_000 });
  expect([old, fresh].map((one) => one?.headers['api-version'])).toEqual([apiVersion, next]);

  // the log of deliveries shows each as it was sent
  for (const sent of [old, fresh]) {
    const { body: log } = await older.api.must(
      'GET',
      `/v1/webhooks/${sent === old ? olderEndpoint : newerEndpoint}/deliveries`,
    );
    const shown = log.list('data').find((one) => one.at('eventId') === sent?.id);
    expect(JSON.stringify(shown?.at('payload'))).toBe(String(sent?.raw));
  }

  // the list and the stream carry what the endpoint of that version got, byte for byte
  for (const [{ api }, sent] of [
    [older, old],
    [newer, fresh],
  ] as const) {
    const one = await api.must('GET', `/v1/events/${old?.id ?? ''}`);
    const listed = await api.must('GET', `/v1/events?objectId=${about}`);
    const streamed = await firstEvent(api.baseUrl, api.key ?? '', earlier.id, about);
    expect(one.text).toBe(String(sent?.raw));
    expect(listed.text).toContain(String(sent?.raw));
    expect(streamed).toBe(String(sent?.raw));
  }
});

test('an event from before the release stays as it was written', async () => {
  for (const { api } of [older, newer])
    expect((await api.must('GET', `/v1/events/${earlier.id}`)).text).toBe(earlier.envelope);
});

test("the dashboard shows the version that was sent, also where it is not the endpoint's", async () => {
  const since = new Date(Date.now() - 3_600_000).toISOString();
  await newer.api.must('POST', `/v1/webhooks/${newerEndpoint}/recover`, { since });
  const sent = await newerShop.webhook(({ id }) => id === earlier.id);
  expect(sent.headers['api-version']).toBe(apiVersion);
  const page = new Page(galla.url);
  await page.logIn(owner);
  const of = `/v1/webhooks/${newerEndpoint}/deliveries?eventId=${earlier.id}`;
  const id = (await newer.api.must('GET', of)).body.text('data.0.id');
  const shown = await eventually(
    async () => {
      const { body } = await page.get(
        `/dashboard/api/${owner.projectId}/sandbox/webhooks/deliveries/${id}/tries`,
      );
      return body.at('headers') === null ? null : body;
    },
    () => 'the headers of the try',
  );
  expect(shown.at('headers')).toMatchObject({ 'Api-Version': apiVersion, 'webhook-id': earlier.id });
});

/** The first event about an object on the stream after another event. */
async function firstEvent(url: string, key: string, after: string, about: string): Promise<string> {
  const leave = new AbortController();
  const headers = { authorization: `Bearer ${key}`, 'last-event-id': after };
  const { body } = await fetch(`${url}/v1/events/stream`, { headers, signal: leave.signal });
  const decoder = new TextDecoder();
  let text = '';
  let found: string | undefined;
  for await (const bytes of body ?? []) {
    text += decoder.decode(bytes as Uint8Array, { stream: true });
    const lines = text.endsWith('\n\n') ? text.split('\n') : [];
    found = lines.find((line) => line.startsWith('data: ') && line.includes(`"id":"${about}"`));
    if (found !== undefined) break;
  }
  leave.abort();
  return found?.slice('data: '.length) ?? '';
}
