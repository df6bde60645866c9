/** Socket authentication on the real logins: what it reads of a session, and that it does not extend it. */
import { beforeEach, expect, test } from 'vitest';
import {
  dashboardUserIdOf,
  sessionIdleMsMax,
  type DashboardUserState,
} from '../../../actors/dashboard-user/messages.ts';
import { createLogins, tokenHashOf } from '../../../gateways/http/access/logins.ts';
import { cookieText } from '../../../gateways/http/access/session-cookie.ts';
import { loginsAskedEveryMs } from '../../../gateways/socketio/merchants.ts';
import { identityOf, whyNot, type SocketAuthParts } from '../../../gateways/socketio/socket-auth.ts';
import type { Snapshot } from '../../../src/runtime/model/client.ts';
import { FakeClient } from '../../support/fake-client.ts';

const name = 'asha@example.com';
const token = 'T'.repeat(43);
const cookie = cookieText({ userId: dashboardUserIdOf(name), token });
const auth = { projectId: 'prj_pjc0e83mhrawse3s6h8bhrbw', mode: 'sandbox' };
const opened = 1_000_000_000;

/** Beside the project and the merchant of the fake: one user with one session, last used when it was opened. */
class Store extends FakeClient {
  override async read<State>(to: {
    readonly kind: string;
    readonly id: string;
  }): Promise<Snapshot<State> | null> {
    if (to.kind !== 'dashboard_user') return super.read<State>(to);
    const hash = 'scrypt:asha';
    const user: DashboardUserState = {
      status: 'active',
      name,
      passwords: [{ merchantId: 'mer_4t8z1m6q3x9k2v7b4t8z1m6q', hash }],
      sessions: [
        { id: 'ses_1', tokenHash: tokenHashOf(token), hashes: [hash], openedAt: opened, seenAt: opened },
      ],
    };
    return { state: user as State, meta: { id: to.id, scope: 'system', createdAt: 0 }, view: {}, v: 1 };
  }
}

let now: number;
let store: Store;
let parts: SocketAuthParts;

beforeEach(() => {
  now = opened;
  store = new Store();
  const logins = createLogins({
    others: null,
    client: store,
    auth: { onForget: () => undefined },
    now: () => now,
    operatorHash: 'token:today',
  });
  parts = { client: store, logins, baseUrl: 'https://pay.example/', now: () => now };
});

test('an open page does not extend a login: its sockets end with the unused session', async () => {
  const identity = await identityOf(parts, { auth, headers: { cookie, origin: 'https://pay.example' } });
  if (typeof identity === 'string') throw new Error(identity);
  const answers = [];
  for (; now < opened + sessionIdleMsMax; now += loginsAskedEveryMs)
    answers.push(await whyNot(parts, identity));
  expect(answers.every((why) => why === null)).toBe(true);
  expect(await whyNot(parts, identity)).toBe('login_required');
  expect(store.asked).toEqual([]);
});

test.each([
  ['our public address', 'https://pay.example', '10.1.2.3:8080', true],
  ['this machine', 'http://localhost:8080', 'localhost:8080', true],
  ['a name that was rebound to us', 'http://evil.example:8080', 'evil.example:8080', false],
  ['another port of that host', 'http://localhost:3000', 'localhost:8080', false],
  ['a site whose name begins like ours', 'https://pay.example.evil.example', 'pay.example', false],
  ['no page', '', '', false],
  ['a page without a name', 'null', 'null', false],
])('a cookie from %s is handled accordingly', async (_from, origin, host, taken) => {
  const identity = await identityOf(parts, { auth, headers: { cookie, origin, host } });
  expect(identity === 'login_required').toBe(!taken);
  expect(typeof identity === 'object').toBe(taken);
});
