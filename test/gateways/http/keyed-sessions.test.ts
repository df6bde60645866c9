/** A keyed POST /v1/checkout: the session is the record of its key. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { idempotencyKeyAt } from '../../../actors/idempotency-key/messages.ts';
import { collections } from '../../../src/compose/collections.ts';
import { start } from '../../../src/main.ts';
import { canonicalJson } from '../../../src/kernel/canonical-json.ts';
import { sha256Hex } from '../../../src/kernel/hash.ts';
import { mintId } from '../../../src/kernel/id.ts';
import { hours, iso } from '../../../src/kernel/time.ts';
import { clusterFactKind } from '../../../src/runtime/cluster/cluster-fact.ts';
import { openSqliteStore } from '../../../src/store/store-sqlite.ts';
import { Api, type Answer } from '../../../src/cli/demo/api.ts';
import { onFatal } from '../../support/alone.ts';
import { eventually } from '../../support/eventually.ts';
import { startGalla, type Galla } from '../../support/galla.ts';
import { expectRefusal } from '../../support/refusal.ts';
import type { Merchant } from '../../support/merchant.ts';

const order = { amount: 125_050, returnUrl: 'https://shop.example/return' };
const path = '/v1/checkout';

/** Commits by kind of actor. */
const commits: string[] = [];
let dataDir: string;
let galla: Galla;
let shop: Merchant;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'galla-keyed-'));
  galla = await startGalla({ GALLA_DATA_DIR: dataDir });
  shop = await galla.merchant();
});
afterAll(async () => {
  await galla.stop();
  await rm(dataDir, { recursive: true, force: true });
});

let keys = 0;
const newKey = (): string => `key-${++keys}`;
const create = (idempotencyKey: string, body: object = order): Promise<Answer> =>
  shop.api.post(path, body, { idempotencyKey });
const replayed = (answer: Answer): string | null => answer.headers.get('idempotent-replayed');
const inspected = async (key: string): Promise<readonly unknown[]> =>
  (await shop.api.must('GET', `/v1/idempotency/${key}`)).body.list('data').map(({ value }) => value);

/** The service is stopped and started again on the same folder. */
async function again(meanwhile: () => Promise<void> = () => Promise.resolve()): Promise<void> {
  await galla.stop();
  await meanwhile();
  galla = await startGalla({ GALLA_DATA_DIR: dataDir });
  const { api, publishable } = shop;
  const moved = ({ key }: Api): Api => new Api(galla.url, key);
  shop = Object.assign(Object.create(Object.getPrototypeOf(shop) as object) as Merchant, shop, {
    api: moved(api),
    publishable: moved(publishable),
  });
}

/** As the folder was before sessions were their own record. */
async function withoutFact(folder = dataDir): Promise<void> {
  const store = await openSqliteStore({ dataDir: folder, collections: collections(), onFatal });
  const all = { kind: clusterFactKind, scope: 'system', before: Number.MAX_SAFE_INTEGER, limit: 10 } as const;
  expect(await store.purge(all)).toMatchObject({ removed: 1 });
  await store.close();
}

test('a keyed checkout is one commit before its answer, and leaves no record', async () => {
  const own = await mkdtemp(join(tmpdir(), 'galla-keyed-commits-'));
  const service = await start({
    onFatal,
    env: { PORT: '0', GALLA_DATA_DIR: own, GALLA_RATE_LIMITS: 'off', LOG_LEVEL: 'silent' },
    failpoint: (name, kind) => {
      if (name === 'before_commit') commits.push(kind);
    },
  });
  const { secretKey } = JSON.parse(await readFile(join(own, 'demo.json'), 'utf8')) as { secretKey: string };
  const api = new Api(service.url, secretKey);
  await api.must('POST', path, order, { idempotencyKey: 'warm' });
  commits.length = 0;
  await api.must('POST', path, order, { idempotencyKey: 'one' });
  const ofPost = commits.filter((kind) => kind === 'checkout_session' || kind === 'idempotency_key');
  await service.stop();
  await rm(own, { recursive: true, force: true });
  // the event log's own commits follow the answer
  expect(ofPost).toEqual(['checkout_session']);
});

