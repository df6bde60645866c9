/** Dashboard logins: maps a cookie to a user, and to what that user may open.
 *  Boundary: sessions and whether they are still valid; the doors and the sockets decide how to react.
 *  1. Answers are at most 4 s old: logging out, suspension and a new password take effect on every node within
 *     5 s, and at once on a node that is notified.
 *  2. Only the SHA-256 of a session's token is looked up or cached.
 *  3. A text that is not one of our cookies costs no look-up. */
import { hash } from 'node:crypto';
import {
  dashboardUserAt,
  operatorName,
  sessionLives,
  sessionSeenEveryMs,
  type DashboardSession,
  type DashboardUserState,
} from '../../../actors/dashboard-user/messages.ts';
import { merchantAt, type MerchantState } from '../../../actors/merchant/messages.ts';
import {
  inPageOrder,
  projectAt,
  type ProjectState,
  type ProviderSettings,
} from '../../../actors/project/messages.ts';
import type { Bus } from '../../../src/bus/bus.ts';
import { couldBeId } from '../../../src/kernel/id.ts';
import { iso, type Instant } from '../../../src/kernel/time.ts';
import { scopeOf, type Mode } from '../../../src/runtime/model/address.ts';
import type { Client } from '../../../src/runtime/model/client.ts';
import { refused, type Refused } from '../route/answer.ts';
import type { Auth, Caller } from './auth.ts';
import { TtlCache } from './ttl-cache.ts';
import { cookieIn, type SessionCookie } from './session-cookie.ts';

export interface Login {
  readonly userId: string;
  readonly sessionId: string;
  /** As typed when the user was created, in lower case; `operator` for the operator. */
  readonly email: string;
  readonly role: 'operator' | 'merchant';
  /** The merchant that the password opens, the first created of several; null for the operator. */
  readonly merchantId: string | null;
  /** All merchants that the password opens; none for the operator, who may open any. */
  readonly merchantIds: readonly string[];
}

/** A project as a login sees it, and the current rights of its merchant. */
export interface OpenProject {
  readonly projectId: string;
  readonly name: string;
  readonly merchantId: string;
  readonly merchantName: string;
  readonly plan: MerchantState['plan'];
  /** The refusal of everything but reading; null while the merchant is not suspended. */
  readonly suspension: Refused | null;
  readonly providers: readonly ProviderSettings[];
  readonly createPerSecond: number | null;
}

/** Used by sockets and doors. Every method rejects when the store does not answer. */
export interface Logins {
  /** The login of the request's cookie; null when there is none, or its session has ended. Counts as use of
   *  the session. */
  loginOf(cookieHeader: string): Promise<Login | null>;
  /** The same without counting as use: a session that is only checked this way expires as unused. */
  peek(cookieHeader: string): Promise<Login | null>;
  mayOpen(login: Login, projectId: string): Promise<boolean>;
  /** The project, if this login may open it. */
  projectFor(login: Login, projectId: string): Promise<OpenProject | null>;
  /** Removes one session from the caches of this and all other nodes: its end takes effect at once, at the
   *  latest after 4 s. */
  forget(cookie: SessionCookie): void;
  /** Calls `changed` whenever sessions may have ended, on any node. */
  onChange(changed: () => void): void;
}

type Asked = Pick<Client, 'read' | 'ask'>;

export interface LoginsOptions {
  readonly client: Asked;
  /** Real time. */
  readonly now: () => Instant;
  /** Hash of the current operator token: a new token ends the sessions opened with the old one. */
  readonly operatorHash: string;
  /** Notifies when merchants have changed, on any node. */
  readonly auth: Pick<Auth, 'onForget'>;
  /** Connection to the other nodes of a cluster; null: single node. */
  readonly others: Pick<Bus, 'broadcast' | 'onBroadcast'> | null;
}

/** Message between nodes when a session has ended. */
const sessionEnded = 'session_ended';

interface Known {
  readonly login: Login;
  readonly session: DashboardSession;
  /** When its use was last recorded. */
  reportedAt: Instant;
}

export const tokenHashOf = (token: string): string => hash('sha256', token, 'hex');
const keyOf = ({ userId, token }: SessionCookie): string => `${userId} ${tokenHashOf(token)}`;

