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
import { pathOf, type Asked, type Method, type SendUpload, type Upload } from './asked.ts';
import { billingCallsOf, type BillingApi } from './billing-api.ts';
import { clockCallsOf, type ClockApi } from './clock-api.ts';
import { linkCallsOf, type LinkApi } from './link-api.ts';
import { operatorCallsOf, type OperatorApi } from './operator-api.ts';
import { reviewCallsOf, type ReviewApi } from './review-api.ts';
import { statementCallsOf, type StatementApi } from './statement-api.ts';
import { webhookCallsOf, type WebhookApi } from './webhook-api.ts';
import { settingsCallsOf, type SettingsApi } from './settings-api.ts';
import type {
  Checkout,
  Delivery,
  Endpoint,
  Listed,
  Me,
  Payment,
  Place,
  Receipt,
  Refund,
  RefundRequest,
  RequestPage,
  ShopEvent,
  TimelineEntry,
  Today,
} from './types.ts';

const answerMsMax = 20_000;

export interface Api
  extends BillingApi, ClockApi, LinkApi, OperatorApi, ReviewApi, SettingsApi, StatementApi, WebhookApi {
  me(): Promise<Result<Me>>;
  logIn(email: string, password: string): Promise<Result<Me>>;
  logOut(): Promise<Result<null>>;
  today(place: Place): Promise<Result<Today>>;
  /** A list below a project and mode, or of the operator. */
  list<Row>(place: Place | null, path: string, query: URLSearchParams): Promise<Result<Listed<Row>>>;
  payments(place: Place, query: URLSearchParams): Promise<Result<Listed<Payment>>>;
  payment(place: Place, id: string): Promise<Result<Payment>>;
  /** Of checkout sessions; those without one are left out. */
  descriptions(
    place: Place,
    sessionIds: readonly string[],
  ): Promise<Result<{ readonly data: readonly { readonly id: string; readonly description: string }[] }>>;
  timeline(place: Place, id: string, page: number): Promise<Result<Listed<TimelineEntry>>>;
  receipt(place: Place, paymentId: string): Promise<Result<Receipt>>;
  refunds(place: Place, query: URLSearchParams): Promise<Result<Listed<Refund>>>;
  /** Sent again with the same key, it is executed once. */
  refund(place: Place, request: RefundRequest, idempotencyKey: string): Promise<Result<Refund>>;
  /** Marks a refund that requires action as paid out, or gives it up. */
  endRefund(
    place: Place,
    id: string,
    how: 'complete' | 'cancel',
    notes: string | null,
  ): Promise<Result<Refund>>;
  checkout(place: Place, id: string): Promise<Result<Checkout>>;
  endpoints(place: Place): Promise<Result<{ readonly data: readonly Endpoint[] }>>;
  deliveries(place: Place, endpointId: string, query: URLSearchParams): Promise<Result<Listed<Delivery>>>;
  event(place: Place, id: string): Promise<Result<ShopEvent>>;
  requests(place: Place, query: URLSearchParams): Promise<Result<RequestPage>>;
  retry(place: Place, deliveryId: string): Promise<Result<Delivery>>;
  /** Sends a sample to this endpoint. */
  test(place: Place, endpointId: string): Promise<Result<Delivery>>;
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

export const timelineLimit = 100;

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
    ...callsOf(asked),
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

/** What a logged-in user may ask for. */
const callsOf = (asked: Asked): Omit<Api, 'me' | 'logIn' | 'csv'> => ({
  logOut: () => asked('POST', 'logout'),
  today: (place) => asked('GET', `${pathOf(place)}/today`),
  list: (place, path, query) =>
    asked('GET', `${place === null ? 'api/operator' : pathOf(place)}/${path}?${query}`),
  payments: (place, query) => asked('GET', `${pathOf(place)}/payments?${query}`),
  descriptions: (place, sessionIds) =>
    asked('GET', `${pathOf(place)}/descriptions?${new URLSearchParams({ ids: sessionIds.join(',') })}`),
  payment: (place, id) => asked('GET', `${pathOf(place)}/payments/${part(id)}`),
  timeline: (place, id, page) =>
    asked('GET', `${pathOf(place)}/payments/${part(id)}/timeline?page=${page}&limit=${timelineLimit}`),
  receipt: (place, paymentId) => asked('GET', `${pathOf(place)}/payments/${part(paymentId)}/receipt`),
  refunds: (place, query) => asked('GET', `${pathOf(place)}/refunds?${query}`),
  refund: (place, request, key) => asked('POST', `${pathOf(place)}/refunds`, request, key),
  endRefund: (place, id, how, notes) =>
    asked('POST', `${pathOf(place)}/refunds/${part(id)}/${how}`, { notes }),
  checkout: (place, id) => asked('GET', `${pathOf(place)}/checkout/${part(id)}`),
  endpoints: (place) => asked('GET', `${pathOf(place)}/webhooks`),
  deliveries: (place, endpointId, query) =>
    asked('GET', `${pathOf(place)}/webhooks/${part(endpointId)}/deliveries?${query}`),
  event: (place, id) => asked('GET', `${pathOf(place)}/events/${part(id)}`),
  requests: (place, query) => asked('GET', `${pathOf(place)}/requests?${query}`),
  retry: (place, deliveryId) =>
    asked('POST', `${pathOf(place)}/webhooks/deliveries/${part(deliveryId)}/retry`),
  test: (place, endpointId) => asked('POST', `${pathOf(place)}/webhooks/${part(endpointId)}/test`),
  ...billingCallsOf(asked),
  ...clockCallsOf(asked),
  ...linkCallsOf(asked),
  ...operatorCallsOf(asked),
  ...reviewCallsOf(asked),
  ...statementCallsOf(asked),
  ...webhookCallsOf(asked),
  ...settingsCallsOf(asked),
});

const typeOf = (body: object | undefined): string => (body instanceof Blob ? body.type : 'application/json');
const textOf = (body: object | undefined): string | Blob =>
  body instanceof Blob ? body : JSON.stringify(body ?? {});

const part = encodeURIComponent;

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
