/** What a payment provider's adapter must offer: per call a request to build, a reply to read.
 *  Boundary: types and the rules every provider shares. call.ts does the IO, registry.ts lists the adapters.
 *  1. An adapter is pure: credentials, addresses and the time come in as arguments, nothing else does.
 *  2. A reply it cannot read is `null`; what that means (pending, never failed) is decided in call.ts alone.
 *  3. Only a look-up may say `paid`; a return is a hint whatever it claims. */
import type { Order } from '../../actors/checkout-session/order.ts';
import type { Instructions, LookupAnswer, Provider, Seen, StartAnswer } from './answers.ts';
import type { Paisa } from '../kernel/money.ts';
import { seconds, type DurationMs, type Instant } from '../kernel/time.ts';
import type { ProviderTraits } from './traits.ts';

export type { Instructions, LookupAnswer, Order, Provider, StartAnswer };

/** What a merchant has been given by the provider, in clear; names as in docs/reference/api.md. */
export type Credentials = { readonly [name: string]: string };

/** One HTTP request, whole. */
export interface WireRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: string | null;
}

/** One HTTP reply, whole; header names in lower case. */
export interface WireReply {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly text: string;
}

/** What a reply says. `alarm` is for the operator: the provider refuses us, not the buyer (a wrong key). */
export interface Reading<Answer> {
  readonly answer: Answer;
  readonly alarm: string | null;
}

/** A start that is no call of ours: the browser posts a form to the provider, who hears of the attempt by that. */
export interface BrowserStart {
  /** `root` is the provider's address as a browser opens it, without a trailing slash. */
  open(input: StartInput, credentials: Credentials, root: string): StartAnswer;
}

/** One call of an adapter: two pure functions. */
export interface Call<In, Answer> {
  /** `root` is the provider's address without a trailing slash; the paths below it are the adapter's. */
  build(input: In, credentials: Credentials, root: string): WireRequest;
  /** null: there is no readable answer in it. */
  read(reply: WireReply, input: In): Reading<Answer> | null;
}

export interface StartInput {
  readonly paymentId: string;
  readonly amount: Paisa;
  readonly order: Order;
  /** Where the buyer comes back to, on our public address, `.../web/done`. A wallet that wants an address for each
   *  end puts another word in the place of the last one. */
  readonly returnUrl: string;
  readonly now: Instant;
}

export interface LookupInput {
  readonly paymentId: string;
  readonly amount: Paisa;
  /** What the provider knows the attempt by, as its start answered. */
  readonly lookupReference: string;
  readonly seen?: Seen;
}

export interface RefundInput {
  readonly providerRef: string;
  readonly amount: Paisa;
  /** Covers the whole payment and none succeeded before. */
  readonly full: boolean;
  readonly mobileNumber: string | null;
}

/** The part of a look-up's answer that is in the reply; the call adds how it was made. */
export type LookupReading = Omit<LookupAnswer, 'httpStatus' | 'durationMs' | 'raw'>;

/** What the provider called it, where we have no word of our own for that. `call.ts` makes it fit to be kept. */
export const unknownWord = (outcome: LookupAnswer['outcome'], said: string): { readonly word?: string } =>
  outcome === 'ambiguous' ? { word: said } : {};

/** A look-up that brought no word: pending, never paid or failed. */
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

export interface RefundAnswer {
  readonly outcome: 'succeeded' | 'rejected';
  readonly providerRefundId: string | null;
  readonly message: string | null;
}

/** What a buyer's browser brings back from a provider. */
export interface Brought {
  /** Of the payment the address names. */
  readonly paymentId: string;
  /** The last word of the address: `done`, or what the adapter put there. */
  readonly outcome: string;
  /** The query of a GET, the form of a POST. */
  readonly query: URLSearchParams;
}

/** What a buyer's return claims; a reason to look up, never a verdict. */
export interface ReturnHint {
  readonly hint: 'paid' | 'failed' | 'cancelled' | 'unknown';
  /** Whether the provider signed it and the signature holds. */
  readonly verified: boolean;
  readonly summary: string;
}

/** What a provider's socket says of an attempt; a hint, like a return. */
export type SocketWord = 'scanned' | 'paid' | 'failed';

export type ParseReturn = (brought: Brought, credentials: Credentials) => ReturnHint;

export interface Adapter {
  /** Names of the credentials it needs, all of them. */
  readonly credentialNames: readonly string[];
  readonly start: Call<StartInput, StartAnswer> | BrowserStart;
  readonly lookup: Call<LookupInput, LookupReading>;
  /** null: the provider has no refund call. */
  readonly refund: Call<RefundInput, RefundAnswer> | null;
  /** Reads what the buyer's browser brings back; null: the provider sends no browser back. */
  readonly parseReturn: ParseReturn | null;
  /** Reads one message of the provider's socket about the attempt it knows by this reference; null: nothing for us.
   *  Left out where a provider has no socket. */
  hear?(message: string, reference: string): SocketWord | null;
}

/** An adapter whose attempts begin with a call of ours, and end with the buyer's return. */
export interface CalledAdapter extends Adapter {
  readonly start: Call<StartInput, StartAnswer>;
  readonly parseReturn: ParseReturn;
}

/** An adapter whose attempts begin in the browser. */
export interface PostedAdapter extends Adapter {
  readonly start: BrowserStart;
  readonly parseReturn: ParseReturn;
}

/** Everything about one provider: what everybody may know of it, how we speak with it, and its place in the sandbox.
 *  Its simulated side is in gateways/simulator. */
export interface ProviderDescriptor extends ProviderTraits {
  readonly adapter: Adapter;
  /** What a new sandbox project starts with: they open the simulator and nothing else. */
  readonly sandboxCredentials: Credentials;
}

/** The unique name of an attempt on every provider's wire: `pay-4t8z...`. Whether all of them
 *  take the hyphen is unverified, so it is decided here alone. */
export const providerReference = (paymentId: string): string => paymentId.replace('_', '-');

/** `{base}/return/wallet_b/pay_.../web/done`. */
export const returnUrlOf = (
  base: string,
  provider: Provider,
  paymentId: string,
  leg: 'web' | 'intent',
  outcome: string,
): string => `${base}/return/${provider}/${paymentId}/${leg}/${outcome}`;

/** How long after its announced end an attempt the provider does not know counts as expired. */
export const expiredGraceMs: DurationMs = seconds(60);

/** An attempt nobody knows any more, past its announced end, has expired; `pending` stays. */
export function expiredIfOver(
  reading: LookupReading,
  providerExpiresAt: Instant | null,
  now: Instant,
): LookupReading {
  const over = providerExpiresAt !== null && now >= providerExpiresAt + expiredGraceMs;
  return reading.outcome === 'not_found' && over ? { ...reading, outcome: 'expired' } : reading;
}

/** Whether we were turned away, whatever the body says: a wrong key, or too many calls. That is no word about a
 *  payment. */
export const isRefusal = ({ status }: WireReply): boolean =>
  status === 401 || status === 403 || status === 429;

/** The whole reply as a JSON object; null for anything else. */
export function objectIn(text: string): { readonly [key: string]: unknown } | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
