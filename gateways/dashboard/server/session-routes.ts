/** Logging in and out, and the current user: `POST /dashboard/login`, `POST /dashboard/logout`, `GET
 *  /dashboard/api/me`.
 *  1. A login is a new session with a new token, whatever cookie was sent: this prevents session fixation.
 *  2. An unknown e-mail, a wrong password and a password without a merchant get the same answer, after the
 *     same work. Only the operator's correct token skips that work.
 *  3. A failed attempt is counted before the work is done, so that concurrent attempts get no more tries
 *     than sequential ones. */
import { randomBytes } from 'node:crypto';
import { Type, type Static } from 'typebox';
import {
  dashboardUserAt,
  dashboardUserIdOf,
  loginNameOf,
  operatorName,
  type DashboardUserState,
} from '../../../actors/dashboard-user/messages.ts';
import { errors } from '../../../src/errors.ts';
import { equalInConstantTime } from '../../../src/kernel/hash.ts';
import { mintId } from '../../../src/kernel/id.ts';
import type { Client } from '../../../src/runtime/model/client.ts';
import type { AskResult } from '../../../src/runtime/model/envelope.ts';
import { refusalOf, refused, unavailable, type Refused } from '../../http/route/answer.ts';
import { networkOf } from '../../server/client-address.ts';
import type { Door, DoorReply, DoorRequest } from '../../server/door.ts';
import { fieldsOf } from '../../http/route/fields.ts';
import { refusalReply } from '../../http/access/gate.ts';
import { limitHeaders } from '../../http/access/rate-limit.ts';
import { errorReply, jsonReply } from '../../http/route/reply.ts';
import { isJsonType, readObject } from '../../http/route/request.ts';
import { invalid } from '../../http/route/route.ts';
import { text } from '../../http/route/schemas.ts';
import { isLogin, type DashboardGate } from './gate.ts';
import { tokenHashOf, type Login, type Logins } from '../../http/access/logins.ts';
import type { Passwords } from '../../http/access/passwords.ts';
import { projectsOf } from './projects.ts';
import { cookieIn, cookieText, noCookieText, type SessionCookie } from '../../http/access/session-cookie.ts';
import type { Throttle } from './throttle.ts';
import type { Csrf } from '../../http/access/csrf.ts';

/** The longest possible password: an operator's token. */
const passwordCharactersMax = 256;
const bodyBytesMax = 8 * 1024;
const tokenBytes = 32;

export const loginBody = Type.Object({ email: text(254, 1), password: text(passwordCharactersMax, 1) });
type LoginBody = Static<typeof loginBody>;

export interface SessionRouteParts {
  readonly client: Client;
  readonly gate: DashboardGate;
  readonly logins: Logins;
  readonly csrf: Csrf;
  readonly throttle: Throttle;
  /** Logins wait in a queue of their own. */
  readonly loginPasswords: Passwords;
  /** The stored hash of GALLA_ADMIN_TOKEN. */
  readonly operatorHash: string;
}

export function sessionRoutes(parts: SessionRouteParts): readonly Door[] {
  const fields = fieldsOf(loginBody);
  return [
    {
      method: 'POST',
      path: '/dashboard/login',
      bodyBytesMax,
      async handle(request) {
        const input = loginIn(parts, fields, request);
        return 'is' in input ? refusalReply(input, request.requestId) : logIn(parts, request, input);
      },
    },
    { method: 'POST', path: '/dashboard/logout', bodyBytesMax, handle: (request) => logOut(parts, request) },
    { method: 'GET', path: '/dashboard/api/me', lateHeaders: [], handle: (request) => me(parts, request) },
  ];
}

function loginIn(
  { csrf }: SessionRouteParts,
  fields: ReturnType<typeof fieldsOf<typeof loginBody>>,
  request: DoorRequest,
): LoginBody | Refused {
  const foreign = csrf.foreign(request);
  if (foreign !== null) return foreign;
  if (!isJsonType(request.header('content-type'))) return refused('unsupported_media_type');
  const read = readObject(request.body);
  if ('refusal' in read) return read.refusal;
  // no field of a login depends on the mode
  const { value, errors } = fields.check(read.object, { mode: 'live', allowPrivateHosts: false }, 'absent');
  return errors.length > 0 ? invalid(errors) : value;
}

