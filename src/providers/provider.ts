/** What a payment provider's adapter must implement: per call, a request to build and a reply to read.
 *  Boundary: types, and the rules every provider shares. call.ts does the IO, registry.ts lists the
 *  adapters.
 *  1. An adapter is pure: credentials, addresses and the time are arguments, and it has no other inputs.
 *  2. A reply it cannot read is `null`; only call.ts decides what that means (pending, never failed).
 *  3. Only a look-up may report `paid`; a return is a hint whatever it claims. */
import type { Order } from '../../actors/checkout-session/order.ts';
import type {
  Booking,
  CallbackHint,
  CallbackRequest,
  Instructions,
  LookupAnswer,
  Provider,
  RefundAnswer,
  ReturnHint,
  Seen,
  StartAnswer,
} from './answers.ts';
import type { Paisa } from '../kernel/money.ts';
import { seconds, type DurationMs, type Instant } from '../kernel/time.ts';
import type { ProviderTraits } from './traits.ts';

export type {
  CallbackHint,
  CallbackRequest,
  Instructions,
  LookupAnswer,
  Order,
  Provider,
  RefundAnswer,
  ReturnHint,
  StartAnswer,
};

/** The credentials a provider has issued to a merchant, in clear, by the names of its traits. */
export type Credentials = { readonly [name: string]: string };

/** One complete HTTP request. */
export interface WireRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: string | null;
}

/** One complete HTTP reply; header names in lower case. */
export interface WireReply {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly text: string;
}

/** The content of a reply. `alarm` is for the operator: the provider refuses us, not the buyer (a wrong
 *  key). */
export interface Reading<Answer> {
  readonly answer: Answer;
  readonly alarm: string | null;
}

/** A start without a call of ours: the browser posts a form to the provider, which creates the attempt. */
export interface BrowserStart {
  /** `root` is the provider's address for browsers, without a trailing slash. null: the credentials are not
   *  usable. A promise only where signing takes time. */
  open(input: StartInput, credentials: Credentials, root: string): StartAnswer | Promise<StartAnswer | null>;
}

/** One call of an adapter: two pure functions. */
export interface Call<In, Answer> {
  /** `root` is the provider's address without a trailing slash; the paths below it are the adapter's. */
  build(input: In, credentials: Credentials, root: string): WireRequest;
  /** null: it contains no readable answer. */
  read(reply: WireReply, input: In): Reading<Answer> | null;
}

/** A call that a provider may also make in other ways; every `Call` is one. */
export interface ProviderCall<In, Answer> {
  /** null: the credentials are not usable. A promise only where signing takes time. */
  build(input: In, credentials: Credentials, root: string): WireRequest | Promise<WireRequest | null>;
  read(reply: WireReply, input: In, reader: Reader): Reading<Answer> | null;
  /** Texts that are blanked where the reply is kept, beside the credentials. */
  hides?(input: In): readonly string[];
  /** Where it may take less time than other calls. */
  readonly withinMs?: DurationMs;
  /** A second request for details that the first answer lacks. */
  readonly details?: Details<In, Answer>;
}

/** What reading a reply may need besides it: a form that the browser posts next is signed, too. */
export interface Reader {
  readonly credentials: Credentials;
  /** The provider's address for browsers: without a trailing slash, unless it is that of a form. */
  readonly pageRoot: string;
}

/** Details of an answer in a request of their own. Without them the first answer stands. */
export interface Details<In, Answer> {
  /** null: the answer lacks nothing. `sent` is the first request. */
  build(answer: Answer, sent: WireRequest, input: In): WireRequest | null;
  /** null: nothing readable. */
  read(reply: WireReply, answer: Answer, input: In): Answer | null;
}

export interface StartInput {
  readonly paymentId: string;
  readonly amount: Paisa;
  readonly order: Order;
  /** The address the buyer returns to, on our public address, `.../web/done`. A wallet that needs one
   *  address per outcome replaces the last path segment. */
  readonly returnUrl: string;
  readonly now: Instant;
}

/** A start in the provider's app. */
export interface BookInput extends StartInput {
  readonly sessionId: string;
  /** Where the provider's server reports. */
  readonly callbackUrl: string;
}

export interface CancelInput {
  readonly booking: Booking;
}

/** The calls of a provider whose app takes payments. */
export interface AppIntent {
  readonly book: ProviderCall<BookInput, StartAnswer>;
  readonly lookup: ProviderCall<BookingLookupInput, LookupReading>;
  readonly cancel: ProviderCall<CancelInput, { readonly done: boolean }>;
}

export interface LookupInput {
  readonly paymentId: string;
  readonly amount: Paisa;
  /** The provider's reference for the payment, from the answer to its start. */
  readonly lookupReference: string;
  readonly seen?: Seen;
}

/** A look-up of an attempt in the provider's app. */
export interface BookingLookupInput extends LookupInput {
  readonly providerExpiresAt: Instant | null;
  readonly now: Instant;
}

export interface RefundInput {
  /** The provider's own id of the payment. */
  readonly providerRef: string;
  readonly amount: Paisa;
  /** Refunds the whole payment, and no refund succeeded before. */
  readonly full: boolean;
  readonly mobileNumber: string | null;
}

/** The part of a look-up's answer that is in the reply; the caller adds how it was made. */
export type LookupReading = Omit<LookupAnswer, 'httpStatus' | 'durationMs' | 'raw'>;