describe('a repeat', () => {
  test('gets the bytes of the first answer, whatever has become of the session, also after a restart', async () => {
    const key = newKey();
    const first = await create(key);
    expect([first.status, replayed(first)]).toEqual([201, null]);
    const id = first.body.text('id');
    const early = await create(key);
    await shop.api.must('POST', `/v1/checkout/${id}/expire`);
    const late = await create(key);
    await again();
    const afterRestart = await create(key);
    for (const one of [early, late, afterRestart])
      expect([one.status, one.text, replayed(one)]).toEqual([201, first.text, 'true']);
    expect((await shop.session(id)).at('status')).toBe('expired');
  });

  test('with another body is 422, and changes nothing', async () => {
    const key = newKey();
    const first = await create(key);
    expectRefusal(await create(key, { ...order, amount: 125_051 }), 'idempotency_key_reused');
    expectRefusal(await create(key, { ...order, x: 1 }), 'idempotency_key_reused');
    expect((await create(key)).text).toBe(first.text);
  });

  test('is answered when no provider is left, and a new key is refused and stays new', async () => {
    const seller = await galla.merchant();
    const [used, unused] = [newKey(), newKey()];
    const redirect = { ...order, flow: 'redirect', provider: 'wallet_b' };
    const send = (idempotencyKey: string, body: object = redirect): Promise<Answer> =>
      seller.api.post(path, body, { idempotencyKey });
    const first = await send(used);
    expect(first.status).toBe(201);
    const provider = `/admin/v1/projects/${seller.projectId}/providers/wallet_b`;
    await galla.admin.must('PUT', provider, { mode: 'sandbox', enabled: false });
    // a gateway keeps the settings of a caller for a few seconds
    await eventually(
      async () => {
        const refused = await send(newKey());
        return refused.status === 422 ? refused : null;
      },
      () => 'a checkout to be refused',
    );
    expectRefusal(await send(unused), 'provider_not_configured');
    const repeat = await send(used);
    expect([repeat.text, replayed(repeat)]).toEqual([first.text, 'true']);
    expectRefusal(await send(used, order), 'idempotency_key_reused');
    // the refusal was not kept: the key may be used with any body
    expect((await send(unused, order)).status).toBe(201);
  });

  test('keys of another project, mode or path are other keys', async () => {
    const key = newKey();
    const ids = [(await create(key)).body.text('id')];
    const other = await galla.merchant();
    ids.push((await other.api.must('POST', path, order, { idempotencyKey: key })).body.text('id'));
    expect(new Set(ids).size).toBe(2);
    const hook = await shop.api.must(
      'POST',
      '/v1/webhooks',
      { url: 'https://shop.example/hooks' },
      { idempotencyKey: key },
    );
    expect(hook.body.text('id')).toMatch(/^we_/);
    expect((await inspected(key)).length).toBe(2);
  });
});

test('the inspector shows the session as the answer of its key, until the life of the key is over', async () => {
  const seller = await galla.merchant();
  const key = newKey();
  const first = await seller.api.must('POST', path, order, { idempotencyKey: key });
  const id = first.body.text('id');
  await seller.api.must('POST', `/v1/checkout/${id}/expire`);
  const { body } = await seller.api.must('GET', `/v1/idempotency/${key}`);
  const createdAt = first.body.text('createdAt');
  expect(body.value).toEqual({
    data: [
      {
        key,
        method: 'POST',
        path,
        state: 'completed',
        statusCode: 201,
        objectId: id,
        response: first.body.value,
        createdAt,
        expiresAt: iso(Date.parse(createdAt) + hours(24)),
      },
    ],
  });
  // the key itself is not stored
  const [doc] = await stored(seller, key);
  expect(doc).toBeUndefined();
  await seller.advance(iso(Date.parse(createdAt) + hours(24)));
  expect((await seller.api.get(`/v1/idempotency/${key}`)).status).toBe(404);
});

/** Sessions whose document holds this text. */
async function stored(seller: Merchant, text: string): Promise<readonly unknown[]> {
  const scope = `${seller.projectId}:sandbox` as const;
  const { items } = await galla.node.store.listDocs({ kind: 'checkout_session', scope, page: 1, limit: 100 });
  return items.filter((doc) => JSON.stringify(doc).includes(text));
}

