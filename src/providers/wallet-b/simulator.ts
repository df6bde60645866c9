/** The provider side of wallet_b's protocol, simulated: text to neutral command, neutral state to text.
 *  Boundary: pure; imports only the kernel and what simulators share, so that it cannot share a mistake with the
 *  adapter.
 *  1. Every call except the buyer's needs `Authorization: Key <secret>`, which is checked before the body.
 *  2. Every id given out contains the payment's id, so any node can find the payment from it.
 *  3. Everything unconfirmed about this protocol is in `unverified`. */
import { equalInConstantTime } from '../../kernel/hash.ts';
import type { Paisa } from '../../kernel/money.ts';
import { seconds, type DurationMs, type Instant } from '../../kernel/time.ts';
import {
  isWebAddress,
  jsonReply,
  type Neutral,
  objectIn,
  paymentNamed,
  type SimulatedReply,
} from '../simulated-wire.ts';

/** The credentials of every sandbox project; they are accepted only by the simulator. */
export const simulatorCredentials = { secretKey: 'simulated_wallet_b_key' } as const;

/** How long a buyer may take. */
export const lifeMs: DurationMs = seconds(1800);

/** The test buyers; anybody else cannot log in. */
export const testBuyers = {
  mobiles: ['9800000000', '9800000001', '9800000002', '9800000003', '9800000004', '9800000005'],
  mpin: '1111',
  otp: '987654',
} as const;

/** A status text unknown to every adapter, for a payment whose state cannot be determined. */
export const unknownStatus = 'On Hold';

const unverified = {
  notFound: { detail: 'Not found.', error_key: 'validation_error' },
  refundedInPart: true,
  mobileRequired: 'Mobile number is required.',
  refundTooMuch: 'Amount should be at most the amount that is left.',
  refundRefused: 'Transaction can not be refunded.',
} as const;

/** The fields of a payment that the protocol shows. */
export interface Shown {
  /** The pidx. */
  readonly handle: string;
  /** The wallet's own id, shown once there is money. */
  readonly transactionId: string;
  readonly amount: Paisa;
  readonly status: Neutral;
  /** Look-ups answered since the status last changed. */
  readonly lookupsShown: number;
  /** A status text that replaces the state's own. */
  readonly statusText?: string;
}

export type Parsed<Command> =
  | { readonly is: 'command'; readonly command: Command }
  | { readonly is: 'reply'; readonly reply: SimulatedReply };

const refusing = (status: number, body: object): { is: 'reply'; reply: SimulatedReply } => ({
  is: 'reply',
  reply: jsonReply(status, body),
});

export const notFoundReply = (): SimulatedReply => jsonReply(404, unverified.notFound);
export const invalidReply = (field: string, says: string): SimulatedReply =>
  jsonReply(400, { [field]: [says], error_key: 'validation_error' });

// Ids: `pidx` and the transaction's id, both containing the payment's.

export const handleOf = (paymentId: string): string => `px${paymentId.slice('pay_'.length)}`;
export const transactionOf = (paymentId: string): string =>
  `TX${paymentId.slice('pay_'.length).toUpperCase()}`;

/** The payment a pidx, a transaction id or a reference names; null if it cannot be one of ours. */
export function paymentOf(kind: 'pidx' | 'transaction' | 'reference', text: string): string | null {
  const before = { pidx: 'px', transaction: 'tx', reference: 'pay-' };
  return paymentNamed(kind === 'transaction' ? text.toLowerCase() : text, before[kind]);
}

// Start.

export interface StartRequest {
  readonly reference: string;
  readonly amount: Paisa;
  readonly returnUrl: string;
  readonly title: string;
}

