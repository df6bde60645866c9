import { beforeEach, describe, expect, test } from 'vitest';
import {
  createAuth,
  type Auth,
  type AuthOptions,
  type Caller,
} from '../../../../gateways/http/access/auth.ts';
import type { Refused } from '../../../../gateways/http/route/answer.ts';
import type { DoorRequest } from '../../../../gateways/server/door.ts';
import { Gate, isAdmitted, type GateRule } from '../../../../gateways/http/access/gate.ts';
import { createLimits } from '../../../../gateways/http/access/rate-limit.ts';
import { readingClient, StoreUnresponsive } from '../../../../gateways/http/route/reading.ts';
import { createLocalBus } from '../../../support/simulated/bus-local.ts';
import { minutes, seconds } from '../../../../src/kernel/time.ts';
import { FakeClient } from '../../../support/fake-client.ts';
import { neverOpens } from '../../../../src/runtime/activation/store-breaker.ts';

const token = 'an-operator-token-of-tests';
let client: FakeClient;
let auth: Auth;
let clock: number;

beforeEach(() => {
  client = new FakeClient();
  clock = 1_000_000;
  auth = createAuth({
    client: readingClient(client, neverOpens),
    adminToken: token,
    now: () => clock,
    others: null,
  });
});

const request = (authorization: string, ip = '203.0.113.7'): DoorRequest => ({
  requestId: 'req_z25mwf0rtqd021aznxd0zrex',
  method: 'GET',
  path: '/',
  params: {},
  rawQuery: '',
  ip,
  body: Buffer.alloc(0),
  header: (name) => (name === 'authorization' ? authorization : ''),
});
const caller = async (text: string): Promise<Caller | Refused> => auth.caller(request(`Bearer ${text}`));
/** The code of a refusal, `ok` for a caller. */
const code = async (text: string): Promise<string> => {
  const found = await caller(text);
  return 'is' in found ? found.code : 'ok';
};

describe('a key', () => {
  test('identifies project, mode, kind and access', async () => {
    const found = await caller(client.issue('sk_live_', { access: 'read' }));
    expect(found).toMatchObject({
      projectId: 'prj_pjc0e83mhrawse3s6h8bhrbw',
      mode: 'live',
      scope: 'prj_pjc0e83mhrawse3s6h8bhrbw:live',
      kind: 'secret',
      access: 'read',
      apiVersion: '2026-11-20',
    });
  });

  test.each(['sk_test_', 'sk_sandbox_', 'sk_live_', 'pk_test_', 'pk_sandbox_', 'pk_live_'])(
    'may begin with %s',
    async (prefix) => {
      expect(await code(client.issue(prefix))).toBe('ok');
    },
  );

  test('is read only from the bearer header, however its scheme is written', async () => {
    const text = client.issue('sk_test_');
    for (const header of [`Bearer ${text}`, `bearer ${text}`, `BEARER   ${text}`, `Bearer ${text}  `]) {
      expect('is' in (await auth.caller(request(header))), header).toBe(false);
    }
    for (const header of ['', 'Bearer', 'Bearer ', 'Bearer    ', `Basic ${text}`, text, `Token ${text}`]) {
      expect(await auth.caller(request(header)), header).toMatchObject({ code: 'api_key_missing' });
    }
    expect(await auth.caller(request(`Bearer ${text}, Bearer ${text}`))).toMatchObject({
      code: 'api_key_invalid',
    });
  });

  test('in a wrong form costs no look-up', async () => {
    for (const text of [
      'x',
      'sk_test_',
      'sk_prod_0000000000',
      `sk_test_${'a'.repeat(200)}`,
      'sk_test_näh!00000',
      token,
    ]) {
      expect(await code(text)).toBe('api_key_invalid');
    }
    expect(client.lookups).toBe(0);
  });

  test('revoked and expired is revoked, expired and suspended is expired', async () => {
    client.suspended = { at: 0, reason: 'Document review is overdue.' };
    expect(await code(client.issue('sk_test_', { revokedAt: 5, expiresAt: 5 }))).toBe('api_key_revoked');
    expect(await code(client.issue('sk_test_', { expiresAt: 5 }))).toBe('api_key_expired');
    expect(await code(client.issue('sk_test_'))).toBe('account_suspended');
    expect(await caller(client.issue('pk_test_'))).toMatchObject({
      details: {
        suspension: { suspended_at: '1970-01-01T00:00:00.000Z', reason: 'Document review is overdue.' },
      },
    });
  });

  test('expires at its instant, cached or not', async () => {
    const text = client.issue('sk_test_', { expiresAt: clock + 1000 });
    expect(await code(text)).toBe('ok');
    clock += 999;
    expect(await code(text)).toBe('ok');
    clock += 1;
    expect(await code(text)).toBe('api_key_expired');
  });
});

