/** The credential of a socket, and whether it is still valid.
 *  Boundary: tickets, keys and logins; merchants.ts decides what a socket receives.
 *  1. A ticket gives access to the project and mode of the key that bought it, once; a login to those the
 *     client names, if permitted, from one of our own pages only. The client names nothing else.
 *  2. When the store cannot answer, connected sockets stay connected.
 *  3. A socket does not count as use of its login: an open page keeps no user logged in. */
import { liveTicketAt } from '../../actors/live-ticket/messages.ts';
import { merchantAt, type MerchantState } from '../../actors/merchant/messages.ts';
import { projectAt, type ProjectState } from '../../actors/project/messages.ts';
import type { ErrorCode } from '../../src/errors.ts';
import { couldBeId } from '../../src/kernel/id.ts';
import type { Instant } from '../../src/kernel/time.ts';
import { projectOf, scopeOf, type Mode, type Scope } from '../../src/runtime/model/address.ts';
import type { Client } from '../../src/runtime/model/client.ts';
import type { Logins } from '../http/access/logins.ts';
import { isOurPage } from '../http/access/csrf.ts';

export interface SocketAuthParts {
  readonly client: Pick<Client, 'ask' | 'read'>;
  /** null: there are no logins here. */
  readonly logins: Pick<Logins, 'peek' | 'projectFor'> | null;
  /** Public address of the service: pages of this origin may use their cookie. */
  readonly baseUrl: string;
  /** Real time. */
  readonly now: () => Instant;
}

export type SocketIdentity =
  | { readonly by: 'key'; readonly scope: Scope; readonly keyId: string }
  | { readonly by: 'login'; readonly scope: Scope; readonly cookie: string };

/** What a client sent when it connected. */
export interface Handshake {
  readonly auth: { readonly [field: string]: unknown };
  readonly headers: { readonly [name in 'cookie' | 'origin' | 'host']?: string | undefined };
}

/** The client's pass, or the reason it has none. Consumes the ticket. Rejects when the store does not
 *  answer. */
export async function identityOf(
  parts: SocketAuthParts,
  { auth, headers }: Handshake,
): Promise<SocketIdentity | ErrorCode> {
  const { ticket, projectId, mode } = auth;
  if (ticket !== undefined) return byTicket(parts, ticket);
  const { cookie = '', origin = '', host = '' } = headers;
  if (parts.logins === null || projectId === undefined) return 'ticket_invalid';
  const ours = isOurPage(new URL(parts.baseUrl).origin, origin, host);
  if (cookie === '' || !ours) return 'login_required';
  if (typeof projectId !== 'string' || !isMode(mode)) return 'resource_not_found';
  return couldBeId('prj', projectId)
    ? { by: 'login', scope: scopeOf(projectId, mode), cookie }
    : 'resource_not_found';
}

/** Why a socket with this credential must leave; null: it may stay. Rejects when the store does not answer. */
export const whyNot = (parts: SocketAuthParts, identity: SocketIdentity): Promise<ErrorCode | null> =>
  identity.by === 'key' ? whyNotKey(parts, identity) : whyNotLogin(parts, identity);

async function byTicket({ client }: SocketAuthParts, ticket: unknown): Promise<SocketIdentity | ErrorCode> {
  if (typeof ticket !== 'string' || !couldBeId('tkt', ticket)) return 'ticket_invalid';
  const used = await client.ask(liveTicketAt(ticket), 'use', {}, { by: 'system', scope: null });
  switch (used.is) {
    case 'ok': {
      const { scope, keyId } = used.detail;
      return { by: 'key', scope, keyId };
    }
    case 'refused':
      return 'ticket_invalid';
    case 'internal':
      return 'internal_error';
    default:
      return 'service_unavailable';
  }
}

async function whyNotKey(
  { client, now }: SocketAuthParts,
  { scope, keyId }: Extract<SocketIdentity, { by: 'key' }>,
): Promise<ErrorCode | null> {
  const project = await client.read<ProjectState>(projectAt(projectOf(scope)), 'system');
  const key = project?.state.keys.find(({ id }) => id === keyId);
  if (project === null || key === undefined || key.revokedAt !== null) return 'api_key_revoked';
  if (key.expiresAt !== null && key.expiresAt <= now()) return 'api_key_expired';
  const merchant = await client.read<MerchantState>(merchantAt(project.state.merchantId), 'system');
  return merchant?.state.status === 'suspended' ? 'account_suspended' : null;
}

async function whyNotLogin(
  { logins }: SocketAuthParts,
  { scope, cookie }: Extract<SocketIdentity, { by: 'login' }>,
): Promise<ErrorCode | null> {
  const login = (await logins?.peek(cookie)) ?? null;
  if (logins === null || login === null) return 'login_required';
  const project = await logins.projectFor(login, projectOf(scope));
  if (project === null) return 'resource_not_found';
  // an operator may view suspended merchants too
  return project.suspension !== null && login.role === 'merchant' ? 'account_suspended' : null;
}

const isMode = (text: unknown): text is Mode => text === 'sandbox' || text === 'live';