/** The provider's own status text, where we have no status of our own for it. `call.ts` redacts and cuts
 *  it. */
export const unknownWord = (outcome: LookupAnswer['outcome'], word: string): { readonly word?: string } =>
  outcome === 'ambiguous' ? { word } : {};

/** A look-up without a result: pending, never paid or failed. */
export const nothingRead: LookupReading = {
  outcome: 'pending',
  answered: false,
  amountPaisa: null,
  reference: null,
  providerRef: null,
  traceId: null,
  failureCode: null,
  fee: null,
};

/** The part of a refund's answer that is in the reply. A reply that names neither is null: unknown, and
 *  only look-ups decide. */
export interface RefundReading extends Pick<RefundAnswer, 'providerRefundId' | 'message'> {
  readonly outcome: 'done' | 'refused';
}

/** The data a buyer's browser brings back from a provider. */
export interface ReturnRequest {
  /** The payment named in the address. */
  readonly paymentId: string;
  /** The last path segment: `done`, or what the adapter put there. */
  readonly outcome: string;
  /** The query of a GET, the form of a POST. */
  readonly query: URLSearchParams;
}

/** A message on a provider's socket about an attempt; a hint, like a return. */
export type SocketReport = 'scanned' | 'paid' | 'failed';

export type ParseReturn = (request: ReturnRequest, credentials: Credentials) => ReturnHint;

export interface Adapter {
  readonly start: ProviderCall<StartInput, StartAnswer> | BrowserStart;
  readonly lookup: ProviderCall<LookupInput, LookupReading>;
  /** Payments in its app; absent when it has none. */
  readonly appIntent?: AppIntent;
  /** null: the provider has no refund call. */
  readonly refund: Call<RefundInput, RefundReading> | null;
  /** Reads what the buyer's browser brings back; null: the provider does not send browsers back. */
  readonly parseReturn: ParseReturn | null;
  /** For a provider that returns buyers to addresses registered with it: the payment that the query names.
   *  Absent where our return address names the payment. */
  paymentOfReturn?(query: URLSearchParams): string | null;
  /** Reads a call of the provider's server; null: it does not prove that the provider sent it. Absent when a
   *  provider's server makes no calls. */
  parseCallback?(call: CallbackRequest, credentials: Credentials): CallbackHint | null;
  /** The payment that a call is about, where the provider has one callback address for all payments; null:
   *  none of ours. */
  paymentOfCallback?(body: string): string | null;
  /** Reads one message of the provider's socket about the attempt with this reference; null: not relevant.
   *  Absent when a provider has no socket. */
  readMessage?(message: string, reference: string): SocketReport | null;
}

/** An adapter whose attempts start with a call of ours, and end with the buyer's return. */
export interface CalledAdapter extends Adapter {
  readonly start: Call<StartInput, StartAnswer>;
  readonly lookup: Call<LookupInput, LookupReading>;
  readonly parseReturn: ParseReturn;
}

/** An adapter whose attempts start in the browser. */
export interface PostedAdapter extends Adapter {
  readonly start: { open(input: StartInput, credentials: Credentials, root: string): StartAnswer };
  readonly lookup: Call<LookupInput, LookupReading>;
  readonly parseReturn: ParseReturn;
}

/** Everything about one provider: its public traits, its adapter, and its sandbox settings. Its simulator
 *  is in gateways/simulator. */
export interface ProviderDescriptor extends ProviderTraits {
  readonly adapter: Adapter;
  /** The credentials of a new sandbox project: they are accepted only by the simulator. */
  readonly sandboxCredentials: Credentials;
}

/** The unique name of an attempt for every provider: `pay-4t8z...`. It is not verified that all of them
 *  accept the hyphen, so the format is defined only here. */
export const providerReference = (paymentId: string): string => paymentId.replace('_', '-');

/** The payment that such a reference names; null if it cannot be one of ours. */
export const paymentOfReference = (reference: unknown): string | null =>
  typeof reference === 'string' && /^pay-[0-9a-z]{16}$/.test(reference) ? reference.replace('-', '_') : null;

/** `{base}/return/wallet_b/pay_.../web/done`. */
export const returnUrlOf = (
  base: string,
  provider: Provider,
  paymentId: string,
  leg: 'web' | 'intent',
  outcome: string,
): string => `${base}/return/${provider}/${paymentId}/${leg}/${outcome}`;

/** How long after its announced end an attempt unknown to the provider counts as expired. */
const expiredGraceMs: DurationMs = seconds(60);

/** An unknown attempt past its announced end has expired; `pending` stays pending. */
export function expiredIfOver(
  reading: LookupReading,
  providerExpiresAt: Instant | null,
  now: Instant,
): LookupReading {
  const over = providerExpiresAt !== null && now >= providerExpiresAt + expiredGraceMs;
  return reading.outcome === 'not_found' && over ? { ...reading, outcome: 'expired' } : reading;
}

/** Whether we were refused, whatever the body contains: a wrong key, or too many calls. That says nothing
 *  about a payment. */
export const isRefusal = ({ status }: WireReply): boolean =>
  status === 401 || status === 403 || status === 429;

/** The whole reply as a JSON object; null for anything else. */
export function objectIn(text: string): { readonly [key: string]: unknown } | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
