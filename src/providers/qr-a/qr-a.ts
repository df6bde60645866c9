/** The adapter of qr_a: JSON, rupees with two decimals, an HMAC in `dataValidation`.
 *  Boundary: pure pairs of build and read; call.ts sends, sockets.ts listens.
 *  1. Only `success` in a 200 is paid; an unknown status is ambiguous; anything but a 200 with a status is
 *     pending, and on create a failed start. A 4xx with an `errorCode` refuses us, not the buyer.
 *  2. A QR text is passed on unchanged or not at all (emv.ts).
 *  3. A socket message is a hint.
 *  4. Everything unconfirmed about this protocol is in `unverified`. */
import { createHmac } from 'node:crypto';
import { paisaFromRupees, rupeesText, type Paisa } from '../../kernel/money.ts';
import {
  nothingRead,
  isRefusal,
  objectIn,
  providerReference,
  unknownWord,
  type Adapter,
  type Call,
  type Credentials,
  type LookupInput,
  type LookupReading,
  type Reading,
  type SocketReport,
  type StartAnswer,
  type StartInput,
  type WireReply,
  type WireRequest,
} from '../provider.ts';
import { withNumbersAsText } from '../raw-numbers.ts';
import { qrTextProblem } from './emv.ts';

const start: Call<StartInput, StartAnswer> = { build: buildStart, read: readStart };
const lookup: Call<LookupInput, LookupReading> = { build: buildLookup, read: readLookup };

export const qrA = {
  start,
  lookup,
  refund: null,
  parseReturn: null,
  readMessage,
} as const satisfies Adapter;

/** Facts not confirmed yet; each is used in only one place, through this object. */
const unverified = {
  /** The length limit of each remark. */
  remarkCharactersMax: 25,
  /** HTTP statuses that mean a created code; the body's own status is 201. */
  createdStatuses: [200, 201],
} as const;

const folder = '/api/merchant/merchantDetailsForThirdParty';
const referenceCharactersMax = 200;
/** The number of a payment is in the one field whose name ends so; what precedes it is the provider's own. */
const traceFieldEnding = /TraceId$/i;
const messageCharactersMax = 300;
const socketUrlCharactersMax = 2048;

type Body = { readonly [key: string]: unknown };

/** `dataValidation`: HMAC-SHA512 over the values joined by commas, lower-case hex. */
const signed = (values: readonly string[], { secretKey = '' }: Credentials): string =>
  createHmac('sha512', secretKey).update(values.join(',')).digest('hex');

function post(root: string, call: string, body: object): WireRequest {
  return {
    method: 'POST',
    url: `${root}${folder}/${call}`,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(body),
  };
}

function buildStart({ paymentId, amount: paisa, order }: StartInput, credentials: Credentials, root: string) {
  const { merchantCode = '', username = '', password = '' } = credentials;
  const amount = rupeesText(paisa);
  const prn = providerReference(paymentId);
  const orderId = order.metadata['order_id'];
  const named = typeof orderId === 'string' || typeof orderId === 'number' ? remark(String(orderId)) : '';
  const remarks1 = named === '' ? remark(paymentId) : named;
  const remarks2 = 'N/A';
  return post(root, 'thirdPartyDynamicQrDownload', {
    amount,
    remarks1,
    remarks2,
    prn,
    merchantCode,
    dataValidation: signed([amount, prn, merchantCode, remarks1, remarks2], credentials),
    username,
    password,
  });
}

/** The characters the provider allows in a remark. */
const remark = (text: string): string =>
  text.replaceAll(/[^A-Za-z0-9 ._/-]/g, '').slice(0, unverified.remarkCharactersMax);

function readStart(reply: WireReply, input: StartInput): Reading<StartAnswer> | null {
  const body = reply.status >= 500 ? null : objectIn(reply.text);
  if (body === null) return null;
  const created = unverified.createdStatuses.some((status) => status === reply.status);
  const { qrMessage } = body;
  if (!created || body['success'] !== true || typeof qrMessage !== 'string') return refusedStart(reply, body);
  const problem = qrTextProblem(qrMessage, input.amount);
  if (problem !== null) {
    const message = `The provider's QR text ${problem}.`;
    return { answer: { outcome: 'failed', message }, alarm: `start: ${message}` };
  }
  return {
    answer: {
      outcome: 'started',
      instructions: { kind: 'qr', method: 'GET', url: '', fields: {}, qrMessage },
      lookupReference: providerReference(input.paymentId),
      // it is not confirmed that the provider enforces an expiry: we use the session's
      providerExpiresAt: null,
      socketUrl: socketUrlIn(body['thirdpartyQrWebSocketUrl']),
    },
    alarm: null,
  };
}

function refusedStart(reply: WireReply, body: Body): Reading<StartAnswer> | null {
  const message = refusalIn(body);
  // a body without content is no answer
  if (message === null) return null;
  const isRefused = refusesUs(reply, body);
  // with 429 it asks for a pause
  const isForCredentials = isRefused && reply.status !== 429;
  return {
    answer: { outcome: 'failed', message, ...(isForCredentials ? { refused: true } : {}) },
    alarm: isRefused ? `start: ${message}` : null,
  };
}

