/** The first checks of the dashboard's API: the same routes as under /v1, authorized by a login instead of
 *  a key. Order: origin, login, its token, project and mode, suspension, sandbox only, rate, entitlement.
 *  1. The caller is derived from the path and the login together: a project that the login may not open
 *     does not exist.
 *  2. A suspended merchant may still read, and nothing else.
 *  3. What is for sandbox keys only is for the sandbox of a project only.
 *  4. For any other login the operator's endpoints do not exist. */
import type { Mode } from '../../../src/runtime/model/address.ts';
import { noSuch, refused, type Refused } from '../../http/route/answer.ts';
import type { DoorReply, DoorRequest } from '../../server/door.ts';
import { refusalReply, withinLimits, type Admitted, type GateRule } from '../../http/access/gate.ts';
import { failedAuthPerMinute, limitHeaders, type Limits } from '../../http/access/rate-limit.ts';
import { errorReply, none } from '../../http/route/reply.ts';
import { callerIn, type Login, type Logins } from '../../http/access/logins.ts';
import type { Csrf } from '../../http/access/csrf.ts';

export class DashboardGate {
  private readonly logins: Pick<Logins, 'loginOf' | 'projectFor'>;
  private readonly csrf: Csrf;
  private readonly limits: Limits;

  constructor(logins: Pick<Logins, 'loginOf' | 'projectFor'>, csrf: Csrf, limits: Limits) {
    this.logins = logins;
    this.csrf = csrf;
    this.limits = limits;
  }

  /** Rejects when the store does not answer. */
  async admit(request: DoorRequest, rule: GateRule): Promise<Admitted | DoorReply> {
    const { params, requestId } = request;
    const login = await this.loginOf(request);
    if (!isLogin(login)) return login;
    if (rule.key === 'operator') {
      if (login.role !== 'operator') return errorReply('endpoint_not_found', requestId);
      return this.limited(requestId, login);
    }
    const { projectId = '' } = params;
    const mode = modeOf(params['mode']);
    if (mode === null) return refusalReply(noSuchPlace('mode', params['mode'] ?? ''), requestId);
    const project = await this.logins.projectFor(login, projectId);
    if (project === null) return refusalReply(noSuchPlace('project', projectId), requestId);
    if (rule.method !== 'GET' && project.suspension !== null) {
      return refusalReply(project.suspension, requestId);
    }
    if (rule.key === 'sandbox' && mode === 'live') return errorReply('sandbox_only', requestId);
    // a login takes the place of a key
    const caller = { ...callerIn(project, mode, login.sessionId), login: login.email };
    return withinLimits(this.limits, request, rule, caller);
  }

  /** The caller of a request; an error reply when there is none, or when it does not come from one of our
   *  pages. */
  async loginOf(request: DoorRequest): Promise<Login | DoorReply> {
    // read before the first await: a GET's headers are invalid after it
    const { requestId, ip, method } = request;
    const token = request.header('x-csrf-token');
    const foreign = this.csrf.foreign(request);
    if (foreign !== null) return refusalReply(foreign, requestId);
    const login = await this.logins.loginOf(request.header('cookie'));
    if (login === null) return this.nobody(requestId, ip);
    const forged = method === 'GET' ? null : this.csrf.forged(token, login);
    return forged === null ? login : refusalReply(forged, requestId);
  }

  /** Clients that keep sending invalid cookies are answered 429. */
  private nobody(requestId: string, ip: string): DoorReply {
    const verdict = this.limits.perAddress('dashboard', ip, failedAuthPerMinute);
    if (verdict === null || verdict.allowed) return refusalReply(refused('login_required'), requestId);
    return errorReply('rate_limit_exceeded', requestId, {}, limitHeaders(verdict));
  }

  /** The operator's own requests count like those of a live key. */
  private limited(requestId: string, { sessionId }: Login): Admitted | DoorReply {
    const verdict = this.limits.key(sessionId, 'live');
    const headers = verdict === null ? none : limitHeaders(verdict);
    if (verdict === null || verdict.allowed) return { caller: null, headers };
    return errorReply('rate_limit_exceeded', requestId, {}, headers);
  }
}

export const isLogin = (found: Login | DoorReply): found is Login => 'sessionId' in found;

const modeOf = (text: string | undefined): Mode | null =>
  text === 'sandbox' || text === 'live' ? text : null;

const noSuchPlace = (object: 'mode' | 'project', id: string): Refused =>
  refused('resource_not_found', {
    param: object === 'mode' ? 'mode' : 'projectId',
    message: noSuch(object, id, null),
  });