async function logIn(parts: SessionRouteParts, request: DoorRequest, typed: LoginBody): Promise<DoorReply> {
  const { client, throttle, loginPasswords: passwords, operatorHash } = parts;
  const { requestId, ip } = request;
  const before = cookieIn(request.header('cookie'));
  const name = loginNameOf(typed.email);
  const userId = dashboardUserIdOf(name);
  const verdict = throttle.attempt(userId, ip);
  if (!verdict.allowed) return errorReply('rate_limit_exceeded', requestId, {}, limitHeaders(verdict));
  const isOperator = name === operatorName;
  const drawn = passwords.drawn(name, typed.password);
  const isToken = equalInConstantTime(drawn, operatorHash);
  // clients that fill the queue with guesses do not delay the operator
  const chosen = isOperator && isToken ? drawn : await passwords.chosen(name, typed.password, networkOf(ip));
  if (chosen === null) {
    throttle.giveBack(userId, ip);
    return refusalReply(unavailable, requestId);
  }
  const hashes = [...new Set([chosen, drawn])];
  if (isOperator && isToken) await setOperatorPassword(client, userId, operatorHash);
  const user = await client.read<DashboardUserState>(dashboardUserAt(userId), 'system');
  const kept = user?.state.passwords ?? [];
  const isKept = kept.some((one) => hashes.some((hash) => equalInConstantTime(one.hash, hash)));
  // the stored hash may be of the previous token; only the current one is valid
  if (!isKept || (isOperator && !isToken)) {
    return refusalReply(refused('login_invalid'), requestId);
  }
  throttle.giveBack(userId, ip);
  const cookie: SessionCookie = { userId, token: randomBytes(tokenBytes).toString('base64url') };
  const opened = await openSession(parts, cookie, hashes, before);
  if (opened.is !== 'ok') return refusalReply(refusalOf(opened), requestId);
  const login = await parts.logins.loginOf(cookieText(cookie));
  if (login === null) return refusalReply(unavailable, requestId);
  return described(parts, login, { 'Set-Cookie': cookieText(cookie) });
}

/** The previous session of this browser ends, also one of another user. */
async function openSession(
  { client, logins }: SessionRouteParts,
  { userId, token }: SessionCookie,
  hashes: readonly string[],
  before: SessionCookie | null,
): Promise<AskResult> {
  const ends = before === null ? null : tokenHashOf(before.token);
  if (before !== null && before.userId !== userId) await signOut(client, before);
  const sessionId = mintId('ses');
  const opened = await client.ask(
    dashboardUserAt(userId),
    'signIn',
    { sessionId, tokenHash: tokenHashOf(token), hashes, ends },
    bySystem,
  );
  if (before !== null) logins.forget(before);
  return opened;
}

const bySystem = { by: 'system', scope: 'system' } as const;

/** The operator's password is the token that this node was started with; it is stored where sessions look
 *  for it. */
async function setOperatorPassword(client: Client, userId: string, hash: string): Promise<void> {
  await client.ask(dashboardUserAt(userId), 'open', { name: operatorName }, bySystem);
  await client.ask(dashboardUserAt(userId), 'setPassword', { merchantId: null, hash }, bySystem);
}

const signOut = (client: Client, { userId, token }: SessionCookie): Promise<AskResult> =>
  client.ask(dashboardUserAt(userId), 'signOut', { tokenHash: tokenHashOf(token) }, bySystem);

async function logOut(parts: SessionRouteParts, request: DoorRequest): Promise<DoorReply> {
  const { requestId } = request;
  const cookie = cookieIn(request.header('cookie'));
  const login = await parts.gate.loginOf(request);
  if (!isLogin(login)) return login;
  // a logged-in request has sent a cookie
  if (cookie === null) return refusalReply(refused('login_required'), requestId);
  const ended = await signOut(parts.client, cookie);
  if (ended.is !== 'ok') return refusalReply(refusalOf(ended), requestId);
  parts.logins.forget(cookie);
  return { status: 204, headers: { 'Set-Cookie': noCookieText }, body: null };
}

async function me(parts: SessionRouteParts, request: DoorRequest): Promise<DoorReply> {
  const login = await parts.gate.loginOf(request);
  if (isLogin(login)) return described(parts, login);
  // no user is a valid answer here: pages ask before anyone has logged in
  return login.status === errors.login_required.status ? { status: 204, body: null } : login;
}

/** The current user, the projects it may open, and the token to send with changes. */
async function described(
  { client, logins, csrf }: SessionRouteParts,
  login: Login,
  headers: { readonly [name: string]: string } = {},
): Promise<DoorReply> {
  const projects = await projectsOf(client, logins, login);
  const { email, role } = login;
  return jsonReply(200, JSON.stringify({ email, role, csrf: csrf.csrfOf(login), projects }), headers);
}
