/** The provider side of wallet_c's protocol, simulated: JSON and form to neutral command, neutral state to text.
 *  Boundary: pure; imports only the kernel and what simulators share, so that it cannot share a mistake with the
 *  adapter.
 *  1. A call's key and signature are checked before anything is done, and a form's token.
 *  2. Every id given out contains the payment's id, so any node can find the payment from it.
 *  3. Everything unconfirmed about this protocol is in `unverified`. */
import { createHmac } from 'node:crypto';
import { equalInConstantTime } from '../../kernel/hash.ts';
import type { Paisa } from '../../kernel/money.ts';
import { minutes, type DurationMs } from '../../kernel/time.ts';
import {
  isWebAddress,
  type Neutral,
  objectIn,
  paymentNamed,
  type SimulatedReply,
  type Spelling,
  spelled,
  spoiled as changed,
} from '../simulated-wire.ts';

/** The credentials of every sandbox project; they are accepted only by the simulator. */
export const simulatorCredentials = {
  merchantId: 'MRC100',
  clientId: 'client_1',
  clientApiKey: 'apikey_1',
  clientSecret: 'test_client_secret',
  webhookSecret: 'test_webhook_secret',
} as const;

/** How long a session waits for its buyer. */
export const lifeMs: DurationMs = minutes(10);

/** The test buyer; anybody else cannot log in. */
export const testBuyer = { wallet: '9841414141', pin: '0000', otp: '000000' } as const;

/** The public test host's one-time passwords that pay nothing: with one the payment stays pending, with the other it
 *  fails. */
const publicOtps = { pending: '111111', failed: '222222' } as const;

/** A status text unknown to every adapter, for a payment whose state cannot be determined. */
export const unknownStatus = 'ON_HOLD';

const unverified = {
  refused: (message: string) => ({ message }),
  messages: { paid: 'Success', declined: 'Transaction failed', poor: 'Insufficient balance', none: '' },
} as const;

/** The fields of a payment that the protocol shows. */
export interface Shown {
  readonly reference: string;
  /** The wallet's own id, shown once there is money. */
  readonly trackingId: string;
  readonly amount: Paisa;
  readonly status: Neutral;
  readonly remarks: string;
  /** A buyer without enough money. */
  readonly poor?: boolean;
  /** A status text that replaces the state's own. */
  readonly statusText?: string;
  /** The number format of amounts, given as the example of a thousand rupees; any other text is used
   *  literally. */
  readonly amountText?: string;
}

export type Parsed<Command> =
  | { readonly is: 'command'; readonly command: Command }
  | { readonly is: 'reply'; readonly reply: SimulatedReply };

const refusing = (status: number, message: string): { is: 'reply'; reply: SimulatedReply } => ({
  is: 'reply',
  reply: { status, body: JSON.stringify(unverified.refused(message)) },
});

export const invalidReply = (message: string): SimulatedReply => refusing(400, message).reply;

// Ids.

export const handleOf = (paymentId: string): string => `SESS-${paymentId.slice('pay_'.length)}`;
export const trackingIdOf = (paymentId: string): string =>
  `TRK${paymentId.slice('pay_'.length).toUpperCase()}`;

/** The payment a session or a reference names; null if it cannot be one of ours. */
export const paymentOf = (kind: 'session' | 'reference', text: string): string | null =>
  paymentNamed(text, kind === 'session' ? 'SESS-' : 'pay-');

// The session.

/** The three headers of each call. */
export interface Keys {
  readonly clientId: string;
  readonly apiKey: string;
  readonly signature: string;
}

export interface SessionRequest {
  readonly reference: string;
  readonly amount: Paisa;
  readonly successUrl: string;
  readonly failureUrl: string;
  readonly remarks: string;
}

