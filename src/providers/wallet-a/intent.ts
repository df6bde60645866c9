/** The adapter of wallet_a's app: a payment is booked, paid in the app, and reported to our callback address.
 *  Boundary: pure pairs of build and read; call.ts sends.
 *  1. A booking is known by two ids, both in its look-up reference. Its look-up names no amount, because the
 *     signed booking has fixed it; an amount that a signed callback has named counts all the same.
 *  2. Only `SUCCESS` is paid; an unknown status is ambiguous, and an unknown code is no answer.
 *  3. Everything unconfirmed about this protocol is in `unverified`. */
import { paisaFromRupees } from '../../kernel/money.ts';
import { seconds, type DurationMs } from '../../kernel/time.ts';
import type { Booking } from '../answers.ts';
import {
  isRefusal,
  nothingRead,
  objectIn,
  providerReference,
  unknownWord,
  type AppIntent,
  type BookInput,
  type CallbackHint,
  type CallbackRequest,
  type CancelInput,
  type Credentials,
  type BookingLookupInput,
  type LookupReading,
  type Reading,
  type ReturnHint,
  type StartAnswer,
  type WireReply,
  type WireRequest,
} from '../provider.ts';
import { amountText, fieldsIn, isSigned, signatureOf, signedNamesOf, type Fields } from './signing.ts';

/** How long a booking lives; the wallet has not confirmed it. */
const WALLET_A_INTENT_BOOKING_LIFE_S = 1800;

/** Facts not confirmed yet; each is used in only one place, through this object. */
const unverified = {
  bookingLifeMs: seconds(WALLET_A_INTENT_BOOKING_LIFE_S),
  /** What was done is told by `code`; the HTTP status only by an outage or a refusal. */
  codes: {
    booked: ['IP-200', 'IP-201'],
    shown: ['IP-200'],
    cancelled: ['IP-210'],
    refused: ['IP-400', 'IP-410'],
    unknownBooking: ['IP-400'],
  },
} as const;

/** By then the buyer goes on on the web. */
const bookMsMax: DurationMs = seconds(5);
const folder = '/api/client/intent/payment';
const signedOfBook = ['product_code', 'amount', 'transaction_uuid'] as const;
const signedOfStatus = ['booking_id', 'product_code', 'correlation_id'] as const;
const signedOfCancel = ['booking_id', 'product_code'] as const;
/** A callback that does not sign these fields is refused. */
const signedOfCallback = ['product_code', 'amount', 'reference_code', 'correlation_id', 'status'] as const;
const remarksCharactersMax = 200;

export const appIntent: AppIntent = {
  book: { build: buildBook, read: readBook, withinMs: bookMsMax },
  lookup: {
    build: buildStatus,
    read: readStatus,
    hides: ({ lookupReference }) => lookupReference.split(' '),
  },
  cancel: { build: buildCancel, read: readCancel },
};

const referenceOf = ({ bookingId, correlationId }: Booking): string => `${bookingId} ${correlationId}`;

function bookingIn(reference: string): Booking {
  const [bookingId = '', correlationId = ''] = reference.split(' ');
  return { bookingId, correlationId };
}

interface Signed {
  readonly names: readonly string[];
  readonly fields: Fields;
}

function post(
  root: string,
  path: string,
  { names, fields }: Signed,
  credentials: Credentials,
  more: object = {},
): WireRequest {
  const { intentSecretKey: key = '' } = credentials;
  const signature = signatureOf(names, fields, key);
  const sent = { ...fields, signed_field_names: names.join(','), signature, ...more };
  // the amount is sent as the digits that were signed
  const body = JSON.stringify(sent).replace(/"amount":"([\d.]+)"/, '"amount":$1');
  return {
    method: 'POST',
    url: `${root}${folder}${path}`,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body,
  };
}

function buildBook(input: BookInput, credentials: Credentials, root: string): WireRequest {
  const { paymentId, sessionId, amount, order, callbackUrl, returnUrl } = input;
  const reference = `${providerReference(paymentId)}-i`;
  const fields = {
    product_code: credentials['intentProductCode'] ?? '',
    amount: amountText(amount),
    transaction_uuid: reference,
  };
  const remarks = Array.from(order.description ?? reference)
    .slice(0, remarksCharactersMax)
    .join('');
  return post(root, '/book', { names: signedOfBook, fields }, credentials, {
    callback_url: callbackUrl,
    redirect_url: returnUrl,
    properties: { customer_id: sessionId, remarks },
  });
}

function readBook(reply: WireReply, { now }: BookInput): Reading<StartAnswer> | null {
  const body = answerIn(reply);
  if (body === null) return null;
  if (isOneOf(body.code, unverified.codes.booked)) {
    const booking = bookingOf(body.data);
    const url = webAddress(body.data['deeplink']);
    if (booking === null || url === null) return null;
    return {
      answer: {
        outcome: 'started',
        instructions: { kind: 'intent', method: 'GET', url, fields: {} },
        lookupReference: referenceOf(booking),
        providerExpiresAt: now + unverified.bookingLifeMs,
        booking,
      },
      alarm: null,
    };
  }
  if (!isOneOf(body.code, unverified.codes.refused)) return null;
  const message = `${body.code} ${body.message}`;
  return { answer: { outcome: 'failed', message }, alarm: `book: ${message}` };
}