/** A wrong merchant code comes as 406, with a number of its own in the body. */
const refusesUs = (reply: WireReply, body: Body): boolean =>
  isRefusal(reply) || (reply.status >= 400 && reply.status < 500 && isErrorCode(body['errorCode']));

const isErrorCode = (value: unknown): boolean => typeof value === 'number' || typeof value === 'string';

function socketUrlIn(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > socketUrlCharactersMax || !URL.canParse(value)) return null;
  const { protocol, username, password } = new URL(value);
  return /^wss?:$/.test(protocol) && username === '' && password === '' ? value : null;
}

function buildLookup({ lookupReference: prn }: LookupInput, credentials: Credentials, root: string) {
  const { merchantCode = '', username = '', password = '' } = credentials;
  const dataValidation = signed([prn, merchantCode], credentials);
  return post(root, 'thirdPartyDynamicQrGetStatus', {
    prn,
    merchantCode,
    dataValidation,
    username,
    password,
  });
}

/** Status texts in lower case and their meaning; any other text is unknown. */
const outcomes: ReadonlyMap<string, LookupReading['outcome']> = new Map([
  ['success', 'paid'],
  ['pending', 'pending'],
  ['failed', 'failed'],
]);

function readLookup(reply: WireReply, { amount }: LookupInput): Reading<LookupReading> | null {
  const whole = reply.status >= 500 ? null : objectIn(reply.text);
  const body = whole === null ? null : objectIn(withNumbersAsText(reply.text));
  if (body === null) return null;
  const status = text(body['paymentStatus']);
  if (reply.status === 200 && status !== null) return { answer: lookedUp(body, status, amount), alarm: null };
  const refusal = refusalIn(body);
  if (reply.status === 200 || refusal === null) return null;
  return { answer: nothingRead, alarm: refusesUs(reply, body) ? `look-up: ${refusal}` : null };
}

function lookedUp(body: Body, status: string, ours: Paisa): LookupReading {
  const amount = amountIn(body, ours);
  const known = outcomes.get(status.toLowerCase()) ?? 'ambiguous';
  const outcome = known === 'paid' && amount === 'unclear' ? 'ambiguous' : known;
  const traces = outcome === 'paid' ? tracesIn(body) : [];
  const traceId = traces.length === 1 ? (traces[0] ?? null) : null;
  const insufficient = /insufficient/i.test(refusalIn(body) ?? '');
  return {
    ...nothingRead,
    outcome,
    answered: true,
    amountPaisa: amount === 'unclear' ? null : amount,
    reference: text(body['prn']),
    providerRef: traceId,
    traceId,
    failureCode: outcome !== 'failed' ? null : insufficient ? 'insufficient_funds' : 'declined',
    ...unknownWord(outcome, status),
    ...(traces.length > 1 ? { note: 'the answer has two trace numbers that differ: none is kept' } : {}),
  };
}

/** The different numbers in fields of traces, as text. */
const tracesIn = (body: Body): readonly string[] => [
  ...new Set(
    Object.entries(body).flatMap(([name, value]) => (traceFieldEnding.test(name) ? (text(value) ?? []) : [])),
  ),
];

/** In paisa: ours, if every amount of the answer agrees with it; the one that disagrees otherwise. What the buyer has
 *  paid in total may be more, by a fee of the network. null when the provider names no amount, which is allowed: the
 *  code itself fixed it. */
function amountIn(body: Body, ours: Paisa): Paisa | null | 'unclear' {
  const asked = [body['amount'], body['requestedAmount']].flatMap(paisaIn);
  const total = paisaIn(body['totalTransactionAmount']);
  if ([...asked, ...total].includes('unclear')) return 'unclear';
  const tooLittle = total.filter((paisa) => Number(paisa) < ours);
  return asked.find((paisa) => paisa !== ours) ?? tooLittle[0] ?? asked[0] ?? null;
}

/** Empty for a field that is not there. */
function paisaIn(value: unknown): readonly (Paisa | 'unclear')[] {
  if (value === undefined || value === null) return [];
  return [(typeof value === 'string' ? paisaFromRupees(value) : null) ?? 'unclear'];
}

/** The content of a message on the provider's socket for this attempt; null for anything else. */
function readMessage(message: string, reference: string): SocketReport | null {
  const outer = objectIn(message);
  const inner = typeof outer?.['transactionStatus'] === 'string' ? outer['transactionStatus'] : '';
  const report = objectIn(inner);
  if (report === null) return null;
  if (report['QRVerified'] === true && report['success'] === true) return 'scanned';
  // one socket may also report on other codes of the merchant
  if (report['productNumber'] !== undefined && report['productNumber'] !== reference) return null;
  if (report['paymentSuccess'] === true) return 'paid';
  return report['paymentSuccess'] === false ? 'failed' : null;
}

function refusalIn({ message }: Body): string | null {
  return typeof message === 'string' && message !== '' ? message.slice(0, messageCharactersMax) : null;
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= referenceCharactersMax ? value : null;
}