export function parseSession(keys: Keys, text: string): Parsed<SessionRequest> {
  const body = bodyOf(text);
  const of = (name: string): string => (typeof body[name] === 'string' ? body[name] : '');
  const [reference, amount, merchantId] = [of('merchantTxnId'), of('transactionAmount'), of('merchantId')];
  const refused = refusedBy(keys, merchantId, [
    reference,
    amount,
    merchantId,
    simulatorCredentials.clientId,
    simulatorCredentials.clientApiKey,
  ]);
  if (refused !== null) return refused;
  if (reference.length > 25) return refusing(400, 'merchantTxnId is too long.');
  if (!/^[1-9]\d*$/.test(amount)) return refusing(400, 'transactionAmount is not valid.');
  if (Number(amount) < 1000 || Number(amount) > 5_000_000)
    return refusing(400, 'The amount is out of range.');
  const [successUrl, failureUrl] = [of('successRedirectionUrl'), of('failedRedirectionUrl')];
  if (![successUrl, failureUrl].every(isWebAddress)) return refusing(400, 'A redirection URL is not valid.');
  const remarks = of('remarks');
  if (remarks === '' || Array.from(remarks).length > 250) return refusing(400, 'remarks are not valid.');
  if (!coversAmount(text, body['productList'], Number(amount)))
    return refusing(400, 'The products do not add up to the amount.');
  return { is: 'command', command: { reference, amount: Number(amount), successUrl, failureUrl, remarks } };
}

/** The prices of one product are rupees, as they are written; several are only counted. */
function coversAmount(text: string, products: unknown, amount: Paisa): boolean {
  if (!Array.isArray(products) || products.length === 0) return false;
  if (products.length > 1) return true;
  const [, whole = '', paisa = ''] = /"price":(\d+)(?:\.(\d\d?))?[,}]/.exec(text) ?? [];
  return `${whole}${paisa.padEnd(2, '0')}` === String(amount);
}

export const sessionReply = (handle: string): SimulatedReply => ({
  status: 200,
  body: JSON.stringify({ sessionId: handle, merchantId: simulatorCredentials.merchantId }),
});

// The form.

export type ParsedForm =
  | { readonly is: 'form'; readonly handle: string; readonly token: string; readonly merchantId: string }
  /** A refusal, as shown to people. */
  | { readonly is: 'refused'; readonly says: string };

const formFields = ['merchant_id', 'session_id', 'merchant_transaction_id', 'remarks', 'token'] as const;

/** Reads the form a browser posted; its token can be checked only once the amount is known. */
export function parseForm(form: URLSearchParams): ParsedForm {
  const missing = formFields.find((name) => (form.get(name) ?? '') === '');
  if (missing !== undefined) return { is: 'refused', says: `The field ${missing} is missing.` };
  return {
    is: 'form',
    handle: form.get('session_id') ?? '',
    token: form.get('token') ?? '',
    merchantId: form.get('merchant_id') ?? '',
  };
}

/** What is wrong with the form of this payment; null when it is as signed. */
export function formProblem(
  form: URLSearchParams,
  {
    handle,
    reference,
    amount,
  }: {
    readonly handle: string;
    readonly reference: string;
    readonly amount: Paisa;
  },
): string | null {
  const { merchantId, clientId, clientApiKey } = simulatorCredentials;
  if (form.get('merchant_id') !== merchantId) return 'No such merchant.';
  if (form.get('merchant_transaction_id') !== reference)
    return 'The transaction id is not that of the session.';
  const values = [merchantId, reference, handle, String(amount), clientId, clientApiKey];
  return equalInConstantTime(form.get('token') ?? '', signed(simulatorCredentials.clientSecret, values))
    ? null
    : 'The token is not valid.';
}

// Look-up.

export function parseLookup(keys: Keys, text: string): Parsed<{ readonly reference: string }> {
  const { merchantId, merchantTxnId: reference } = bodyOf(text);
  if (typeof reference !== 'string' || typeof merchantId !== 'string')
    return refusing(400, 'merchantTxnId and merchantId are required.');
  const { clientId, clientApiKey } = simulatorCredentials;
  const refused = refusedBy(keys, merchantId, [reference, merchantId, clientId, clientApiKey]);
  return refused ?? { is: 'command', command: { reference } };
}

const { messages } = unverified;

interface Words {
  readonly status: string;
  readonly message: string;
  readonly money: boolean;
}
const words = (status: string, message: string, money = false): Words => ({ status, message, money });

