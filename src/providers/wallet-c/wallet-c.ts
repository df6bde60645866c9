/** The adapter of wallet_c: a session opened by our call, a form posted by the browser, unsigned returns, a signed
 *  call of the wallet's server, and look-ups; paisa in the session, rupees everywhere else.
 *  Boundary: pure; call.ts sends.
 *  1. Signatures cover values joined by commas. The wallet's own call signs its amount as text, whose spelling is
 *     not certain: a few spellings of the same amount are tried.
 *  2. Only `COMPLETED` with HTTP 200 and a clear amount is paid; an unknown status is ambiguous.
 *  3. Everything unconfirmed about this protocol is in `unverified`. */
import { createHmac } from 'node:crypto';
import { equalInConstantTime } from '../../kernel/hash.ts';
import { paisaFromRupees, rupeesText, type Paisa } from '../../kernel/money.ts';
import { minutes, type DurationMs } from '../../kernel/time.ts';
import {
  isRefusal,
  nothingRead,
  objectIn,
  paymentOfReference,
  providerReference,
  unknownWord,
  type Adapter,
  type ReturnRequest,
  type Call,
  type CallbackHint,
  type CallbackRequest,
  type Credentials,
  type LookupInput,
  type LookupReading,
  type ParseReturn,
  type ProviderCall,
  type Reader,
  type Reading,
  type ReturnHint,
  type StartAnswer,
  type StartInput,
  type WireReply,
  type WireRequest,
} from '../provider.ts';
import { withNumbersAsText } from '../raw-numbers.ts';

/** Its session call is answered with what the browser's form needs. */
interface SessionAdapter extends Adapter {
  readonly start: Omit<ProviderCall<StartInput, StartAnswer>, 'build'> &
    Pick<Call<StartInput, StartAnswer>, 'build'>;
  readonly lookup: Call<LookupInput, LookupReading>;
  readonly parseReturn: ParseReturn;
  readonly parseCallback: NonNullable<Adapter['parseCallback']>;
  readonly paymentOfCallback: NonNullable<Adapter['paymentOfCallback']>;
}

export const walletC: SessionAdapter = {
  start: { build: buildStart, read: readStart },
  lookup: { build: buildLookup, read: readLookup },
  refund: null,
  parseReturn,
  parseCallback,
  paymentOfCallback: (body) => paymentOfReference(objectIn(body)?.['merchantTxnId']),
};

/** Facts not confirmed yet; each is used in only one place, through this object. */
const unverified = {
  /** Where a refusal says why. */
  refusalNames: ['message', 'error', 'detail'],
} as const;

const sessionPath = '/v1/checkout/sessionId';
const lookupPath = '/v1/checkout/transaction';
/** How long a session waits for its buyer. */
const sessionLifeMs: DurationMs = minutes(10);
const remarksMax = 250;
const nameMax = 100;
const textCharactersMax = 200;
const messageCharactersMax = 300;

type Texts = { readonly [name: string]: string };

const signed = (secret: string, values: readonly string[]): string =>
  createHmac('sha512', secret).update(values.join(','), 'utf8').digest('base64');

function post(
  root: string,
  path: string,
  { clientId = '', clientApiKey = '', clientSecret = '' }: Credentials,
  values: readonly string[],
  body: string,
): WireRequest {
  return {
    method: 'POST',
    url: `${root}${path}`,
    headers: {
      'client-id': clientId,
      'client-api-key': clientApiKey,
      signature: signed(clientSecret, values),
      'content-type': 'application/json',
      accept: 'application/json',
      // its test host closes idle connections without a word: each call has a connection of its own
      connection: 'close',
    },
    body,
  };
}

/** Printable, and the same in JSON and in a form. */
const cut = (text: string, charactersMax: number): string =>
  Array.from(text.replaceAll(/\p{C}/gu, '').trim()).slice(0, charactersMax).join('').trim();

const remarksOf = ({ order, paymentId }: StartInput): string =>
  cut(order.referenceId ?? order.description ?? '', remarksMax) || providerReference(paymentId);

/** Whole rupees without decimals, else exactly two. */
const rupeesNumber = (amount: Paisa): string => rupeesText(amount).replace(/\.00$/, '');

function buildStart(input: StartInput, credentials: Credentials, root: string): WireRequest {
  const { amount, order, paymentId, returnUrl } = input;
  const { merchantId = '', clientId = '', clientApiKey = '' } = credentials;
  const merchantTxnId = providerReference(paymentId);
  const transactionAmount = String(amount);
  const remarks = remarksOf(input);
  const head = {
    merchantTxnId,
    merchantId,
    transactionAmount,
    successRedirectionUrl: new URL('success', returnUrl).href,
    failedRedirectionUrl: new URL('failure', returnUrl).href,
    remarks,
  };
  const product = { name: cut(order.description ?? '', nameMax) || remarks, description: remarks };
  // the price is written from its digits, never as a float
  const products = `[${JSON.stringify(product).slice(0, -1)},"price":${rupeesNumber(amount)},"quantity":1}]`;
  const body = `${JSON.stringify(head).slice(0, -1)},"productList":${products}}`;
  const values = [merchantTxnId, transactionAmount, merchantId, clientId, clientApiKey];
  return post(root, sessionPath, credentials, values, body);
}

function readStart(
  reply: WireReply,
  input: StartInput,
  { credentials, pageRoot }: Reader,
): Reading<StartAnswer> | null {
  if (reply.status >= 500) return null;
  const body = objectIn(reply.text);
  if (body === null) return null;
  const sessionId = textIn(body['sessionId']);
  if (reply.status === 200 && sessionId !== null)
    return { answer: started(sessionId, input, credentials, pageRoot), alarm: null };
  const message = refusalIn(body);
  if (reply.status < 400 || message === null) return null;
  return { answer: { outcome: 'failed', message }, alarm: isRefusal(reply) ? `start: ${message}` : null };
}

