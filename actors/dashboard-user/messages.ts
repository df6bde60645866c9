/** The commands of a dashboard user: passwords set for an e-mail, sessions opened with them. Always
 *  `system` scope, so always on real time. */
import { address, type Address } from '../../src/runtime/model/actor.ts';
import { sha256Base32 } from '../../src/kernel/hash.ts';
import { hours, minutes, type DurationMs, type Instant } from '../../src/kernel/time.ts';

export const dashboardUserAt = (id: string): Address<DashboardUserCommands> => address('dashboard_user', id);

/** Normalises an e-mail: different spellings give the same one. */
export const loginNameOf = (email: string): string => email.trim().toLowerCase();

/** One e-mail has one user actor. `name` comes from `loginNameOf`. */
export const dashboardUserIdOf = (name: string): string =>
  `usr_${sha256Base32(['dashboard_user', name], 24)}`;

/** The name the operator logs in with, using the operator token as password. It is not an e-mail address,
 *  so it cannot collide with a user. */
export const operatorName = 'operator';

/** A session ends after this long without use ... */
export const sessionIdleMsMax: DurationMs = hours(2);
/** ... and this long after it was opened, used or not. */
export const sessionLifeMs: DurationMs = hours(12);
/** The precision of `seenAt`: a session in use must not cost a commit per request. */
export const sessionSeenEveryMs: DurationMs = minutes(5);

export interface DashboardUserCommands {
  open: { readonly name: string };
  /** Sets or replaces the password that opens this merchant; null: that of the operator. Replacing it ends
   *  the sessions opened with the previous one. Refuses `login_limit_reached`. */
  setPassword: { readonly merchantId: string | null; readonly hash: string };
  /** Opens a session and replaces the session `ends`. Refuses `login_invalid` when no password has one of
   *  these hashes. */
  signIn: {
    readonly sessionId: string;
    /** SHA-256 of the session's token, hex; only the browser has the token itself. */
    readonly tokenHash: string;
    /** Hashes of the typed password, one per storage format. */
    readonly hashes: readonly string[];
    /** Token hash of the session this browser had before. */
    readonly ends: string | null;
  };
  signOut: { readonly tokenHash: string };
  /** The session is in use; recorded at most every `sessionSeenEveryMs`. */
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
  /** The passwords it was opened with; a session ends with any of them. */
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