export function createLogins(options: LoginsOptions): Logins {
  const { client, now, others } = options;
  const sessions = new TtlCache((key) => knownIn(options, key), now);
  const projects = new TtlCache((id) => projectIn(client, id), now);
  const listeners: (() => void)[] = [];
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  others?.onBroadcast(sessionEnded, (key) => {
    sessions.forget(key);
    changed();
  });
  options.auth.onForget((projectId) => {
    projects.forget(projectId);
    // a password may have changed, too
    if (projectId === undefined) sessions.forget();
    changed();
  });

  const projectFor: Logins['projectFor'] = async (login, projectId) => {
    if (!couldBeId('prj', projectId)) return null;
    const project = await projects.get(projectId);
    if (project === null) return null;
    return login.role === 'operator' || login.merchantIds.includes(project.merchantId) ? project : null;
  };

  const livingIn = async (cookieHeader: string): Promise<Known | null> => {
    const cookie = cookieIn(cookieHeader);
    if (cookie === null) return null;
    const known = await sessions.get(keyOf(cookie));
    return known !== null && sessionLives(known.session, now()) ? known : null;
  };

  return {
    async loginOf(cookieHeader) {
      const known = await livingIn(cookieHeader);
      if (known !== null) reportUse(client, known, now());
      return known?.login ?? null;
    },
    peek: async (cookieHeader) => (await livingIn(cookieHeader))?.login ?? null,
    projectFor,
    mayOpen: async (login, projectId) => (await projectFor(login, projectId)) !== null,
    forget(cookie) {
      sessions.forget(keyOf(cookie));
      others?.broadcast(sessionEnded, keyOf(cookie));
      changed();
    },
    onChange: (listener) => void listeners.push(listener),
  };
}

/** Recording the use of a session costs a commit, so it is done rarely and never awaited. */
function reportUse(client: Asked, known: Known, now: Instant): void {
  const { session, login } = known;
  if (now - Math.max(session.seenAt, known.reportedAt) < sessionSeenEveryMs) return;
  known.reportedAt = now;
  const { tokenHash } = session;
  void client.ask(dashboardUserAt(login.userId), 'seen', { tokenHash }, { by: 'system', scope: 'system' });
}

async function knownIn({ client, now, operatorHash }: LoginsOptions, key: string): Promise<Known | null> {
  const [userId = '', tokenHash = ''] = key.split(' ');
  const user = await client.read<DashboardUserState>(dashboardUserAt(userId), 'system');
  const session = user?.state.sessions.find((one) => one.tokenHash === tokenHash);
  if (user === null || session === undefined || !sessionLives(session, now())) return null;
  const { name, passwords } = user.state;
  const opened = passwords
    .filter(({ hash: kept }) => session.hashes.includes(kept))
    .map(({ merchantId }) => merchantId);
  const isOperator = name === operatorName;
  if (isOperator ? !session.hashes.includes(operatorHash) : opened.length === 0) return null;
  const merchantIds = opened.filter((id) => id !== null);
  const login: Login = {
    userId,
    sessionId: session.id,
    email: name,
    role: isOperator ? 'operator' : 'merchant',
    merchantId: merchantIds[0] ?? null,
    merchantIds,
  };
  return { login, session, reportedAt: 0 };
}

/** null: there is none. */
export async function projectIn(
  client: Pick<Client, 'read'>,
  projectId: string,
): Promise<OpenProject | null> {
  const project = await client.read<ProjectState>(projectAt(projectId), 'system');
  if (project === null) return null;
  const { merchantId, name, providers } = project.state;
  const merchant = await client.read<MerchantState>(merchantAt(merchantId), 'system');
  if (merchant === null) return null;
  const { name: merchantName, plan, createPerSecond } = merchant.state;
  return {
    projectId,
    name,
    merchantId,
    merchantName,
    plan,
    suspension: suspensionOf(merchant.state),
    providers,
    createPerSecond,
  };
}

/** Who takes the place of a secret key with full access; `keyId` names it. */
export const callerIn = (project: OpenProject, mode: Mode, keyId: string): Caller => ({
  projectId: project.projectId,
  mode,
  scope: scopeOf(project.projectId, mode),
  kind: 'secret',
  access: 'full',
  keyId,
  merchantId: project.merchantId,
  plan: project.plan,
  // none of its own: the newest, as our pages are
  apiVersion: '',
  providers: inPageOrder(project.providers, mode),
  createPerSecond: project.createPerSecond,
});

function suspensionOf(merchant: MerchantState): Refused | null {
  if (merchant.status !== 'suspended') return null;
  const { at, reason } = merchant.suspension;
  return refused('account_suspended', { suspension: { suspended_at: iso(at), reason } });
}