function started(
  sessionId: string,
  input: StartInput,
  { merchantId = '', clientId = '', clientApiKey = '', clientSecret = '' }: Credentials,
  pageRoot: string,
): StartAnswer {
  const reference = providerReference(input.paymentId);
  const values = [merchantId, reference, sessionId, String(input.amount), clientId, clientApiKey];
  return {
    outcome: 'started',
    instructions: {
      kind: 'form',
      method: 'POST',
      url: pageRoot,
      fields: {
        merchant_id: merchantId,
        session_id: sessionId,
        merchant_transaction_id: reference,
        remarks: remarksOf(input),
        token: signed(clientSecret, values),
      },
    },
    lookupReference: reference,
    providerExpiresAt: input.now + sessionLifeMs,
  };
}

function buildLookup(input: LookupInput, credentials: Credentials, root: string): WireRequest {
  const { merchantId = '', clientId = '', clientApiKey = '' } = credentials;
  const { lookupReference: merchantTxnId } = input;
  const values = [merchantTxnId, merchantId, clientId, clientApiKey];
  return post(root, lookupPath, credentials, values, JSON.stringify({ merchantId, merchantTxnId }));
}

/** Status texts in upper case and their meaning; any other text is unknown. */
const outcomes: ReadonlyMap<string, LookupReading['outcome']> = new Map([
  ['NOT_INITIATED', 'not_found'],
  ['PENDING', 'pending'],
  ['PROCESSING', 'pending'],
  ['COMPLETED', 'paid'],
  ['FAILED', 'failed'],
]);

/** A number as status is not one: error pages of web servers have one. */
function readLookup(reply: WireReply): Reading<LookupReading> | null {
  if (reply.status >= 500) return null;
  const body = objectIn(reply.text);
  if (body === null) return null;
  if (isRefusal(reply)) {
    return { answer: nothingRead, alarm: `look-up: ${refusalIn(body) ?? `HTTP ${reply.status}`}` };
  }
  const status = textIn(body['status']);
  return status === null ? null : { answer: lookedUp(reply, status), alarm: null };
}

function lookedUp(reply: WireReply, status: string): LookupReading {
  const body = textsIn(reply.text);
  const amountPaisa = paisaFromRupees(body['amount'] ?? '');
  const meant = outcomes.get(status.toUpperCase()) ?? 'ambiguous';
  const clear = reply.status === 200 && amountPaisa !== null;
  const outcome = meant === 'paid' && !clear ? 'ambiguous' : meant;
  const insufficient = /insufficient/i.test(body['message'] ?? '');
  return {
    ...nothingRead,
    outcome,
    answered: true,
    amountPaisa,
    // its test host and its live host have two names for it
    reference: textIn(body['merchantTransactionId']) ?? textIn(body['merchantTxnId']),
    providerRef: textIn(body['trackingId']),
    failureCode: outcome !== 'failed' ? null : insufficient ? 'insufficient_funds' : 'declined',
    ...unknownWord(outcome, status),
  };
}

/** Unsigned: only the address says how it went, and anybody can type it. */
function parseReturn({ outcome }: ReturnRequest): ReturnHint {
  return outcome === 'success'
    ? { hint: 'paid', verified: false, summary: 'Buyer came back by the success address' }
    : { hint: 'failed', verified: false, summary: 'Buyer came back by the failure address' };
}

/** null: not signed with the webhook secret, or about another payment. */
function parseCallback(
  call: CallbackRequest,
  { merchantId, webhookSecret = '' }: Credentials,
): CallbackHint | null {
  const { paymentId, body: text } = call;
  const body = objectIn(text) === null ? {} : textsIn(text);
  const { merchantTxnId = '', status = '', amount = '' } = body;
  if (webhookSecret === '' || body['merchantId'] !== merchantId) return null;
  if (merchantTxnId !== providerReference(paymentId)) return null;
  const holds = spellingsOf(amount).some((spelling) =>
    equalInConstantTime(
      call.header('signature'),
      signed(webhookSecret, [merchantTxnId, body['merchantId'] ?? '', status, spelling]),
    ),
  );
  if (!holds) return null;
  const shown = status.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 40);
  const hint = hints.get(status.toUpperCase()) ?? 'unknown';
  return { hint, verified: true, summary: `The provider called: ${shown}` };
}

const hints: ReadonlyMap<string, ReturnHint['hint']> = new Map([
  ['COMPLETED', 'paid'],
  ['FAILED', 'failed'],
]);

/** As it was sent, then `1200`, `1200.0` and `1200.00`, as far as the amount can be written so. */
function spellingsOf(amount: string): readonly string[] {
  const paisa = paisaFromRupees(amount);
  if (paisa === null) return [amount];
  const two = rupeesText(paisa);
  return [...new Set([amount, two.replace(/\.00$/, ''), two.replace(/0$/, ''), two])];
}

function refusalIn(body: { readonly [name: string]: unknown }): string | null {
  const texts = unverified.refusalNames.map((name) => body[name]);
  const text = texts.find((each) => typeof each === 'string' && each !== '');
  return typeof text === 'string' ? text.slice(0, messageCharactersMax) : null;
}

/** Texts and numbers of a JSON object, numbers as they were written. */
function textsIn(json: string): Texts {
  const fields = Object.entries(objectIn(withNumbersAsText(json)) ?? {});
  return Object.fromEntries(fields.filter(([, value]) => typeof value === 'string')) as Texts;
}

const textIn = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && value.length <= textCharactersMax ? value : null;