export function parseStart(authorization: string, text: string): Parsed<StartRequest> {
  const fields = bodyOf(authorization, text);
  if (fields.is === 'reply') return fields;
  const body = fields.command;
  const wrong = startProblems(body);
  if (Object.keys(wrong).length > 0) return refusing(400, { ...wrong, error_key: 'validation_error' });
  return {
    is: 'command',
    command: {
      reference: String(body['purchase_order_id']),
      amount: Number(body['amount']),
      returnUrl: String(body['return_url']),
      title: String(body['purchase_order_name']),
    },
  };
}

function startProblems(body: Body): { [field: string]: string[] } {
  const wrong: { [field: string]: string[] } = {};
  for (const field of ['return_url', 'website_url'] as const) {
    if (!isWebAddress(body[field])) wrong[field] = ['Enter a valid URL.'];
  }
  for (const field of ['purchase_order_id', 'purchase_order_name'] as const) {
    if (typeof body[field] !== 'string' || body[field] === '') wrong[field] = ['This field is required.'];
  }
  const { amount } = body;
  if (typeof amount !== 'number' || !Number.isSafeInteger(amount)) {
    wrong['amount'] = ['A valid integer is required.'];
  } else if (amount < 1000) {
    wrong['amount'] = ['Amount should be greater than Rs. 10, that is 1000 paisa.'];
  } else if (!addsUp(body['amount_breakdown'], amount)) {
    wrong['amount_breakdown'] = ['The parts do not add up to the amount.'];
  }
  return wrong;
}

function addsUp(parts: unknown, amount: Paisa): boolean {
  if (parts === undefined) return true;
  if (!Array.isArray(parts)) return false;
  let sum = 0;
  for (const part of parts as unknown[]) {
    if (typeof part !== 'object' || part === null || !('amount' in part)) return false;
    if (typeof part.amount !== 'number') return false;
    sum += part.amount;
  }
  return sum === amount;
}

/** `page` is the simulated wallet's address for browsers, without a trailing slash. */
export const startReply = (
  { handle }: Pick<Shown, 'handle'>,
  lifeEndsAt: Instant,
  now: Instant,
  page: string,
): SimulatedReply =>
  jsonReply(200, {
    pidx: handle,
    payment_url: `${page}/?pidx=${handle}`,
    expires_at: kathmanduText(lifeEndsAt),
    expires_in: Math.max(0, Math.round((lifeEndsAt - now) / 1000)),
  });

/** `2026-11-20T15:30:00.000000+05:45`. */
function kathmanduText(at: Instant): string {
  const local = new Date(at + (5 * 60 + 45) * 60_000).toISOString();
  return `${local.slice(0, -1)}000+05:45`;
}

// Look-up.

export function parseLookup(authorization: string, text: string): Parsed<{ readonly handle: string }> {
  const fields = bodyOf(authorization, text);
  if (fields.is === 'reply') return fields;
  const { pidx } = fields.command;
  if (typeof pidx === 'string' && pidx !== '') return { is: 'command', command: { handle: pidx } };
  return { is: 'reply', reply: invalidReply('pidx', 'This field is required.') };
}

export function lookupReply(shown: Shown): SimulatedReply {
  const { httpStatus, statusText, money, refunded } = wordsOf(shown);
  return jsonReply(httpStatus, {
    pidx: shown.handle,
    total_amount: shown.amount,
    status: shown.statusText ?? statusText,
    transaction_id: money ? shown.transactionId : null,
    fee: 0,
    refunded,
  });
}

interface Words {
  readonly httpStatus: 200 | 400;
  readonly statusText: string;
  readonly money: boolean;
  readonly refunded: boolean;
}

const words = (httpStatus: 200 | 400, statusText: string, money = false, refunded = false): Words => ({
  httpStatus,
  statusText,
  money,
  refunded,
});

const wordsByState: Readonly<Record<Exclude<Neutral, 'declined'>, Words>> = {
  created: words(200, 'Initiated'),
  opened: words(200, 'Pending'),
  paid: words(200, 'Completed', true),
  cancelled: words(400, 'User canceled'),
  ended: words(400, 'Expired'),
  partly_refunded: words(200, 'Partially Refunded', true, unverified.refundedInPart),
  refunded: words(200, 'Refunded', true, true),
};

