/** The login routes alone: the work per request, counted instead of timed. */
import { beforeEach, describe, expect, test } from 'vitest';
import {
  dashboardUserIdOf,
  operatorName,
  type DashboardUserState,
} from '../../../../actors/dashboard-user/messages.ts';
import { sessionRoutes } from '../../../../gateways/dashboard/server/session-routes.ts';
import { DashboardGate } from '../../../../gateways/dashboard/server/gate.ts';
import { createLogins } from '../../../../gateways/http/access/logins.ts';
import {
  createThrottle,
  triesPerNetwork,
  triesPerPair,
} from '../../../../gateways/dashboard/server/throttle.ts';
import { createCsrf } from '../../../../gateways/http/access/csrf.ts';
import type { DoorReply, DoorRequest } from '../../../../gateways/server/door.ts';
import { createLimits } from '../../../../gateways/http/access/rate-limit.ts';
import type { AskResult } from '../../../../src/runtime/model/envelope.ts';
import type { Snapshot } from '../../../../src/runtime/model/client.ts';
import { FakeClient } from '../../../support/fake-client.ts';

const baseUrl = 'https://pay.example';
const name = 'asha@example.com';
const operatorHash = 'drawn:operator:the token';

/** One user, and a count of what was asked of the store. */
class Store extends FakeClient {
  user: DashboardUserState = {
    status: 'active',
    name,
    passwords: [{ merchantId: 'mer_4t8z1m6q3x9k2v7b4t8z1m6q', hash: `chosen:${name}:right` }],
    sessions: [],
  };
  readonly reads: string[] = [];

  override async read<State>(to: {
    readonly kind: string;
    readonly id: string;
  }): Promise<Snapshot<State> | null> {
    if (to.kind !== 'dashboard_user') return super.read<State>(to);
    this.reads.push(to.id);
    if (to.id !== dashboardUserIdOf(this.user.name)) return null;
    const meta = { id: to.id, scope: 'system', createdAt: 0 } as const;
    return { state: this.user as State, meta, view: {}, v: 1 };
  }

  override async ask(to: unknown, command: string, data: unknown): Promise<AskResult<never, never>> {
    await super.ask(to, command, data);
    if (command === 'setPassword') {
      const { merchantId, hash } = data as { merchantId: string | null; hash: string };
      this.user = { ...this.user, passwords: [{ merchantId, hash }] };
    }
    if (command !== 'signIn') return { is: 'ok', v: 1, detail: {} as never };
    const {
      sessionId: id,
      tokenHash,
      hashes,
    } = data as { sessionId: string; tokenHash: string; hashes: string[] };
    this.user = { ...this.user, sessions: [{ id, tokenHash, hashes, openedAt: 0, seenAt: 0 }] };
    return { is: 'ok', v: 1, detail: {} as never };
  }
}

let store: Store;
let hashed: string[];
/** Set: no password is hashed. */
let full: boolean;
let logIn: (typed: object, headers?: { readonly [name: string]: string }) => Promise<DoorReply>;

beforeEach(() => {
  store = new Store();
  hashed = [];
  full = false;
  const now = (): number => 0;
  const logins = createLogins({
    client: store,
    auth: { onForget: () => undefined },
    now,
    operatorHash,
    others: null,
  });
  const csrf = createCsrf({ baseUrl, secretsKey: Buffer.alloc(32, 1) });
  const gate = new DashboardGate(logins, csrf, createLimits({ on: true, now, sharing: null }));
  const loginPasswords = {
    chosen: async (of: string, password: string) => {
      if (full) return null;
      hashed.push(of);
      return `chosen:${of}:${password}`;
    },
    drawn: (of: string, password: string) => `drawn:${of}:${password}`,
  };
  const throttle = createThrottle({ now, sharing: null });
  const parts = { client: store, gate, logins, csrf, throttle, loginPasswords, operatorHash };
  const door = sessionRoutes(parts).find(({ path }) => path === '/dashboard/login');
  logIn = async (typed, headers = {}) => {
    const sent: { readonly [name: string]: string } = {
      origin: baseUrl,
      'content-type': 'application/json',
      ...headers,
    };
    const request: DoorRequest = {
      requestId: 'req_1',
      method: 'POST',
      path: '/dashboard/login',
      params: {},
      rawQuery: '',
      header: (of) => sent[of] ?? '',
      body: Buffer.from(JSON.stringify(typed)),
      ip: '10.0.0.1',
    };
    return door?.handle(request) ?? Promise.reject(new Error('there is a door'));
  };
});

const codeOf = ({ body }: DoorReply): unknown =>
  (JSON.parse(String(body)) as { error?: { code?: unknown } }).error?.code;

describe('a login that fails', () => {
  test.each([
    ['a wrong password', { email: name, password: 'wrong' }],
    ['an e-mail nobody has', { email: 'nobody@example.com', password: 'right' }],
    ['the operator with another token', { email: operatorName, password: 'guess' }],
  ])('costs the same for %s: one password hashed, one read, nothing written', async (_who, typed) => {
    const answer = await logIn(typed);
    expect([answer.status, codeOf(answer)]).toEqual([401, 'login_invalid']);
    expect(answer.headers).not.toHaveProperty('Set-Cookie');
    expect([hashed.length, store.reads.length, store.asked.length]).toEqual([1, 1, 0]);
  });

  test('is counted before the hashing: concurrent tries get no more than sequential ones', async () => {
    const answers = await Promise.all(
      Array.from({ length: 25 }, (_, at) => logIn({ email: name, password: `guess ${at}` })),
    );
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(triesPerPair);
    expect(hashed).toHaveLength(triesPerPair);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.headers).toHaveProperty('Retry-After');
  });
});

