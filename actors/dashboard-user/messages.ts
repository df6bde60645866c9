/** What a user of the dashboard understands: passwords set for an e-mail, sessions opened with them. Always `system`
 *  scope, so always on real time. */
import { address, type Address } from '../../src/runtime/model/actor.ts';
import { sha256Base32 } from '../../src/kernel/hash.ts';
import { hours, minutes, type DurationMs, type Instant } from '../../src/kernel/time.ts';

export const dashboardUserAt = (id: string): Address<DashboardUserCommands> => address('dashboard_user', id);

/** As people type an e-mail, it is one and the same. */
export const loginNameOf = (email: string): string => email.trim().toLowerCase();

/** One e-mail has one user, whoever makes it. `name` comes from `loginNameOf`. */
export const dashboardUserIdOf = (name: string): string =>
  `usr_${sha256Base32(['dashboard_user', name], 24)}`;

/** The name the operator logs in by, with the operator's token as password. No e-mail address, so nobody else's. */
export const operatorName = 'operator';

/** A session ends when nobody has used it for this long ... */
export const sessionIdleMsMax: DurationMs = hours(2);
/** ... and this long after it was opened, used or not. */
export const sessionLifeMs: DurationMs = hours(12);
/** `seenAt` is this exact; a session in use must not cost a commit per request. */
export const sessionSeenEveryMs: DurationMs = minutes(5);

export interface DashboardUserCommands {
  open: { readonly name: string };
  /** Sets or replaces the password that opens this merchant; null: that of the operator. Replacing ends the sessions
   *  opened with the one before. Refuses `login_limit_reached`. */
  setPassword: { readonly merchantId: string | null; readonly hash: string };
  /** Opens a session, in the place of `ends`. Refuses `login_invalid` when no password has one of these
   *  hashes. */
  signIn: {
    readonly sessionId: string;
    /** SHA-256 of the session's token, hex; the token itself is the browser's alone. */
    readonly tokenHash: string;
    /** Of what was typed, in each way a password is kept. */
    readonly hashes: readonly string[];
    /** Token hash of the session this browser had before. */
    readonly ends: string | null;
  };
  signOut: { readonly tokenHash: string };
  /** The session is in use; noted at most every `sessionSeenEveryMs`. */
  seen: { readonly tokenHash: string };
}

/** What one password opens. */
export interface DashboardPassword {
  /** null: every merchant, for the operator. */
  readonly merchantId: string | null;
  readonly hash: string;
}

export interface DashboardSession {
  readonly id: string;
  readonly tokenHash: string;
  /** Of the passwords it was opened with; a session outlives none of them. */
  readonly hashes: readonly string[];
  readonly openedAt: Instant;
  readonly seenAt: Instant;
}

export interface DashboardUserState {
  readonly status: 'active';
  readonly name: string;
  readonly passwords: readonly DashboardPassword[];
  /** The oldest first. */
  readonly sessions: readonly DashboardSession[];
}

/** Whether a session is still open at this instant of real time. */
export const sessionLives = ({ openedAt, seenAt }: DashboardSession, now: Instant): boolean =>
  now - seenAt < sessionIdleMsMax && now - openedAt < sessionLifeMs;

export interface DashboardUserTypes {
  state: DashboardUserState;
  terminal: never;
  commands: DashboardUserCommands;
  effects: Record<never, never>;
}
