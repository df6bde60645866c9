/** The provider side of wallet_a's app, simulated: three signed calls to neutral commands, neutral state to text,
 *  and the call of its server.
 *  Boundary: pure; imports only the kernel and what simulators share, so that it cannot share a mistake with the
 *  adapter.
 *  1. A signature is checked before anything is done, over the text as it was sent.
 *  2. Every id it gives out contains the payment's id, so any node can find the payment from it. A leg in the app
 *     is a simulated payment of its own: `pay_..._i`. */
import { createHmac } from 'node:crypto';
import { equalInConstantTime } from '../../../kernel/hash.ts';
import type { Paisa } from '../../../kernel/money.ts';
import {
  isWebAddress,
  type Neutral,
  objectIn,
  paisaIn,
  paymentNamed,
  type SimulatedReply,
  spelled,
  spoiled as changed,
} from '../../simulated-wire.ts';

/** The credentials of every sandbox project; they are accepted only by the simulator. */
const merchant = {
  productCode: 'INTENT',
  key: 'LB0REg8HUSw3MTYrI1s6JTE8Kyc6JyAqJiA3MQ==',
} as const;

/** How long a booking can be paid. */
export const bookingLifeS = 1800;

/** How the deeplink names the app to a phone. */
const appScheme = 'walleta';
const appPackage = 'example.wallet.a';

/** The payment of ours that a leg belongs to: `pay_...` of `pay_..._i`. */
export const attemptOf = (legId: string): string => legId.replace(/_i$/, '');

/** The leg that our reference names; null if it cannot be one of ours. */
const legOfReference = (reference: string): string | null => legOf(paymentNamed(reference, 'pay-', '-i'));

const textOf = (legId: string): string => attemptOf(legId).slice('pay_'.length);

/** The last part of the deeplink. */
export const slugOf = (legId: string): string => `d${textOf(legId)}`;
export const bookingIdOf = (legId: string): string => `BK-${textOf(legId).toUpperCase()}`;
export const correlationIdOf = (legId: string): string => `CR-${textOf(legId).toUpperCase()}`;
const referenceCodeOf = (legId: string): string => `000${textOf(legId).toUpperCase()}I`;

export const legOfSlug = (slug: string): string | null => legOf(paymentNamed(slug, 'd'));

const legOfBooking = (bookingId: string): string | null =>
  legOf(paymentNamed(bookingId.toLowerCase(), 'bk-'));

const legOf = (paymentId: string | null): string | null => (paymentId === null ? null : `${paymentId}_i`);

// What is asked.

export interface BookRequest {
  readonly legId: string;
  readonly amount: Paisa;
  readonly callbackUrl: string;
  readonly redirectUrl: string;
  readonly remarks: string;
}

export type Parsed<Request> =
  | { readonly is: 'asked'; readonly request: Request }
  | { readonly is: 'reply'; readonly reply: SimulatedReply };

const no = (says: string): Parsed<never> => ({ is: 'reply', reply: refusedReply(says) });

export function parseBook(text: string): Parsed<BookRequest> {
  const body = signedBody(text, ['product_code', 'amount', 'transaction_uuid']);
  if (typeof body === 'string') return no(body);
  const amount = paisaIn(body.texts['amount'] ?? '');
  const legId = legOfReference(body.texts['transaction_uuid'] ?? '');
  const { callback_url: callbackUrl = '', redirect_url: redirectUrl = '' } = body.texts;
  if (amount === null || amount < 1) return no('The amount is not valid.');
  if (legId === null) return no('The transaction is not valid.');
  if (![callbackUrl, redirectUrl].every(isWebAddress)) return no('An address is not valid.');
  const remarks = body.properties['remarks'];
  return {
    is: 'asked',
    request: {
      legId,
      amount,
      callbackUrl,
      redirectUrl,
      remarks: typeof remarks === 'string' ? remarks : '',
    },
  };
}

/** The leg that is asked about. */
export function parseStatus(text: string): Parsed<string> {
  const body = signedBody(text, ['booking_id', 'product_code', 'correlation_id']);
  if (typeof body === 'string') return no(body);
  const legId = legOfBooking(body.texts['booking_id'] ?? '');
  return legId === null || body.texts['correlation_id'] !== correlationIdOf(legId)
    ? { is: 'reply', reply: unknownReply() }
    : { is: 'asked', request: legId };
}

/** The leg to cancel. */
export function parseCancel(text: string): Parsed<string> {
  const body = signedBody(text, ['booking_id', 'product_code']);
  if (typeof body === 'string') return no(body);
  const legId = legOfBooking(body.texts['booking_id'] ?? '');
  return legId === null ? { is: 'reply', reply: unknownReply() } : { is: 'asked', request: legId };
}

// What is answered.

const says = (code: string, message: string, data: object | null = null): SimulatedReply => ({
  status: 200,
  body: JSON.stringify({ code, message, data }),
});

export const bookedReply = (legId: string, deeplink: string): SimulatedReply =>
  says('IP-201', 'Booked', {
    booking_id: bookingIdOf(legId),
    deeplink,
    correlation_id: correlationIdOf(legId),
  });

export const refusedReply = (message: string): SimulatedReply => says('IP-400', message);
export const unknownReply = (): SimulatedReply => refusedReply('No such booking.');
export const cancelledReply = (): SimulatedReply => says('IP-210', 'Cancelled');
export const processedReply = (): SimulatedReply => says('IP-410', 'Already processed');

/** The answer during an outage of the wallet: status 200 too. */
export const outageReply = (): SimulatedReply => ({
  status: 200,
  body: '{"code":0,"error_message":"Service is currently unavailable"}',
});