/** The protocol has no failed status: a declined buyer stays on the page, then gives up. */
const wordsOf = ({ status, lookupsShown }: Shown): Words => {
  if (status !== 'declined') return wordsByState[status];
  return wordsByState[lookupsShown === 0 ? 'opened' : 'cancelled'];
};

// Refund.

export interface RefundRequest {
  readonly paymentId: string;
  /** null: the whole amount. */
  readonly amount: Paisa | null;
  readonly mobile: string | null;
}

export function parseRefund(
  authorization: string,
  transactionId: string,
  text: string,
): Parsed<RefundRequest> {
  const fields = bodyOf(authorization, text);
  if (fields.is === 'reply') return fields;
  const paymentId = paymentOf('transaction', transactionId);
  if (paymentId === null) return { is: 'reply', reply: notFoundReply() };
  const { amount, mobile } = fields.command;
  if (amount !== undefined && (typeof amount !== 'number' || !Number.isSafeInteger(amount) || amount < 1)) {
    return { is: 'reply', reply: invalidReply('amount', 'A valid integer is required.') };
  }
  const phone = typeof mobile === 'string' ? mobile : null;
  return { is: 'command', command: { paymentId, amount: amount ?? null, mobile: phone } };
}

export const refundedReply = (): SimulatedReply =>
  jsonReply(200, { detail: 'Transaction refund successful.' });
export const refundTooMuchReply = (): SimulatedReply => invalidReply('amount', unverified.refundTooMuch);
export const refundRefusedReply = (): SimulatedReply => jsonReply(400, { detail: unverified.refundRefused });
export const mobileRequiredReply = (): SimulatedReply =>
  jsonReply(400, { detail: unverified.mobileRequired });

// The buyer.

/** What is wrong with a log-in; null for a test buyer. */
export function loginProblem(mobile: string, mpin: string, otp: string): string | null {
  if (!testBuyers.mobiles.some((known) => known === mobile)) return 'No test buyer has this mobile number.';
  if (mpin !== testBuyers.mpin) return 'The MPIN is wrong.';
  return otp === testBuyers.otp ? null : 'The OTP is wrong.';
}

/** The order data the return repeats, and who paid. */
export interface Ordered {
  readonly reference: string;
  readonly title: string;
  readonly mobile: string;
}

/** The address the buyer returns to: unsigned in every case. */
export function returnAddress(shown: Shown, returnUrl: string, order: Ordered): string {
  const state = shown.status === 'declined' ? wordsByState.cancelled : wordsOf(shown);
  const transaction = state.money ? shown.transactionId : '';
  const url = new URL(returnUrl);
  const query = {
    pidx: shown.handle,
    txnId: state.money ? `BANK-${transaction}` : '',
    amount: String(shown.amount),
    total_amount: String(shown.amount),
    status: shown.statusText ?? returnStatusOf(state),
    mobile: order.mobile,
    tidx: transaction,
    purchase_order_id: order.reference,
    purchase_order_name: order.title,
    transaction_id: transaction,
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

/** A return has only three statuses. */
const returnStatusOf = (state: Words): string => {
  if (state.money) return 'Completed';
  return state.httpStatus === 400 ? 'User canceled' : 'Pending';
};

// Reading.

type Body = { readonly [field: string]: unknown };

function bodyOf(authorization: string, text: string): Parsed<Body> {
  const key = /^key\s+(\S+)$/i.exec(authorization)?.[1] ?? '';
  if (!equalInConstantTime(key, simulatorCredentials.secretKey)) {
    return refusing(401, { detail: 'Invalid token.', status_code: 401 });
  }
  const body = objectIn(text);
  return body === null
    ? refusing(400, { detail: 'JSON parse error.', error_key: 'validation_error' })
    : { is: 'command', command: body };
}