test('each life of a key is another session, and a repeat in any of them finds that one', async () => {
  const seller = await galla.merchant();
  const key = newKey();
  const send = (body: object = order): Promise<Answer> =>
    seller.api.post(path, body, { idempotencyKey: key });
  const ids = new Set<string>();
  for (let life = 1; life <= 4; life++) {
    const body = { ...order, amount: life * 10_000 };
    const first = await send(body);
    expect([first.status, replayed(first)]).toEqual([201, null]);
    ids.add(first.body.text('id'));
    const repeat = await send(body);
    expect([repeat.text, replayed(repeat)]).toEqual([first.text, 'true']);
    expectRefusal(await send(), 'idempotency_key_reused');
    const { body: shown } = await seller.api.must('GET', `/v1/idempotency/${key}`);
    expect(shown.list('data').map((one) => one.at('objectId'))).toEqual([first.body.text('id')]);
    await seller.advance(iso(Date.parse(first.body.text('createdAt')) + hours(24)));
  }
  expect(ids.size).toBe(4);
});

describe('a folder of the day before', () => {
  const scope = () => `${shop.projectId}:sandbox` as const;

  /** A request that an older build has begun and not finished. */
  async function begun(key: string): Promise<string> {
    const session = mintId('cs');
    await galla.node.client.ask(
      idempotencyKeyAt(scope(), 'POST', path, key),
      'begin',
      {
        key,
        method: 'POST',
        path,
        bodyHash: sha256Hex(canonicalJson(order)),
        ids: { session, request: 'req_of_the_day_before' },
        incarnation: 'n:dead',
        incarnationsAlive: ['n:dead'],
        realNow: Date.now(),
      },
      { by: 'merchant', scope: scope() },
    );
    return session;
  }

  test('is taken over at the first start: a key that has a record uses it, every other one does not', async () => {
    // a folder whose sessions all have records
    const before = { dataDir, galla, shop };
    dataDir = await mkdtemp(join(tmpdir(), 'galla-keyed-before-'));
    galla = await startGalla({ GALLA_DATA_DIR: dataDir });
    shop = await galla.merchant();
    const [key, fresh] = [newKey(), newKey()];
    const session = await begun(key);
    await again(withoutFact);
    const [finished, repeat] = [await create(key), await create(key)];
    expect(finished.body.text('id')).toBe(session);
    expect([repeat.text, replayed(repeat)]).toEqual([finished.text, 'true']);
    expectRefusal(await create(key, { ...order, amount: 1_000 }), 'idempotency_key_reused');
    expect(await inspected(key)).toMatchObject([{ objectId: session, state: 'completed' }]);
    await create(fresh);
    const records = await galla.node.store.listDocs({
      kind: 'idempotency_key',
      scope: scope(),
      page: 1,
      limit: 9,
    });
    expect(records.items.map(({ body }) => body?.['key'])).toEqual([key]);
    // the life of the record is over: the same key is a session of its own
    await shop.advance(iso(Date.parse(finished.body.text('createdAt')) + hours(24) + 60_000));
    const next = await create(key);
    expect([next.status, replayed(next)]).toEqual([201, null]);
    expect(next.body.text('id')).not.toBe(session);
    expect((await create(key)).text).toBe(next.text);
    await galla.stop();
    await rm(dataDir, { recursive: true, force: true });
    ({ dataDir, galla, shop } = before);
  });

  test('without the key that ids were derived from there is no start', async () => {
    const own = await mkdtemp(join(tmpdir(), 'galla-keyed-missing-'));
    const service = await startGalla({ GALLA_DATA_DIR: own });
    const { api } = await service.merchant();
    await api.must('POST', path, order, { idempotencyKey: newKey() });
    await service.stop();
    await withoutFact(own);
    await expect(startGalla({ GALLA_DATA_DIR: own })).rejects.toThrow(
      'the key for ids of checkouts is missing',
    );
    await rm(own, { recursive: true, force: true });
  });

  test('with another GALLA_SECRETS_KEY there is no start', async () => {
    const own = await mkdtemp(join(tmpdir(), 'galla-keyed-secret-'));
    await (await startGalla({ GALLA_DATA_DIR: own })).stop();
    const env = { GALLA_DATA_DIR: own, GALLA_SECRETS_KEY: Buffer.alloc(32, 7).toString('base64') };
    await expect(startGalla(env)).rejects.toThrow('does not open with this GALLA_SECRETS_KEY');
    await rm(own, { recursive: true, force: true });
  });
});