const wordsByState: Readonly<Record<Neutral, Words>> = {
  created: words('NOT_INITIATED', messages.none),
  opened: words('PENDING', messages.none),
  paid: words('COMPLETED', messages.paid, true),
  declined: words('FAILED', messages.declined),
  cancelled: words('FAILED', messages.declined),
  ended: words('NOT_INITIATED', messages.none),
  partly_refunded: words('COMPLETED', messages.paid, true),
  refunded: words('COMPLETED', messages.paid, true),
};

/** `live`: the field name of the live host. */
export function lookupReply(shown: Shown, live = false): SimulatedReply {
  const { status, message, money } = wordsByState[shown.status];
  const head = {
    [live ? 'merchantTxnId' : 'merchantTransactionId']: shown.reference,
    trackingId: money ? shown.trackingId : null,
    status: shown.statusText ?? status,
  };
  const amount = money ? spelled(shown.amount, shown.amountText) : '0';
  const tail = { remarks: shown.remarks, message: shown.poor === true ? messages.poor : message };
  const body = `${JSON.stringify(head).slice(0, -1)},"amount":${amount},${JSON.stringify(tail).slice(1)}`;
  return { status: 200, body };
}

/** The answer for an unknown reference. */
export const notFoundReply = (reference: string): SimulatedReply =>
  lookupReply({ reference, trackingId: '', amount: 0, status: 'created', remarks: '' });

// The call of the wallet's server.

export interface SimulatedCallback {
  readonly body: string;
  readonly signature: string;
}

export function callbackOf(shown: Shown, spoiled: boolean): SimulatedCallback {
  const { status } = wordsByState[shown.status];
  const { merchantId, webhookSecret } = simulatorCredentials;
  const statusWord = shown.statusText ?? status;
  const amount = spelled(shown.amount, shown.amountText ?? '1000');
  const head = JSON.stringify({ merchantTxnId: shown.reference, merchantId }).slice(0, -1);
  const tail = JSON.stringify({ status: statusWord, metadata: {} }).slice(1);
  const signature = signed(webhookSecret, [
    shown.reference,
    merchantId,
    statusWord,
    amount.replaceAll('"', ''),
  ]);
  return {
    body: `${head},"amount":${amount},${tail}`,
    signature: spoiled ? changed(signature) : signature,
  };
}

// The buyer.

/** The address with the reference: unsigned. */
export function returnAddress(address: string, reference: string): string {
  const url = new URL(address);
  url.searchParams.set('MerchantTxnId', reference);
  return url.href;
}

/** What is wrong with a log-in; null for the test buyer. */
export function loginProblem(
  wallet: string,
  pin: string,
  otp: string,
  spelling: Spelling = 'own',
): string | null {
  if (wallet !== testBuyer.wallet) return 'No test buyer has this wallet.';
  if (pin !== testBuyer.pin) return 'The PIN is wrong.';
  const isKnown = otp === testBuyer.otp || (spelling === 'public' && fateOf(otp) !== null);
  return isKnown ? null : 'The OTP is wrong.';
}

/** What becomes of the payment of a buyer with this one-time password; null: the buyer decides. */
export function fateOf(otp: string): 'pending' | 'failed' | null {
  if (otp === publicOtps.pending) return 'pending';
  return otp === publicOtps.failed ? 'failed' : null;
}

/** Whether the public test host, which drops idle connections, answers a call with this `Connection` header. */
export const isAnswered = (connection: string, spelling: Spelling = 'own'): boolean =>
  spelling === 'own' || connection.toLowerCase() === 'close';

// Reading and signing.

function refusedBy(
  { clientId, apiKey, signature }: Keys,
  merchantId: string,
  values: readonly string[],
): { is: 'reply'; reply: SimulatedReply } | null {
  const known = simulatorCredentials;
  if (clientId !== known.clientId || apiKey !== known.clientApiKey) return refusing(401, 'Unknown client.');
  if (!equalInConstantTime(signature, signed(known.clientSecret, values)))
    return refusing(401, 'Invalid signature.');
  return merchantId === known.merchantId ? null : refusing(400, 'No such merchant.');
}

const signed = (secret: string, values: readonly string[]): string =>
  createHmac('sha512', secret).update(values.join(','), 'utf8').digest('base64');

/** What is no JSON has no fields, and is refused. */
const bodyOf = (text: string): { readonly [field: string]: unknown } => objectIn(text) ?? {};
