/** The first checks of every door that takes a key, in the order of docs/reference/api.md: key, suspension,
 *  secret key required, access, sandbox only, rate, entitlement. Used by routes and by the simulator's
 *  control doors. */
import { errors, type Entitlement, type ErrorCode } from '../../../src/errors.ts';
import { refused, type Refused } from '../route/answer.ts';
import type { Auth, Caller } from './auth.ts';
import type { Door, DoorReply, DoorRequest } from '../../server/door.ts';
import { isEntitled, lacking } from './entitlements.ts';
import { failedAuthPerMinute, limitHeaders, tighter, type Limits } from './rate-limit.ts';
import { errorReply, none, type Headers } from '../route/reply.ts';

/** Who may call: a secret key, any key, a sandbox secret key, the operator, anyone. */
export type KeyRule = 'secret' | 'any' | 'sandbox' | 'operator' | 'none';

export interface GateRule {
  readonly key: KeyRule;
  readonly method: Door['method'];
  /** Counts against the project's limit for creations. */
  readonly creates?: true;
  /** Changes nothing of the merchant's: a read-only key is enough. */
  readonly readIsEnough?: true;
  /** The entitlement that the merchant's plan must include. */
  readonly needs?: Entitlement;
  /** Where no key is required: requests of one address. */
  readonly perAddress?: AddressLimit;
}

/** `door` names the bucket: doors with one name share it. */
export interface AddressLimit {
  readonly door: string;
  readonly perMinute: number;
}

/** `headers` are added to the final answer. `caller` is null where no API key is required. */
export interface Admitted {
  readonly caller: Caller | null;
  readonly headers: Headers;
}

export const isAdmitted = (found: Admitted | DoorReply): found is Admitted => 'caller' in found;

export class Gate {
  private readonly auth: Auth;
  private readonly limits: Limits;

  constructor(auth: Auth, limits: Limits) {
    this.auth = auth;
    this.limits = limits;
  }

  /** Returns a plain value, not a promise, when the cached key is fresh. Rejects when the store does not
   *  answer. */
  admit(request: DoorRequest, rule: GateRule): Admitted | DoorReply | Promise<Admitted | DoorReply> {
    const caller = this.identify(request, rule.key);
    return caller instanceof Promise
      ? caller.then((found) => this.judge(request, rule, found))
      : this.judge(request, rule, caller);
  }

  private identify(request: DoorRequest, key: KeyRule): Caller | null | Refused | Promise<Caller | Refused> {
    if (key === 'none') return null;
    return key === 'operator' ? this.auth.operator(request) : this.auth.caller(request);
  }

  private judge(request: DoorRequest, rule: GateRule, caller: Caller | null | Refused): Admitted | DoorReply {
    if (caller === null) return this.limitedByAddress(request, rule);
    if ('is' in caller) return this.unauthorised(request, caller);
    const forbidden = forbiddenBy(rule, caller);
    return forbidden === null
      ? withinLimits(this.limits, request, rule, caller)
      : errorReply(forbidden, request.requestId);
  }

  private limitedByAddress({ ip, requestId }: DoorRequest, { perAddress }: GateRule): Admitted | DoorReply {
    if (perAddress === undefined) return { caller: null, headers: none };
    const verdict = this.limits.perAddress(perAddress.door, ip, perAddress.perMinute);
    const headers = verdict === null ? none : limitHeaders(verdict);
    if (verdict === null || verdict.allowed) return { caller: null, headers };
    return errorReply('rate_limit_exceeded', requestId, {}, headers);
  }

  /** An address with too many failures is answered 429 instead. */
  private unauthorised(request: DoorRequest, why: Refused): DoorReply {
    const verdict =
      errors[why.code].status === 401
        ? this.limits.perAddress('auth', request.ip, failedAuthPerMinute)
        : null;
    if (verdict === null || verdict.allowed) return refusalReply(why, request.requestId);
    return errorReply('rate_limit_exceeded', request.requestId, {}, limitHeaders(verdict));
  }
}

/** What every gate asks of a known caller: the rate of the key, or of the login in its place, the creations of the
 *  project, the plan of the merchant. */
export function withinLimits(
  limits: Limits,
  request: DoorRequest,
  rule: GateRule,
  caller: Caller,
): Admitted | DoorReply {
  const byKey = limits.key(caller.keyId, caller.mode);
  const byProject =
    rule.creates === true && byKey?.allowed !== false
      ? limits.create(caller.projectId, caller.mode, caller.createPerSecond)
      : null;
  const verdict = tighter(byKey, byProject);
  const headers = verdict === null ? none : limitHeaders(verdict);
  if (verdict === null || verdict.allowed) return entitled(request, rule, caller, headers);
  return errorReply('rate_limit_exceeded', request.requestId, {}, headers);
}

function entitled(
  { requestId }: DoorRequest,
  { needs }: GateRule,
  caller: Caller,
  headers: Headers,
): Admitted | DoorReply {
  if (needs === undefined || isEntitled(needs, caller)) return { caller, headers };
  return errorReply('entitlement_required', requestId, lacking(needs), headers);
}

/** What this caller may not do here; null when everything is allowed. */
function forbiddenBy(
  { key, method, readIsEnough }: GateRule,
  { kind, access, mode }: Caller,
): ErrorCode | null {
  if (key !== 'any' && kind !== 'secret') return 'api_key_must_be_secret';
  if (access === 'read' && method !== 'GET' && readIsEnough !== true) return 'key_access_insufficient';
  return key === 'sandbox' && mode !== 'sandbox' ? 'sandbox_only' : null;
}

/** A refusal as a reply. */
export function refusalReply(why: Refused, requestId: string, headers: Headers = none): DoorReply {
  const { code, details, retryAfterSeconds } = why;
  const retry =
    retryAfterSeconds === null ? headers : { ...headers, 'Retry-After': String(retryAfterSeconds) };
  return errorReply(code, requestId, details, retry);
}

/** For doors that are not routes: the project of a sandbox secret key, and headers for the final answer; or the
 *  error reply. */
export async function sandboxCaller(
  gate: Gate,
  method: Door['method'],
  request: DoorRequest,
): Promise<(Pick<Caller, 'scope'> & Pick<Admitted, 'headers'>) | DoorReply> {
  const admitted = await gate.admit(request, { key: 'sandbox', method });
  if (!isAdmitted(admitted)) return admitted;
  const { caller, headers } = admitted;
  return caller === null
    ? refusalReply(refused('api_key_missing'), request.requestId)
    : { scope: caller.scope, headers };
}
