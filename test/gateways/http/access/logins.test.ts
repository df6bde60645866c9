/** Sessions as a node caches them, on the test's own time, over a store with one user and one merchant. */
import { beforeEach, describe, expect, test } from 'vitest';
import {
  dashboardUserIdOf,
  operatorName,
  sessionIdleMsMax,
  sessionLifeMs,
  sessionSeenEveryMs,
  type DashboardUserState,
} from '../../../../actors/dashboard-user/messages.ts';
import { createLogins, tokenHashOf, type Logins } from '../../../../gateways/http/access/logins.ts';
import { cookieText } from '../../../../gateways/http/access/session-cookie.ts';
import { rememberedMsMax } from '../../../../gateways/http/access/ttl-cache.ts';
import { minutes, seconds } from '../../../../src/kernel/time.ts';
import type { AskResult } from '../../../../src/runtime/model/envelope.ts';
import type { Snapshot } from '../../../../src/runtime/model/client.ts';
import { FakeClient } from '../../../support/fake-client.ts';

const projectId = 'prj_pjc0e83mhrawse3s6h8bhrbw';
const merchantId = 'mer_4t8z1m6q3x9k2v7b4t8z1m6q';
const token = 'T'.repeat(43);

/** Beside the project and the merchant of the fake: one user. */
class Store extends FakeClient {
  user: DashboardUserState | null = null;
  reads = 0;

  override async read<State>(to: {
    readonly kind: string;
    readonly id: string;
  }): Promise<Snapshot<State> | null> {
    if (to.kind !== 'dashboard_user') return super.read<State>(to);
    this.reads++;
    if (this.user === null || to.id !== dashboardUserIdOf(this.user.name)) return null;
    const meta = { id: to.id, scope: 'system', createdAt: 0 } as const;
    return { state: this.user as State, meta, view: {}, v: 1 };
  }

  override async ask(to: unknown, command: string, data: unknown): Promise<AskResult<never, never>> {
    if (command === 'seen' && this.user !== null) {
      const sessions = this.user.sessions.map((one) => ({ ...one, seenAt: now }));
      this.user = { ...this.user, sessions };
    }
    return super.ask(to, command, data);
  }
}

let store: Store;
let now: number;
let logins: Logins;
let cookie: string;

function userNamed(name: string, hash: string, of: string | null): void {
  store.user = {
    status: 'active',
    name,
    passwords: [{ merchantId: of, hash }],
    sessions: [{ id: 'ses_1', tokenHash: tokenHashOf(token), hashes: [hash], openedAt: now, seenAt: now }],
  };
  cookie = cookieText({ userId: dashboardUserIdOf(name), token });
}

const changed = (part: Partial<DashboardUserState>): void => {
  if (store.user !== null) store.user = { ...store.user, ...part };
};

/** Says when merchants were changed. */
let merchantsChanged: () => void;
const auth = { onForget: (hear: () => void) => void (merchantsChanged = hear) };

beforeEach(() => {
  store = new Store();
  now = 1_000_000_000;
  logins = createLogins({ client: store, auth, now: () => now, operatorHash: 'token:today', others: null });
  userNamed('asha@example.com', 'scrypt:asha', merchantId);
});

describe('a cookie', () => {
  test('identifies the session it belongs to', async () => {
    expect(await logins.loginOf(cookie)).toEqual({
      userId: dashboardUserIdOf('asha@example.com'),
      sessionId: 'ses_1',
      email: 'asha@example.com',
      role: 'merchant',
      merchantId,
      merchantIds: [merchantId],
    });
  });

  test('is looked up once for many requests', async () => {
    for (let at = 0; at < 20; at++) await logins.loginOf(cookie);
    expect(store.reads).toBe(1);
  });

  test('with another token, or in a wrong form, has no login', async () => {
    expect(await logins.loginOf(cookie.replace(/T{43}/, 'U'.repeat(43)))).toBeNull();
    const { reads } = store;
    expect(await logins.loginOf('')).toBeNull();
    expect(await logins.loginOf('__Host-galla=x')).toBeNull();
    expect(store.reads).toBe(reads);
  });

  test('whose session has ended on another node is refused four seconds later, at once if notified', async () => {
    await logins.loginOf(cookie);
    changed({ sessions: [] });
    now += rememberedMsMax + 1;
    expect(await logins.loginOf(cookie)).toBeNull();
    userNamed('asha@example.com', 'scrypt:asha', merchantId);
    now += seconds(2);
    expect(await logins.loginOf(cookie)).not.toBeNull();
    changed({ sessions: [] });
    logins.forget({ userId: dashboardUserIdOf('asha@example.com'), token });
    expect(await logins.loginOf(cookie)).toBeNull();
  });

  test('is refused once its password has changed', async () => {
    changed({ passwords: [{ merchantId, hash: 'scrypt:another' }] });
    expect(await logins.loginOf(cookie)).toBeNull();
  });
});

