import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { customerAt } from '../../../../actors/customer/messages.ts';
import { idempotencyKeyAt } from '../../../../actors/idempotency-key/messages.ts';
import { Api, type Answer } from '../../../../src/cli/demo/api.ts';
import { canonicalJson } from '../../../../src/kernel/canonical-json.ts';
import { sha256Hex } from '../../../../src/kernel/hash.ts';
import { mintId } from '../../../../src/kernel/id.ts';
import { start, type Galla } from '../../../../src/main.ts';
import type { DemoMerchant } from '../../../../src/compose/demo-merchant.ts';
import type { Scope } from '../../../../src/runtime/model/address.ts';
import { onFatal } from '../../../support/alone.ts';

let dataDir: string;
let galla: Galla;
let api: Api;
let scope: Scope;
let keys = 0;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'galla-idempotency-'));
  galla = await start({
    onFatal,
    env: { PORT: '0', GALLA_DATA_DIR: dataDir, GALLA_RATE_LIMITS: 'off', LOG_LEVEL: 'silent' },
  });
  api = new Api(galla.url, (galla.demo as DemoMerchant).secretKey);
  scope = `${(galla.demo as DemoMerchant).projectId}:sandbox`;
});
afterAll(async () => {
  await galla.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const order = { amount: 125_050, returnUrl: 'https://shop.example/return' };
const newKey = (): string => `key-${++keys}`;
const create = (key: string, body: object | string = order, path = '/v1/checkout'): Promise<Answer> =>
  api.send('POST', path, { body, idempotencyKey: key });
const total = async (path: string): Promise<unknown> => (await api.get(path)).body.at('total');
const replayed = (answer: Answer): string | null => answer.headers.get('idempotent-replayed');

describe('a repeated request', () => {
  test('gets the stored bytes with a replay header and its own request id, and executes nothing', async () => {
    const key = newKey();
    const first = await create(key);
    const before = await total('/v1/checkout');
    const again = await create(key);
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.text).toBe(first.text);
    expect([replayed(first), replayed(again)]).toEqual([null, 'true']);
    expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
    expect(await total('/v1/checkout')).toBe(before);
  });

  test('is the same for any formatting of its JSON, and different with another value', async () => {
    const key = newKey();
    const first = await create(key, '{"amount":125050,"returnUrl":"https://shop.example/return","x":1}');
    const spelled = await create(
      key,
      ' {"x":1.0, "returnUrl":"https:\\/\\/shop.example\\/return","amount":1.2505e5}',
    );
    expect(spelled.text).toBe(first.text);
    for (const body of [{ ...order, x: 2 }, order, { ...order, amount: 125_051, x: 1 }]) {
      const other = await create(key, body);
      expect([other.status, other.body.at('error.code')]).toEqual([422, 'idempotency_key_reused']);
    }
  });

  test('is separate per path: one key on two endpoints is two operations', async () => {
    const key = newKey();
    const session = await create(key);
    const endpoint = await create(key, { url: 'https://shop.example/hooks' }, '/v1/webhooks');
    expect(endpoint.body.text('id')).toMatch(/^we_/);
    const expired = await api.send('POST', `/v1/checkout/${session.body.text('id')}/expire`, {
      idempotencyKey: key,
    });
    expect(expired.body.at('status')).toBe('expired');
  });
});

describe('what is stored', () => {
  test('excludes 400, 401, 403, 404 and 415: the key stays unused', async () => {
    const key = newKey();
    expect((await create(key, { amount: 1 })).status).toBe(400);
    expect((await create(key, '{')).status).toBe(400);
    expect(
      (
        await api.send('POST', '/v1/checkout', {
          body: 'x',
          idempotencyKey: key,
          headers: { 'content-type': 'text/plain' },
        })
      ).status,
    ).toBe(415);
    expect(
      (
        await new Api(galla.url, (galla.demo as DemoMerchant).publishableKey).send('POST', '/v1/checkout', {
          body: order,
          idempotencyKey: key,
        })
      ).status,
    ).toBe(403);
    expect((await create(key)).status).toBe(201);
    const nowhere = `/v1/checkout/${mintId('cs')}/expire`;
    const gone = newKey();
    expect((await create(gone, {}, nowhere)).status).toBe(404);
    const again = await create(gone, { other: true }, nowhere);
    expect([again.status, replayed(again)]).toEqual([404, null]);
  });

  test('includes business refusals', async () => {
    const session = await create(newKey());
    await api.post(`/v1/checkout/${session.body.text('id')}/expire`);
    const path = `/v1/test/checkout/${session.body.text('id')}/simulate`;
    const key = newKey();
    const first = await create(key, { outcome: 'success' }, path);
    const again = await create(key, { outcome: 'success' }, path);
    expect([first.status, first.body.at('error.code'), first.body.at('error.currentStatus')]).toEqual([
      409,
      'invalid_state',
      'expired',
    ]);
    expect([again.text, replayed(again)]).toEqual([first.text, 'true']);
  });

  test('includes a secret only in encrypted form, and the same one is shown again', async () => {
    const key = newKey();
    const first = await create(key, { url: 'https://shop.example/sealed' }, '/v1/webhooks');
    const again = await create(key, { url: 'https://shop.example/sealed' }, '/v1/webhooks');
    const secret = first.body.text('signing_secret');
    expect(again.text).toBe(first.text);
    const inspected = await api.get(`/v1/idempotency/${key}`);
    expect(inspected.body.at('data.0.response')).toEqual({
      ...(first.body.value as object),
      signing_secret: null,
    });
    const ticket = newKey();
    await create(ticket, {}, '/v1/live/tickets');
    const kept = (await api.get(`/v1/idempotency/${ticket}`)).body;
    expect([kept.at('data.0.state'), kept.at('data.0.response.ticket')]).toEqual(['completed', null]);
    for (const file of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
      if (file.isFile())
        expect((await readFile(join(file.parentPath, file.name))).includes(secret), file.name).toBe(false);
    }
  });
});

const customers = '/v1/billing/customers';
const buyer = { name: 'Asha Rai' };

/** What a door that died left behind: a record that runs, and perhaps the object it had made. */
async function leftBehind(
  key: string,
  { made, incarnation }: { made: boolean; incarnation: string },
): Promise<string> {
  const record = idempotencyKeyAt(scope, 'POST', customers, key);
  const customer = mintId('bc');
  const asking = { by: 'merchant', scope } as const;
  await galla.node.client.ask(
    record,
    'begin',
    {
      key,
      method: 'POST',
      path: customers,
      bodyHash: sha256Hex(canonicalJson(buyer)),
      ids: { customer, request: 'req_of_the_one_that_died' },
      incarnation,
      incarnationsAlive: [incarnation],
      realNow: Date.now(),
    },
    asking,
  );
  if (made) {
    const created = await galla.node.client.ask(
      customerAt(customer),
      'create',
      { name: 'made by the first', email: null, phone: null, externalCustomerId: null, metadata: {} },
      { ...asking, identity: { from: `k:${record.id}`, seq: 1, done: 0 } },
    );
    expect(created).toMatchObject({ is: 'ok' });
  }
  return customer;
}

describe('a request whose first handler is gone', () => {
  test.each([true, false])('is finished with the ids it began with (object created: %s)', async (made) => {
    const key = newKey();
    const customer = await leftBehind(key, { made, incarnation: 'n:dead' });
    const answer = await create(key, buyer, customers);
    expect([answer.status, answer.body.at('id')]).toEqual([201, customer]);
    expect(answer.body.at('name')).toBe(made ? 'made by the first' : buyer.name);
    const again = await create(key, buyer, customers);
    expect([again.text, replayed(again)]).toEqual([answer.text, 'true']);
  });

  test('is not continued with another body', async () => {
    const key = newKey();
    await leftBehind(key, { made: false, incarnation: 'n:dead' });
    expect((await create(key, { name: 'Bina' }, customers)).body.at('error.code')).toBe(
      'idempotency_key_reused',
    );
  });

  test('is a conflict while its handler may still run, with the flat body and Retry-After', async () => {
    const key = newKey();
    await leftBehind(key, { made: false, incarnation: galla.node.incarnation });
    const answer = await create(key, buyer, customers);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([409, '1']);
    expect(answer.text).toBe(
      '{"error":"A request with this Idempotency-Key is still running. Try again after a short delay.","code":"idempotency_conflict"}',
    );
  });
});

describe('row 10: the inspector', () => {
  test('row 10: shows a record as running, then as completed with the stored answer', async () => {
    const key = newKey();
    await leftBehind(key, { made: true, incarnation: 'n:dead' });
    const running = (await api.must('GET', `/v1/idempotency/${key}`)).body.list('data');
    expect(running.map(({ value }) => value)).toMatchObject([
      {
        key,
        method: 'POST',
        path: customers,
        state: 'running',
        statusCode: null,
        objectId: null,
        response: null,
      },
    ]);
    const answer = await create(key, buyer, customers);
    const done = (await api.must('GET', `/v1/idempotency/${key}`)).body.list('data');
    expect(done.map(({ value }) => value)).toMatchObject([
      { state: 'completed', statusCode: 201, objectId: answer.body.at('id'), response: answer.body.value },
    ]);
  });

  test('shows every record of a key in this project and mode, and no other', async () => {
    const key = newKey();
    await create(key);
    await create(key, { url: 'https://shop.example/two' }, '/v1/webhooks');
    expect((await api.must('GET', `/v1/idempotency/${key}`)).body.list('data')).toHaveLength(2);
    const { body } = await new Api(
      galla.url,
      await readFile(join(dataDir, 'admin-token'), 'utf8').then((text) => text.trim()),
    ).must('POST', `/admin/v1/projects/${(galla.demo as DemoMerchant).projectId}/keys`, {
      kind: 'secret',
      mode: 'live',
    });
    expect((await new Api(galla.url, body.text('key')).get(`/v1/idempotency/${key}`)).status).toBe(404);
    expect((await api.get('/v1/idempotency/nobody-used-this')).status).toBe(404);
    expect((await api.get('/v1/idempotency/%20')).status).toBe(404);
  });
});
