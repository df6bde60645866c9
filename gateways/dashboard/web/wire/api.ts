/** The only module that calls the dashboard's API.
 *  1. Never rejects: a failure is a value that says what to do.
 *  2. The CSRF token is kept only here; when it is refused, a new one is read once.
 *  3. Bounded: a request with no answer within `answerMsMax` is aborted. */
import {
  cookieNotKept,
  failureFrom,
  nobody,
  unreachable,
  unreadable,
  type Failure,
  type Result,
} from './failure.ts';
import type { Method, SendUpload, Upload } from './asked.ts';
import {
  addressOf,
  pathOf,
  type CallName,
  type Given,
  type ListName,
  type PlaceOf,
  type ValueOf,
} from './call.ts';
import type { Business, Listed, Me, Place } from './types.ts';

const answerMsMax = 20_000;

export interface Api {
  me(): Promise<Result<Me>>;
  logIn(email: string, password: string): Promise<Result<Me>>;
  logOut(): Promise<Result<null>>;
  /** A route of the service, by method and path; `place` null: one of the operator's. */
  call<Name extends CallName>(
    name: Name,
    place: PlaceOf<Name>,
    ...given: Given<Name>
  ): Promise<Result<ValueOf<Name>>>;
  /** A page of a list. */
  list<Row>(name: ListName<Row>, place: Place | null, query: URLSearchParams): Promise<Result<Listed<Row>>>;
  /** The body is the picture itself. */
  putLogo(place: Place, picture: Blob): Promise<Result<Business>>;
  /** All rows of a list, as a file. */
  csv(place: Place, list: CsvList, query: URLSearchParams): Promise<Result<Blob>>;
}

/** The lists that can be saved as a file. */
export type CsvList = 'payments' | 'refunds' | 'billing/invoices';

export interface ApiParts {
  readonly fetch: typeof fetch;
  readonly sendUpload: SendUpload;
  /** The login is over: the answer to any request is the login page. */
  readonly onLoggedOut: () => void;
}

export function openApi({ fetch, sendUpload, onLoggedOut }: ApiParts): Api {
  let csrf = '';

  async function send<Value>(
    method: Method,
    path: string,
    body?: object,
    idempotencyKey?: string,
    upload?: Upload,
  ): Promise<Result<Value>> {
    const headers: Record<string, string> = { accept: 'application/json' };
    if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
    if (method !== 'GET') headers['content-type'] = typeOf(body);
    if (method !== 'GET' && csrf !== '') headers['x-csrf-token'] = csrf;
    try {
      if (upload !== undefined)
        return await read<Value>(
          await sendUpload(`/dashboard/${path}`, headers, JSON.stringify(body), upload),
        );
      const signal = AbortSignal.timeout(answerMsMax);
      const request = { method, headers, signal };
      const sent = method === 'GET' ? request : { ...request, body: textOf(body) };
      const answer = await fetch(`/dashboard/${path}`, sent);
      return await read<Value>(answer);
    } catch {
      return { ok: false, failure: unreachable };
    }
  }

  /** As `send`, for a logged-in user: detects when the login has ended. */
  async function asked<Value>(...sent: Parameters<typeof send>): Promise<Result<Value>> {
    let result = await send<Value>(...sent);
    if (!result.ok && isAboutCsrf(result.failure) && (await me()).ok) {
      result = await send<Value>(...sent);
    }
    if (!result.ok && result.failure.status === 401) onLoggedOut();
    return result;
  }

  async function me(): Promise<Result<Me>> {
    const result = await send<Me | null>('GET', 'api/me');
    if (!result.ok) return result;
    if (result.value === null) return { ok: false, failure: nobody };
    csrf = result.value.csrf;
    return { ok: true, value: result.value };
  }

  return {
    me,
    async logIn(email, password) {
      csrf = '';
      const result = await send<Me>('POST', 'login', { email, password });
      if (!result.ok) return result;
      // over http, a browser keeps the cookie only when the service is on the same machine
      const kept = await me();
      return !kept.ok && kept.failure.status === 401 ? { ok: false, failure: cookieNotKept } : kept;
    },
    logOut: () => asked('POST', 'logout'),
    call: (name, place, ...given) => {
      const { query, body, key, upload, ...params }: AnyInput = given[0] ?? {};
      const [method = 'GET', path = ''] = name.split(' ') as [Method?, string?];
      const search = query === undefined ? '' : `?${new URLSearchParams(query)}`;
      return asked(method, addressOf(path, place, params) + search, body, key, upload);
    },
    list: (name, place, query) => asked('GET', `${addressOf(name.replace('GET ', ''), place, {})}?${query}`),
    putLogo: (place, picture) => asked('PUT', `${pathOf(place)}/logo`, picture),
    csv: csvOf(fetch, onLoggedOut),
  };
}

/** A list as a file, whose text is not read here. */
const csvOf =
  (ask: ApiParts['fetch'], onLoggedOut: () => void): Api['csv'] =>
  async (place, list, query) => {
    try {
      const path = `/dashboard/${pathOf(place)}/${list}?${query}`;
      const signal = AbortSignal.timeout(answerMsMax);
      const answer = await ask(path, { headers: { accept: 'text/csv' }, signal });
      if (answer.ok) return { ok: true, value: await answer.blob() };
      const result = await read<Blob>(answer);
      if (!result.ok && result.failure.status === 401) onLoggedOut();
      return result;
    } catch {
      return { ok: false, failure: unreachable };
    }
  };

/** Of any call. */
interface AnyInput {
  readonly query?: URLSearchParams | Readonly<Record<string, string>>;
  readonly body?: object;
  readonly key?: string;
  readonly upload?: Upload;
  readonly [param: string]: unknown;
}

const typeOf = (body: object | undefined): string => (body instanceof Blob ? body.type : 'application/json');
const textOf = (body: object | undefined): string | Blob =>
  body instanceof Blob ? body : JSON.stringify(body ?? {});

const isAboutCsrf = ({ status, code }: Failure): boolean => status === 403 && code.includes('csrf');

async function read<Value>(answer: Response): Promise<Result<Value>> {
  if (answer.status === 204) return { ok: true, value: null as Value };
  const body: unknown = await answer.json().catch(() => null);
  if (!answer.ok) {
    return { ok: false, failure: failureFrom(answer.status, body, answer.headers.get('retry-after')) };
  }
  if (typeof body !== 'object' || body === null) return { ok: false, failure: unreadable(answer.status) };
  return { ok: true, value: body as Value };
}
