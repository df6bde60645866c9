/** The log of requests of this node: what the port answers goes into it. */
import type { Auth } from '../../gateways/http/access/auth.ts';
import { RequestLog } from '../../gateways/requests/request-log.ts';
import type { AnsweredRequest } from '../../gateways/server/door.ts';
import type { Answered } from '../../gateways/server/listener.ts';
import { RequestIds } from '../../gateways/server/request-id.ts';
import { realScheduler } from '../kernel/time.ts';
import type { Log } from '../telemetry/log.ts';
import type { Carriers } from './carriers.ts';
import type { Closing } from './closing.ts';

export interface LoggedRequests {
  readonly log: RequestLog;
  readonly answered: Answered;
  /** What the port names requests with, and the log finds them by. */
  readonly ids: RequestIds;
  /** Until it is called, requests that no door has taken are not looked into. */
  identifyBy(auth: Pick<Auth, 'caller'>): void;
}

/** Answers of the listener itself, before a door could check the key: no such path or method, too large. */
const ofListener: ReadonlySet<number> = new Set([404, 405, 413]);

/** Written for the last time when the port and the actors have stopped, before the store closes. */
export function openRequestLog({ store }: Carriers, log: Log, closing: Closing): LoggedRequests {
  const ids = new RequestIds();
  const requests = new RequestLog({ store, scheduler: realScheduler, log, idKey: ids.key });
  closing.later(() => requests.close(), { what: 'the log of requests' });
  let auth: Pick<Auth, 'caller'> | null = null;
  const identified = async (request: AnsweredRequest, status: number, tookMs: number): Promise<void> => {
    const { requestNumber, method, path, params } = request;
    await auth?.caller(request);
    const { keyUsed, refusal } = request;
    requests.note(undefined, { requestNumber, method, path, params, keyUsed, refusal }, status, tookMs);
  };
  return {
    log: requests,
    ids,
    answered(door, status, tookMs, request) {
      if (request.keyUsed !== undefined) requests.note(door, request, status, tookMs);
      else if (ofListener.has(status) && request.path.startsWith('/v1/'))
        // a store that does not answer leaves the key unknown
        identified(request, status, tookMs).catch((err: unknown) =>
          log.warn(
            { err, requestId: request.requestId },
            'a request could not be logged: its key is not known',
          ),
        );
    },
    identifyBy(found) {
      auth = found;
    },
  };
}
