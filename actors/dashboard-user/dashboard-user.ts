/** A user of the dashboard: one e-mail with the passwords set for it and the sessions opened with them.
 *  U1. A password opens only the merchants it was set for, whoever else uses the same e-mail.
 *  U2. A session lives no longer than the password it was opened with.
 *  U3. Only hashes of passwords and session tokens are stored here. */
import { actor, type Turn, type Verdict } from '../../src/runtime/model/actor.ts';
import { equalInConstantTime } from '../../src/kernel/hash.ts';
import {
  sessionLives,
  sessionSeenEveryMs,
  type DashboardSession,
  type DashboardUserCommands,
  type DashboardUserState,
  type DashboardUserTypes,
} from './messages.ts';
import type { Kind } from '../kind.ts';

type X = Turn<DashboardUserTypes>;
type State = DashboardUserState;

/** The maximum number of merchants per e-mail. */
export const passwordsMax = 500;
/** The maximum number of open sessions per e-mail; above it the oldest session ends. */
export const sessionsMax = 20;

export const dashboardUser = actor<DashboardUserTypes>('dashboard_user', 'usr', {
  schema: 1,
  on: {
    open: {
      by: ['operator', 'system'],
      creates: ({ name }, x) => x.become('active', { name, passwords: [], sessions: [] }),
      _any: (_s, _c, x) => x.ok(),
    },
    setPassword: { by: ['operator', 'system'], _any: setPassword },
    signIn: { by: 'system', _any: signIn },
    signOut: {
      by: 'system',
      _any: (s, { tokenHash }, x) => keepSessions(s, x, (one) => one.tokenHash !== tokenHash),
    },
    seen: { by: 'system', _any: seen },
  },
  effects: {},
  timers: {},
  view: ({ name, passwords, sessions }, { id }) => ({
    id,
    name,
    merchants: passwords.map(({ merchantId }) => merchantId),
    sessions: sessions.length,
  }),
});

export const dashboardUserKind = {
  actor: dashboardUser,
  refusals: {
    login_invalid: {
      status: 401,
      type: 'authentication_error',
      message: 'The e-mail or the password is wrong.',
    },
    login_limit_reached: {
      status: 422,
      type: 'invalid_request_error',
      message: 'This e-mail has reached the limit of merchants per login. Use another e-mail.',
      param: 'email',
    },
  },
} as const satisfies Kind;

function setPassword(s: State, { merchantId, hash }: DashboardUserCommands['setPassword'], x: X): Verdict {
  const before = s.passwords.find((one) => one.merchantId === merchantId);
  if (before?.hash === hash) return x.ok();
  if (before === undefined && s.passwords.length >= passwordsMax) return x.refuse('login_limit_reached');
  const others = s.passwords.filter((one) => one !== before);
  return x.become('active', {
    ...s,
    passwords: [...others, { merchantId, hash }],
    sessions:
      before === undefined ? s.sessions : s.sessions.filter((one) => !one.hashes.includes(before.hash)),
  });
}

function signIn(
  s: State,
  { hashes: typed, ends, ...opened }: DashboardUserCommands['signIn'],
  x: X,
): Verdict {
  const kept = s.passwords.map(({ hash }) => hash);
  const hashes = typed.filter((hash) => kept.some((one) => equalInConstantTime(one, hash)));
  if (hashes.length === 0) return x.refuse('login_invalid');
  const others = s.sessions.filter((one) => one.tokenHash !== ends && sessionLives(one, x.now));
  const { sessionId: id, tokenHash } = opened;
  const session: DashboardSession = { id, tokenHash, hashes, openedAt: x.now, seenAt: x.now };
  return x.become('active', { ...s, sessions: [...others, session].slice(-sessionsMax) });
}

function seen(s: State, { tokenHash }: DashboardUserCommands['seen'], x: X): Verdict {
  const session = s.sessions.find((one) => one.tokenHash === tokenHash);
  if (session === undefined || !sessionLives(session, x.now)) return x.refuse('not_found');
  if (x.now - session.seenAt < sessionSeenEveryMs) return x.ok();
  const sessions = s.sessions.map((one) => (one === session ? { ...one, seenAt: x.now } : one));
  return x.become('active', { ...s, sessions });
}

function keepSessions(s: State, x: X, stays: (one: DashboardSession) => boolean): Verdict {
  const sessions = s.sessions.filter(stays);
  return sessions.length === s.sessions.length ? x.ok() : x.become('active', { ...s, sessions });
}