describe('a session', () => {
  test('that is not used ends, also while it is cached', async () => {
    now += sessionIdleMsMax - 1;
    expect(await logins.loginOf(cookie)).not.toBeNull();
    now += 1;
    expect(await logins.loginOf(cookie)).toBeNull();
  });

  test('that is only checked is not in use: it ends', async () => {
    const start = now;
    for (; now < start + sessionIdleMsMax; now += seconds(30))
      expect(await logins.peek(cookie)).toMatchObject({ sessionId: 'ses_1' });
    expect(await logins.peek(cookie)).toBeNull();
    expect(store.asked).toEqual([]);
  });

  test('that is in use stays open, also where it is only checked', async () => {
    const start = now;
    for (; now < start + sessionIdleMsMax * 2; now += minutes(1)) {
      await logins.loginOf(cookie);
      expect(await logins.peek(cookie)).not.toBeNull();
    }
  });

  test('ends after its time, used or not', async () => {
    const [session] = store.user?.sessions ?? [];
    if (session === undefined) throw new Error('there is one');
    changed({ sessions: [{ ...session, seenAt: now + sessionLifeMs }] });
    now += sessionLifeMs - 1;
    expect(await logins.loginOf(cookie)).not.toBeNull();
    now += 1;
    expect(await logins.loginOf(cookie)).toBeNull();
  });

  test('in use is recorded once in five minutes, however often it is used', async () => {
    for (let at = 0; at < 60; at++) {
      now += minutes(1) / 6;
      await logins.loginOf(cookie);
    }
    const told = store.asked.filter(({ command }) => command === 'seen');
    expect(told.length).toBeGreaterThanOrEqual(1);
    expect(told.length).toBeLessThanOrEqual(Math.ceil(minutes(10) / sessionSeenEveryMs));
    expect(told[0]?.data).toEqual({ tokenHash: tokenHashOf(token) });
  });
});

describe('a project', () => {
  test('is opened only by a login for its merchant', async () => {
    const login = await logins.loginOf(cookie);
    if (login === null) throw new Error('logged in');
    expect(await logins.mayOpen(login, projectId)).toBe(true);
    expect(await logins.mayOpen({ ...login, merchantIds: ['mer_5t8z1m6q3x9k2v7b4t8z1m6q'] }, projectId)).toBe(
      false,
    );
    for (const id of ['prj_', '', merchantId, 'prj_../x', '__proto__'])
      expect(await logins.mayOpen(login, id)).toBe(false);
  });

  test('of a suspended merchant is still opened, and shows the suspension within four seconds, at once if notified', async () => {
    const login = await logins.loginOf(cookie);
    if (login === null) throw new Error('logged in');
    expect((await logins.projectFor(login, projectId))?.suspension).toBeNull();
    store.suspended = { at: 0, reason: 'Review.' };
    now += rememberedMsMax + 1;
    expect((await logins.projectFor(login, projectId))?.suspension).toMatchObject({
      code: 'account_suspended',
    });
    store.suspended = null;
    merchantsChanged();
    expect((await logins.projectFor(login, projectId))?.suspension).toBeNull();
  });
});

describe('the operator', () => {
  test('may open every project, and belongs to no merchant', async () => {
    userNamed(operatorName, 'token:today', null);
    const login = await logins.loginOf(cookie);
    expect(login).toMatchObject({ role: 'operator', merchantId: null, merchantIds: [] });
    expect(login !== null && (await logins.mayOpen(login, projectId))).toBe(true);
  });

  test('who logged in with an earlier token is logged out', async () => {
    userNamed(operatorName, 'token:yesterday', null);
    expect(await logins.loginOf(cookie)).toBeNull();
  });
});