function buildStatus(input: BookingLookupInput, credentials: Credentials, root: string): WireRequest {
  const { bookingId, correlationId } = bookingIn(input.lookupReference);
  const fields = {
    booking_id: bookingId,
    product_code: credentials['intentProductCode'] ?? '',
    correlation_id: correlationId,
  };
  return post(root, '/status', { names: signedOfStatus, fields }, credentials);
}

/** Status texts in upper case and their meaning; any other text is unknown. */
const outcomes: ReadonlyMap<string, LookupReading['outcome']> = new Map([
  ['BOOKED', 'pending'],
  ['PENDING', 'pending'],
  ['SUCCESS', 'paid'],
  ['FAILED', 'failed'],
  ['CANCELED', 'cancelled'],
  ['REVERTED', 'failed'],
]);

function readStatus(reply: WireReply, input: BookingLookupInput): Reading<LookupReading> | null {
  const body = answerIn(reply);
  if (body === null) return null;
  if (isOneOf(body.code, unverified.codes.unknownBooking)) {
    const outcome = input.seen?.wasPending === true ? 'expired' : 'not_found';
    return { answer: { ...nothingRead, answered: true, outcome }, alarm: null };
  }
  const status = textIn(body.data['status']);
  if (!isOneOf(body.code, unverified.codes.shown) || status === null) return null;
  const outcome = outcomeOf(status.toUpperCase(), input);
  const booking = bookingOf(body.data);
  return {
    answer: {
      ...nothingRead,
      answered: true,
      outcome,
      ...unknownWord(outcome, status),
      amountPaisa: input.seen?.toldAmount ?? null,
      reference: booking === null ? null : referenceOf(booking),
      providerRef: textIn(body.data['reference_code']) ?? textIn(body.data['transaction_id']),
      failureCode: outcome === 'failed' ? 'declined' : null,
    },
    alarm: null,
  };
}

/** A payment in reverse has failed, unless we have its money; a booking that has outlived its life and was not
 *  paid has expired, whatever its status. */
function outcomeOf(status: string, input: BookingLookupInput): LookupReading['outcome'] {
  const { seen, now, providerExpiresAt } = input;
  if (status === 'SUCCESS') return seen?.toldAmount === null ? 'ambiguous' : 'paid';
  if (status === 'REVERTED' && seen?.paid === true) return 'refunded';
  if (providerExpiresAt !== null && now >= providerExpiresAt) return 'expired';
  return outcomes.get(status) ?? 'ambiguous';
}

function buildCancel({ booking }: CancelInput, credentials: Credentials, root: string): WireRequest {
  const fields = {
    booking_id: booking.bookingId,
    product_code: credentials['intentProductCode'] ?? '',
  };
  return post(root, '/cancel', { names: signedOfCancel, fields }, credentials);
}

function readCancel(reply: WireReply): Reading<{ readonly done: boolean }> | null {
  const body = answerIn(reply);
  if (body === null) return null;
  const { cancelled, refused } = unverified.codes;
  if (isOneOf(body.code, cancelled)) return { answer: { done: true }, alarm: null };
  return isOneOf(body.code, refused) ? { answer: { done: false }, alarm: null } : null;
}

/** Only a callback that is signed, complete and for this merchant is one. */
export function parseCallback({ body }: CallbackRequest, credentials: Credentials): CallbackHint | null {
  const fields = fieldsIn(body);
  if (fields === null) return null;
  const names = signedNamesOf(fields);
  const isWhole = signedOfCallback.every((name) => names.includes(name) && Object.hasOwn(fields, name));
  if (!isWhole || !isSigned(fields, credentials['intentSecretKey'] ?? '')) return null;
  if (fields['product_code'] !== credentials['intentProductCode']) return null;
  const { status = '', correlation_id: reference = '', amount = '' } = fields;
  return {
    hint: hints.get(status.toUpperCase()) ?? 'unknown',
    verified: true,
    summary: `Callback of the app: ${status.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 40)}`,
    leg: 'intent',
    told: { reference, amountPaisa: paisaFromRupees(amount) },
  };
}

const hints: ReadonlyMap<string, ReturnHint['hint']> = new Map([
  ['SUCCESS', 'paid'],
  ['FAILED', 'failed'],
  ['CANCELED', 'cancelled'],
]);

interface IntentAnswer {
  readonly code: string;
  readonly message: string;
  readonly data: { readonly [name: string]: unknown };
}

/** An answer of the wallet; null for anything else, such as its outage, whose code is a number. */
function answerIn(reply: WireReply): IntentAnswer | null {
  if (reply.status >= 500 || isRefusal(reply)) return null;
  const body = objectIn(reply.text);
  const code = textIn(body?.['code']);
  if (body === null || code === null) return null;
  const { data, message } = body;
  const given = typeof data === 'object' && data !== null ? { ...data } : {};
  return { code, message: typeof message === 'string' ? message : '', data: given };
}

const isOneOf = (code: string, codes: readonly string[]): boolean => codes.includes(code);

/** Both ids are printable, short and without a blank. */
function bookingOf(data: IntentAnswer['data']): Booking | null {
  const [bookingId, correlationId] = [textIn(data['booking_id']), textIn(data['correlation_id'])];
  return bookingId === null || correlationId === null ? null : { bookingId, correlationId };
}

const textIn = (value: unknown): string | null =>
  typeof value === 'string' && /^[\x21-\x7e]{1,200}$/.test(value) ? value : null;

/** A deeplink is a web address: it is put into a page and into a code. */
function webAddress(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 1000 || !URL.canParse(value)) return null;
  return ['http:', 'https:'].includes(new URL(value).protocol) ? value : null;
}
