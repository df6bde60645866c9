/** The provider side of wallet_a's protocol, simulated: form and query to neutral command, neutral state to
 *  text.
 *  Boundary: pure; imports only the kernel and what simulators share, so that it cannot share a mistake with the
 *  adapter.
 *  1. A form's signature is checked before anything is done; a look-up needs no authentication, as at the
 *     real wallet.
 *  2. The reference contains the payment's id, so any node can find the payment from it.
 *  3. A return signs the exact text it shows, in whatever number format. */
import { createHmac } from 'node:crypto';
import { equalInConstantTime } from '../../kernel/hash.ts';
import type { Paisa } from '../../kernel/money.ts';
import { minutes, type DurationMs } from '../../kernel/time.ts';
import {
  isWebAddress,
  type Neutral,
  paisaIn,
  paymentNamed,
  type SimulatedReply,
  spelled,
  spoiled as changed,
} from '../simulated-wire.ts';

/** The credentials of every sandbox project; they are accepted only by the simulator. */
export const simulatorCredentials = {
  merchantCode: 'EPAYTEST',
  secretKey: '8gBm/:&EnhH.1/q',
  intentProductCode: 'INTENT',
  intentSecretKey: 'LB0REg8HUSw3MTYrI1s6JTE8Kyc6JyAqJiA3MQ==',
} as const;

/** How long a buyer may take after logging in. */
export const lifeMs: DurationMs = minutes(5);

/** The test buyers; anybody else cannot log in. */
export const testBuyers = {
  ids: ['9806800001', '9806800002', '9806800003', '9806800004', '9806800005'],
  password: 'Nepal@123',
  mpin: '1122',
  token: '123456',
} as const;

/** The fields of a payment that the protocol shows. */
export interface Shown {
  readonly reference: string;
  /** The wallet's own id, shown once there is money. */
  readonly refId: string;
  readonly amount: Paisa;
  readonly status: Neutral;
  /** A status text that replaces the state's own. */
  readonly statusText?: string;
  /** The number format of amounts, given as the example of a thousand rupees; any other text is used
   *  literally. */
  readonly amountText?: string;
}

/** The payment a reference names; null if it cannot be one of ours. */
export const paymentOf = (reference: string): string | null => paymentNamed(reference, 'pay-');

/** Seven or more characters at the real wallet; here all characters of the payment's id, so that it is
 *  unique. */
export const refIdOf = (paymentId: string): string => `000${paymentId.slice('pay_'.length).toUpperCase()}`;

// The form.

export interface FormRequest {
  readonly reference: string;
  readonly amount: Paisa;
  readonly successUrl: string;
  readonly failureUrl: string;
}

export type ParsedForm =
  | { readonly is: 'form'; readonly form: FormRequest }
  /** A refusal, as shown to people. */
  | { readonly is: 'refused'; readonly says: string };

const formFields = [
  'amount',
  'tax_amount',
  'total_amount',
  'transaction_uuid',
  'product_code',
  'product_service_charge',
  'product_delivery_charge',
  'success_url',
  'failure_url',
  'signed_field_names',
  'signature',
] as const;
const mustBeSigned = ['total_amount', 'transaction_uuid', 'product_code'] as const;

/** Reads the form a browser posted. */
export function parseForm(form: URLSearchParams): ParsedForm {
  const no = (says: string): ParsedForm => ({ is: 'refused', says });
  const missing = formFields.find((name) => (form.get(name) ?? '') === '');
  if (missing !== undefined) return no(`The field ${missing} is missing.`);
  const of = (name: (typeof formFields)[number]): string => form.get(name) ?? '';
  const names = of('signed_field_names').split(',');
  if (!mustBeSigned.every((name) => names.includes(name))) return no('Too few fields are signed.');
  const text = names.map((name) => `${name}=${form.get(name) ?? ''}`).join(',');
  if (!equalInConstantTime(of('signature'), signed(text))) return no('Invalid payload signature.');
  if (of('product_code') !== simulatorCredentials.merchantCode) return no('No such merchant.');
  const total = paisaIn(of('total_amount'));
  const parts = (['amount', 'tax_amount', 'product_service_charge', 'product_delivery_charge'] as const).map(
    (name) => paisaIn(of(name)),
  );
  const sum = parts.reduce((so, part) => (so === null || part === null ? null : so + part), 0);
  if (total === null || total < 1 || sum === null) return no('An amount is not valid.');
  if (total !== sum) return no('The amounts do not add up to the total.');
  const [successUrl, failureUrl] = [of('success_url'), of('failure_url')];
  if (![successUrl, failureUrl].every(isWebAddress)) return no('A return address is not valid.');
  return {
    is: 'form',
    form: { reference: of('transaction_uuid'), amount: total, successUrl, failureUrl },
  };
}

// Look-up.

export interface LookupRequest {
  readonly productCode: string;
  readonly reference: string;
  /** As it was written. */
  readonly totalAmount: string;
}