describe('the operator whose token was changed', () => {
  beforeEach(() => {
    const kept = `drawn:${operatorName}:the token of yesterday`;
    store.user = { ...store.user, name: operatorName, passwords: [{ merchantId: null, hash: kept }] };
  });

  test('and who uses the previous token gets the usual refusal, after the same work, and it is counted', async () => {
    const typed = { email: operatorName, password: 'the token of yesterday' };
    const answer = await logIn(typed);
    expect([answer.status, codeOf(answer)]).toEqual([401, 'login_invalid']);
    expect(answer.headers).not.toHaveProperty('Set-Cookie');
    expect([hashed.length, store.reads.length, store.asked.length]).toEqual([1, 1, 0]);
    for (let at = 1; at < triesPerPair; at++) await logIn(typed);
    expect((await logIn(typed)).status).toBe(429);
  });

  test('is accepted with the current token', async () => {
    const answer = await logIn({ email: operatorName, password: 'the token' });
    expect(answer.status).toBe(200);
    expect(answer.headers).toHaveProperty('Set-Cookie');
    expect(store.user.passwords).toEqual([{ merchantId: null, hash: operatorHash }]);
  });

  test('is accepted while too many others wait: a generated token needs no slow hash', async () => {
    full = true;
    expect((await logIn({ email: operatorName, password: 'the token' })).status).toBe(200);
    expect((await logIn({ email: operatorName, password: 'guess' })).status).toBe(503);
  });
});

describe('a login that succeeds', () => {
  test('sets one cookie, whose token the store never receives', async () => {
    const answer = await logIn({ email: ' Asha@Example.com ', password: 'right' });
    expect(answer.status).toBe(200);
    const [, token = ''] =
      /^__Host-galla=usr_[0-9a-z]{24}\.([\w-]{43});/.exec(answer.headers?.['Set-Cookie'] ?? '') ?? [];
    expect(token).not.toBe('');
    expect(JSON.stringify(store.asked)).not.toContain(token);
    expect(JSON.stringify(store.asked)).not.toContain('"right"');
    expect(String(answer.body)).not.toContain(token);
  });

  test('does not count against the limit: own log-ins do not lock the owner out', async () => {
    for (let at = 0; at < triesPerPair * 3; at++)
      expect((await logIn({ email: name, password: 'right' })).status).toBe(200);
  });

  test('of the operator records which token was used', async () => {
    await logIn({ email: operatorName, password: 'the token' });
    expect(store.asked.map(({ command }) => command).slice(0, 2)).toEqual(['open', 'setPassword']);
    expect(store.asked[1]?.data).toEqual({ merchantId: null, hash: operatorHash });
  });
});

test('while too many wait, a login is told to retry', async () => {
  full = true;
  const answer = await logIn({ email: name, password: 'right' });
  expect([answer.status, codeOf(answer)]).toEqual([503, 'service_unavailable']);
  expect(answer.headers).toHaveProperty('Retry-After');
});

test('a login told to retry does not count as a try', async () => {
  full = true;
  for (let at = 0; at < triesPerNetwork * 2; at++)
    expect((await logIn({ email: name, password: 'right' })).status).toBe(503);
  full = false;
  const answers = await Promise.all(
    Array.from({ length: 25 }, (_, at) => logIn({ email: name, password: `guess ${at}` })),
  );
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(triesPerPair);
});

test.each([
  ['no origin', { origin: '' }, 403],
  ['another site', { origin: 'https://evil.example' }, 403],
  ['a site whose name begins like ours', { origin: `${baseUrl}.evil.example` }, 403],
  ['a frame of another site', { 'sec-fetch-site': 'cross-site' }, 403],
  ['our public address', { origin: baseUrl, host: '10.1.2.3:8080' }, 200],
  ['this machine', { origin: 'http://localhost:8080', host: 'localhost:8080' }, 200],
  ['this machine by its IPv6 address', { origin: 'http://[::1]:8080', host: '[::1]:8080' }, 200],
  ['a name that was rebound to us', { origin: 'http://evil.example', host: 'evil.example' }, 403],
  [
    'a name like this machine',
    { origin: 'http://127.0.0.1.evil.example', host: '127.0.0.1.evil.example' },
    403,
  ],
  ['an address of the network', { origin: 'http://10.1.2.3:8080', host: '10.1.2.3:8080' }, 403],
  ['a user at this machine', { origin: 'http://evil@localhost:8080', host: 'evil@localhost:8080' }, 403],
  ['another port of that host', { origin: 'http://localhost:3000', host: 'localhost:8080' }, 403],
])('a login from %s is answered accordingly', async (_from, headers, status) => {
  expect((await logIn({ email: name, password: 'right' }, headers)).status).toBe(status);
});

test("a login from another origin is told the dashboard's address", async () => {
  const elsewhere = { origin: 'http://10.1.2.3:8080', host: '10.1.2.3:8080' };
  const { error } = JSON.parse(String((await logIn({ email: name, password: 'right' }, elsewhere)).body)) as {
    error: { message: string };
  };
  expect(error.message).toBe(
    `The dashboard accepts changes only from its own pages. Open it at ${baseUrl}/dashboard, or set BASE_URL to where it is opened.`,
  );
});