/** The fields of a leg that the wallet shows. */
export interface Shown {
  readonly legId: string;
  readonly amount: Paisa;
  readonly status: Neutral;
  /** A status text that replaces the state's own. */
  readonly statusText?: string;
  /** It names another payment. */
  readonly isAnother?: boolean;
  /** The number format of amounts, given as the example of a thousand rupees; any other text is used literally. */
  readonly amountText?: string;
}

const words: Readonly<Record<Neutral, string>> = {
  created: 'BOOKED',
  opened: 'PENDING',
  paid: 'SUCCESS',
  declined: 'FAILED',
  cancelled: 'CANCELED',
  // answered as an unknown booking
  ended: '',
  partly_refunded: 'SUCCESS',
  refunded: 'REVERTED',
};

/** A text for a payment whose state cannot be determined. */
export const unknownStatus = 'IN_DOUBT';

const isMoney = (status: Neutral): boolean =>
  status === 'paid' || status === 'partly_refunded' || status === 'refunded';

const correlationShown = ({ legId, isAnother }: Shown): string =>
  `${correlationIdOf(legId)}${isAnother === true ? 'X' : ''}`;

export function statusReply(shown: Shown): SimulatedReply {
  const { legId, status, statusText } = shown;
  if (status === 'ended' && statusText === undefined) return unknownReply();
  const money = isMoney(status)
    ? { transaction_id: `T${referenceCodeOf(legId)}`, reference_code: referenceCodeOf(legId) }
    : {};
  return says('IP-200', 'OK', {
    booking_id: bookingIdOf(legId),
    product_code: merchant.productCode,
    status: statusText ?? words[status],
    correlation_id: correlationShown(shown),
    ...money,
  });
}

/** The ways in which a call can be corrupted. */
export interface Spoiled {
  /** One character of the signature is changed. */
  readonly badSignature: boolean;
  /** `status` is missing from the signed names, and the rest is signed correctly. */
  readonly statusUnsigned: boolean;
}

/** What the wallet's server posts to the callback address. */
export function callbackBody(shown: Shown, spoiled: Spoiled): string {
  const { legId, status, statusText, amount, amountText } = shown;
  const all = ['product_code', 'amount', 'reference_code', 'correlation_id', 'status', 'signed_field_names'];
  const names = spoiled.statusUnsigned ? all.filter((name) => name !== 'status') : all;
  const written = spelled(amount, amountText);
  const values: { readonly [name: string]: string } = {
    product_code: merchant.productCode,
    amount: written.replaceAll('"', ''),
    reference_code: isMoney(status) ? referenceCodeOf(legId) : '',
    correlation_id: correlationShown(shown),
    status: statusText ?? words[status],
    signed_field_names: names.join(','),
  };
  const signature = signed(names.map((name) => `${name}=${values[name] ?? ''}`).join(','));
  const members = all.map(
    (name) => `"${name}":${name === 'amount' ? written : JSON.stringify(values[name])}`,
  );
  const sent = spoiled.badSignature ? changed(signature) : signature;
  return `{${members.join(',')},"signature":${JSON.stringify(sent)}}`;
}

/** The address that opens the app on a phone. */
export const intentUrlOf = (slug: string): string =>
  `intent://d/${slug}#Intent;scheme=${appScheme};package=${appPackage};end`;

/** Whether the deeplink tries to open the app: any other browser gets a page. */
export const isPhone = (userAgent: string): boolean => /android|iphone|ipad|mobile/i.test(userAgent);

// Reading and signing.

interface SignedBody {
  /** Texts, and numbers as they were written. */
  readonly texts: { readonly [name: string]: string };
  readonly properties: { readonly [name: string]: unknown };
}

/** The body of a call; what is wrong with it otherwise. */
function signedBody(text: string, mustBeSigned: readonly string[]): SignedBody | string {
  const whole = objectIn(text);
  if (whole === null || Object.keys(whole).length > fieldsMax) return 'The body is not readable.';
  const texts: { [name: string]: string } = Object.create(null);
  const numbers = numbersAsWritten(text);
  for (const name of Object.keys(whole)) {
    const value = whole[name];
    if (typeof value === 'string') texts[name] = value;
    else if (typeof value === 'number') texts[name] = numbers.get(name) ?? '';
  }
  const names = (texts['signed_field_names'] ?? '').split(',');
  if (!mustBeSigned.every((name) => names.includes(name) && texts[name] !== undefined))
    return 'Too few fields are signed.';
  const claimed = signed(names.map((name) => `${name}=${texts[name] ?? ''}`).join(','));
  if (!equalInConstantTime(texts['signature'] ?? '', claimed)) return 'Invalid payload signature.';
  if (texts['product_code'] !== merchant.productCode) return 'No such product.';
  const { properties } = whole;
  const more = typeof properties === 'object' && properties !== null ? { ...properties } : {};
  return { texts, properties: more };
}

/** Of a message; the wallet's have about ten. */
const fieldsMax = 100;

/** By name, in one pass. */
const numbersAsWritten = (text: string): ReadonlyMap<string, string> =>
  new Map(
    [...text.matchAll(/"((?:[^"\\]|\\.)*)"(?:\s*:\s*(-?[\d.eE+-]+))?/g)].flatMap(([, name = '', number]) =>
      number === undefined ? [] : [[name, number] as const],
    ),
  );

const signed = (text: string): string =>
  createHmac('sha256', Buffer.from(merchant.key, 'utf8')).update(text, 'utf8').digest('base64');