export const parseLookup = (query: URLSearchParams): LookupRequest => ({
  productCode: query.get('product_code') ?? '',
  reference: query.get('transaction_uuid') ?? '',
  totalAmount: query.get('total_amount') ?? '',
});

/** Whether the wallet finds this payment with these parameters. */
export const isFoundBy = ({ productCode, totalAmount }: LookupRequest, amount: Paisa): boolean =>
  productCode === simulatorCredentials.merchantCode && paisaIn(totalAmount) === amount;

/** The answer for an unknown payment. */
export const notFoundReply = ({ productCode, reference }: LookupRequest): SimulatedReply =>
  answer({ product_code: productCode, transaction_uuid: reference }, 'total_amount', '0.0', {
    status: 'NOT_FOUND',
    ref_id: null,
  });

/** `older`: the field names of older answers, `totalAmount` and `refId`. */
export function lookupReply(shown: Shown, older: boolean): SimulatedReply {
  const { statusText, money } = wordsByState[shown.status];
  const refId = money ? shown.refId : null;
  return answer(
    { product_code: simulatorCredentials.merchantCode, transaction_uuid: shown.reference },
    older ? 'totalAmount' : 'total_amount',
    spelled(shown.amount, shown.amountText),
    { status: shown.statusText ?? statusText, [older ? 'refId' : 'ref_id']: refId },
  );
}

/** The answer during an outage of the wallet: status 200 too. */
export const outageReply = (): SimulatedReply => ({
  status: 200,
  body: '{"code":0,"error_message":"Service is currently unavailable"}',
});

/** Serialised manually, because the amount has its own number format. */
function answer(before: object, amountName: string, amount: string, after: object): SimulatedReply {
  const [head, tail] = [JSON.stringify(before).slice(0, -1), JSON.stringify(after).slice(1)];
  return { status: 200, body: `${head},"${amountName}":${amount},${tail}` };
}

interface Words {
  readonly statusText: string;
  readonly money: boolean;
}
const words = (statusText: string, money = false): Words => ({ statusText, money });

const wordsByState: Readonly<Record<Neutral, Words>> = {
  created: words('NOT_FOUND'),
  opened: words('PENDING'),
  paid: words('COMPLETE', true),
  declined: words('CANCELED'),
  cancelled: words('NOT_FOUND'),
  ended: words('NOT_FOUND'),
  partly_refunded: words('PARTIAL_REFUND', true),
  refunded: words('FULL_REFUND', true),
};

/** A text for a payment whose state cannot be determined. */
export const unknownStatus = 'AMBIGUOUS';

// The way back.

/** The ways in which a return can be corrupted. */
export interface Spoiled {
  /** One character of the signature is changed. */
  readonly badSignature: boolean;
  /** `status` is missing from the signed names, and the rest is signed correctly. */
  readonly statusUnsigned: boolean;
}

/** The address for a buyer who has paid or not decided: `?data=` is appended whatever the address is. */
export function successAddress(shown: Shown, successUrl: string, spoiled: Spoiled): string {
  const { statusText, money } = wordsByState[shown.status];
  const amount = spelled(shown.amount, shown.amountText);
  const all = [
    'transaction_code',
    'status',
    'total_amount',
    'transaction_uuid',
    'product_code',
    'signed_field_names',
  ];
  const names = spoiled.statusUnsigned ? all.filter((name) => name !== 'status') : all;
  const values: { readonly [name: string]: string } = {
    transaction_code: money ? shown.refId : '',
    status: shown.statusText ?? (money ? statusText : 'PENDING'),
    total_amount: amount.replaceAll('"', ''),
    transaction_uuid: shown.reference,
    product_code: simulatorCredentials.merchantCode,
    signed_field_names: names.join(','),
  };
  const signature = signed(names.map((name) => `${name}=${values[name] ?? ''}`).join(','));
  const members = all.map((name) => {
    const value = name === 'total_amount' ? amount : JSON.stringify(values[name]);
    return `"${name}":${value}`;
  });
  const sent = spoiled.badSignature ? changed(signature) : signature;
  const json = `{${members.join(',')},"signature":${JSON.stringify(sent)}}`;
  return `${successUrl}?data=${Buffer.from(json).toString('base64')}`;
}

// The buyer.

/** What is wrong with a log-in; null for a test buyer. */
export function loginProblem(form: URLSearchParams): string | null {
  const { ids, password, mpin, token } = testBuyers;
  if (!ids.some((known) => known === form.get('id'))) return 'No test buyer has this ID.';
  if (form.get('password') !== password) return 'The password is wrong.';
  if (form.get('mpin') !== mpin) return 'The MPIN is wrong.';
  return form.get('token') === token ? null : 'The token is wrong.';
}

// Reading and signing.

const signed = (text: string): string =>
  createHmac('sha256', Buffer.from(simulatorCredentials.secretKey, 'utf8'))
    .update(text, 'utf8')
    .digest('base64');