describe('a key that is revoked at one node of two', () => {
  const twoNodes = (connect: () => NonNullable<AuthOptions['others']>): readonly [Auth, Auth] => {
    const node = (): Auth =>
      createAuth({
        client: readingClient(client, neverOpens),
        adminToken: token,
        now: () => clock,
        others: connect(),
      });
    return [node(), node()];
  };
  const hub = createLocalBus();
  const hearing = (): readonly [Auth, Auth] => twoNodes(() => hub.connect('node'));
  const deaf = (): readonly [Auth, Auth] =>
    twoNodes(() => ({ broadcast: () => undefined, onBroadcast: () => () => undefined }));
  const codeAt = async (node: Auth, text: string): Promise<string> => {
    const found = await node.caller(request(`Bearer ${text}`));
    return 'is' in found ? found.code : 'ok';
  };

  test('is refused at the other as soon as it is notified', async () => {
    const [here, there] = hearing();
    const text = client.issue('sk_test_');
    expect([await codeAt(here, text), await codeAt(there, text)]).toEqual(['ok', 'ok']);
    client.change(text, { revokedAt: clock });
    here.forget();
    await Promise.resolve();
    expect(await codeAt(here, text)).toBe('api_key_revoked');
    expect(await codeAt(there, text)).toBe('api_key_revoked');
  });

  test('is refused at the other within five seconds without a notice, whether in constant use or not', async () => {
    const [here, there] = deaf();
    const [used, unused] = [client.issue('sk_test_'), client.issue('sk_test_')];
    for (const text of [used, unused]) expect(await codeAt(there, text)).toBe('ok');
    for (const text of [used, unused]) client.change(text, { revokedAt: clock });
    here.forget();
    for (let ms = 0; ms < seconds(5); ms += 100) {
      clock += 100;
      await codeAt(there, used);
    }
    expect(await codeAt(there, used)).toBe('api_key_revoked');
    expect(await codeAt(there, unused)).toBe('api_key_revoked');
  });

  test('is like the suspension of a merchant, which is notified, too', async () => {
    const [here, there] = hearing();
    const text = client.issue('sk_test_');
    expect(await codeAt(there, text)).toBe('ok');
    client.suspended = { at: 0, reason: 'x' };
    here.forget();
    await Promise.resolve();
    expect(await codeAt(there, text)).toBe('account_suspended');
  });
});

describe('the cache of a key', () => {
  test('saves look-ups, and is answered without waiting', async () => {
    const text = client.issue('sk_test_');
    await caller(text);
    expect(auth.caller(request(`Bearer ${text}`))).not.toBeInstanceOf(Promise);
    for (let n = 0; n < 100; n++) await caller(text);
    expect(client.lookups).toBe(1);
  });

  test('is never older than five seconds, so revocation and suspension take effect', async () => {
    const text = client.issue('sk_test_');
    expect(await code(text)).toBe('ok');
    client.suspended = { at: 0, reason: 'x' };
    clock += seconds(5);
    expect(await code(text)).toBe('account_suspended');
    client.change(text, { revokedAt: clock });
    clock += seconds(5);
    expect(await code(text)).toBe('api_key_revoked');
  });

  test('is renewed in the background for a busy key', async () => {
    const text = client.issue('sk_test_');
    await caller(text);
    clock += seconds(3);
    expect(await code(text)).toBe('ok');
    client.change(text, { revokedAt: clock });
    await new Promise((resolve) => setImmediate(resolve));
    expect(client.lookups).toBe(2);
    clock += seconds(3);
    expect(auth.caller(request(`Bearer ${text}`))).not.toBeInstanceOf(Promise);
  });

  test('is cleared on request, also reads in progress', async () => {
    const text = client.issue('sk_test_');
    let open: () => void = () => undefined;
    client.gate = new Promise((resolve) => void (open = resolve));
    const early = caller(text);
    client.change(text, { revokedAt: clock });
    auth.forget();
    client.gate = null;
    open();
    await early;
    expect(await code(text)).toBe('api_key_revoked');
  });

  test('stays when a merchant changes something of another project', async () => {
    const text = client.issue('sk_test_');
    await caller(text);
    const heard: unknown[] = [];
    auth.onForget((projectId) => heard.push(projectId));
    auth.forget('prj_000000000000000000000000');
    expect(auth.caller(request(`Bearer ${text}`))).not.toBeInstanceOf(Promise);
    auth.forget('prj_pjc0e83mhrawse3s6h8bhrbw');
    expect(auth.caller(request(`Bearer ${text}`))).toBeInstanceOf(Promise);
    expect(heard).toEqual(['prj_000000000000000000000000', 'prj_pjc0e83mhrawse3s6h8bhrbw']);
  });

  test("of a project is cleared on other nodes, too, and no other project's", async () => {
    const hub = createLocalBus();
    const nodes = [hub.connect('node'), hub.connect('node')].map((others) =>
      createAuth({ client, adminToken: token, now: () => clock, others }),
    );
    const [here, there] = nodes;
    const text = client.issue('sk_test_');
    const isKept = (): boolean => !(there?.caller(request(`Bearer ${text}`)) instanceof Promise);
    await there?.caller(request(`Bearer ${text}`));
    here?.forget('prj_000000000000000000000000');
    await Promise.resolve();
    expect(isKept()).toBe(true);
    here?.forget('prj_pjc0e83mhrawse3s6h8bhrbw');
    await Promise.resolve();
    expect(isKept()).toBe(false);
  });

  test('is read once for concurrent callers', async () => {
    const text = client.issue('sk_test_');
    const found = await Promise.all(Array.from({ length: 50 }, () => code(text)));
    expect(new Set(found)).toEqual(new Set(['ok']));
    expect(client.lookups).toBe(1);
  });

  test('of an unknown key lasts one second', async () => {
    const text = `sk_test_${'0'.repeat(32)}`;
    expect(await code(text)).toBe('api_key_invalid');
    expect(await code(text)).toBe('api_key_invalid');
    expect(client.lookups).toBe(1);
    expect(client.issue('sk_test_')).toBe(text);
    clock += seconds(2);
    expect(await code(text)).toBe('ok');
  });
});

