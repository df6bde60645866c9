/** The merchant's terms for the service's codes: one table each. A code without a row is shown as it is. */
import type {
  DeliveryStatus,
  LinkStatus,
  MerchantPlan,
  Payment,
  PaymentStatus,
  RefundReason,
  RefundStatus,
  SessionStatus,
} from '../wire/types.ts';
import { feeLaterIds, providerLabels } from './providers.ts';

export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'plain';
export type Sign = 'check' | 'cross' | 'clock' | 'eye' | 'halt' | 'turn' | 'back' | 'note';

export interface StateWords {
  readonly word: string;
  readonly tone: Tone;
  readonly sign: Sign;
}

const state = (word: string, tone: Tone, sign: Sign): StateWords => ({ word, tone, sign });

// the rows of each stand in the order in which a list offers them

export const paymentStates: Readonly<Record<PaymentStatus, StateWords>> = {
  success: state('Paid', 'good', 'check'),
  processing: state('Processing', 'busy', 'turn'),
  pending: state('Pending', 'plain', 'clock'),
  failed: state('Failed', 'bad', 'cross'),
  cancelled: state('Cancelled', 'plain', 'halt'),
  refunded: state('Refunded', 'plain', 'back'),
};

export const sessionStates: Readonly<Record<SessionStatus, StateWords>> = {
  pending: state('Open', 'busy', 'clock'),
  initiated: state('Buyer is paying', 'busy', 'turn'),
  success: state('Paid', 'good', 'check'),
  failed: state('Failed', 'bad', 'cross'),
  cancelled: state('Cancelled', 'plain', 'halt'),
  expired: state('Expired', 'plain', 'clock'),
};

export const refundStates: Readonly<Record<RefundStatus, StateWords>> = {
  requires_action: state('Requires action', 'warn', 'eye'),
  processing: state('Processing', 'busy', 'turn'),
  succeeded: state('Refunded', 'good', 'check'),
  failed: state('Failed', 'bad', 'cross'),
};

/** In the order in which they are offered. */
export const refundReasons: Readonly<Record<RefundReason, string>> = {
  customer_request: 'The customer asked for it',
  duplicate: 'Paid twice',
  fraudulent: 'Fraud',
  other: 'Another reason',
};

export const deliveryStates: Readonly<Record<DeliveryStatus, StateWords>> = {
  pending: state('On its way', 'busy', 'turn'),
  retrying: state('Trying again', 'warn', 'clock'),
  success: state('Delivered', 'good', 'check'),
  failed: state('Not delivered', 'bad', 'cross'),
};

export const linkStates: Readonly<Record<LinkStatus, StateWords>> = {
  active: state('Active', 'good', 'check'),
  inactive: state('Switched off', 'plain', 'halt'),
  expired: state('Expired', 'plain', 'clock'),
  completed: state('Used up', 'plain', 'check'),
};

/** A merchant, as the operator sees it. */
export const merchantStates = {
  active: state('Active', 'good', 'check'),
  suspended: state('Suspended', 'bad', 'halt'),
} as const;
export const verifiedWords = state('Verified', 'plain', 'check');

export const planNames: Readonly<Record<MerchantPlan, string>> = { free: 'Free', premium: 'Premium' };

/** From a table; also for a state unknown to this page. */
export const wordsOf = (table: Readonly<Record<string, StateWords>>, status: string): StateWords =>
  Object.hasOwn(table, status)
    ? (table[status] ?? state(status, 'plain', 'note'))
    : state(status, 'plain', 'note');

/** Of a table, what a list filters by. */
export const choicesOf = <Value extends string>(
  table: Readonly<Record<Value, StateWords>>,
): readonly (readonly [Value, string])[] =>
  (Object.entries(table) as [Value, StateWords][]).map(([code, { word }]) => [code, word]);

/** A payment's state, in words that include its special circumstances. */
export const needsReviewWords = state('Needs review', 'warn', 'eye');

const failures: Readonly<Record<string, string>> = {
  declined: 'The provider declined it',
  insufficient_funds: 'The buyer had not enough money',
  user_cancelled: 'The buyer cancelled',
  session_expired: 'The time to pay ran out',
  attempt_expired: 'The attempt ran out at the provider',
  superseded: 'The buyer went on another way',
  provider_error: 'The provider did not open the attempt',
  provider_timeout: 'The provider gave no clear answer',
  amount_mismatch: 'The provider names another amount',
  signature_invalid: 'The provider’s signature does not verify',
};

const sources: Readonly<Record<string, string>> = {
  checkout: 'Checkout',
  direct_qr: 'Direct-QR',
  payment_link: 'Payment link',
  invoice: 'Invoice',
};

const flows: Readonly<Record<string, string>> = {
  hosted: 'Hosted page',
  redirect: 'Straight to the provider',
};

const disabledReasons: Readonly<Record<string, string>> = {
  merchant: 'You switched it off',
  failing: 'Switched off: it failed for five days',
  gone: 'Switched off: it answered 410 Gone',
};

const saying =
  (table: Readonly<Record<string, string>>) =>
  (code: string): string =>
    (Object.hasOwn(table, code) ? table[code] : undefined) ?? code;

/** What the provider keeps of a payment, in paisa; null: not known. Some name 0 before they have settled it. */
export const knownFeeOf = ({ provider, fee }: Pick<Payment, 'provider' | 'fee'>): number | null =>
  fee === 0 && feeLaterIds.includes(provider) ? null : fee;

export const providerWord = saying(providerLabels);
export const refundReasonWord = saying(refundReasons);
export const failureWord = saying(failures);
export const planWord = saying(planNames);
export const sourceWord = saying(sources);
export const flowWord = saying(flows);
export const disabledWord = saying(disabledReasons);