test('the use of a key is recorded once a minute', async () => {
  const text = client.issue('sk_test_');
  for (let n = 0; n < 10; n++) await caller(text);
  expect(client.asked.map(({ command }) => command)).toEqual(['keyUsed']);
  clock += minutes(1);
  await caller(text);
  expect(client.asked).toHaveLength(2);
});

test('a store that does not answer is distinguished from an unknown key', async () => {
  const text = client.issue('sk_test_');
  client.silent = true;
  await expect(caller(text)).rejects.toThrow(StoreUnresponsive);
  client.silent = false;
  expect(await code(text)).toBe('ok');
});

describe('the operator', () => {
  test('has one token, and no API key works for operator routes', () => {
    expect(auth.operator(request(`Bearer ${token}`))).toBeNull();
    for (const header of [
      '',
      'Bearer',
      `Bearer ${token}x`,
      `Bearer ${token.slice(1)}`,
      `Bearer ${client.issue('sk_test_')}`,
      token,
    ]) {
      expect(auth.operator(request(header)), header).toMatchObject({ code: 'admin_token_invalid' });
    }
  });
});

describe('the gate', () => {
  const admit = async (gate: Gate, text: string, rule: GateRule, ip?: string): Promise<number> => {
    const found = await gate.admit(request(`Bearer ${text}`, ip), rule);
    return isAdmitted(found) ? 200 : found.status;
  };
  const gateOf = (on: boolean): Gate => new Gate(auth, createLimits({ on, now: () => clock, sharing: null }));
  const says = async (text: string, rule: GateRule): Promise<unknown> => {
    const found = await gateOf(false).admit(request(`Bearer ${text}`), rule);
    return isAdmitted(found)
      ? 'ok'
      : (JSON.parse(String(found.body)) as { error: { code: string } }).error.code;
  };

  test('allows what a key may do, and names the first violation', async () => {
    const [full, read, publishable, live] = [
      client.issue('sk_test_'),
      client.issue('sk_test_', { access: 'read' }),
      client.issue('pk_sandbox_'),
      client.issue('sk_live_'),
    ];
    const get = { key: 'secret', method: 'GET' } as const;
    const post = { key: 'secret', method: 'POST' } as const;
    const sandbox = { key: 'sandbox', method: 'POST' } as const;
    expect([await says(full, get), await says(full, post), await says(full, sandbox)]).toEqual([
      'ok',
      'ok',
      'ok',
    ]);
    expect([await says(read, get), await says(read, post)]).toEqual(['ok', 'key_access_insufficient']);
    expect([
      await says(publishable, { key: 'any', method: 'GET' }),
      await says(publishable, get),
      await says(publishable, sandbox),
    ]).toEqual(['ok', 'api_key_must_be_secret', 'api_key_must_be_secret']);
    expect([await says(live, get), await says(live, sandbox)]).toEqual(['ok', 'sandbox_only']);
    expect(await says(client.issue('pk_live_', { access: 'read' }), sandbox)).toBe('api_key_must_be_secret');
  });

  test('counts creations separately from other calls', async () => {
    const gate = gateOf(true);
    const text = client.issue('sk_test_');
    const create = { key: 'secret', method: 'POST', creates: true } as const;
    const statuses: number[] = [];
    for (let n = 0; n < 21; n++) statuses.push(await admit(gate, text, create));
    expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(statuses[20]).toBe(429);
    expect(await admit(gate, text, { key: 'secret', method: 'POST' })).toBe(200);
  });

  test('limits an address with many failures, and no other', async () => {
    const gate = gateOf(true);
    const good = client.issue('sk_test_');
    const rule = { key: 'secret', method: 'GET' } as const;
    const statuses: number[] = [];
    for (let n = 0; n < 61; n++)
      statuses.push(await admit(gate, `sk_test_${String(n).padStart(32, 'x')}`, rule));
    expect(statuses.filter((status) => status === 401)).toHaveLength(60);
    expect(statuses[60]).toBe(429);
    expect(await admit(gate, 'nonsense', rule, '203.0.113.8')).toBe(401);
    expect(await admit(gate, good, rule)).toBe(200);
  });
});
