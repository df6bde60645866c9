/** The adapter of wallet_a on the web: a signed form posted by the browser, rupees, a signed return, a
 *  look-up without authentication. Its app is in intent.ts.
 *  Boundary: pure; its only call is the look-up, and call.ts sends it.
 *  1. Signatures cover text: amounts are read and signed as they were written, never as numbers.
 *  2. Only `COMPLETE` with HTTP 200 and an unambiguous amount is paid; an unknown status is ambiguous.
 *  3. Everything unconfirmed about this protocol is in `unverified`. */
import { paisaFromRupees } from '../../kernel/money.ts';
import {
  isRefusal,
  objectIn,
  providerReference,
  unknownWord,
  type ReturnRequest,
  type Credentials,
  type LookupInput,
  type LookupReading,
  type PostedAdapter,
  type Reading,
  type ReturnHint,
  type StartAnswer,
  type StartInput,
  type WireReply,
  type WireRequest,
} from '../provider.ts';
import { appIntent, parseCallback } from './intent.ts';
import {
  amountText,
  fieldsIn,
  isSigned,
  signatureOf,
  signedNamesOf,
  textOf,
  type Fields,
} from './signing.ts';

export const walletA: PostedAdapter = {
  start: { open },
  lookup: { build: buildLookup, read: readLookup },
  refund: null,
  parseReturn,
  appIntent,
  parseCallback,
};

/** Facts not confirmed yet; each is used in only one place, through this object. */
const unverified = {
  /** Which of the two statuses follows a buyer's own cancellation. */
  cancelled: { CANCELED: 'failed', NOT_FOUND: 'cancelled' },
} as const;

/** The same on its test host and its live host. */
const statusPath = '/api/epay/transaction/status/';
const formPath = '/api/epay/main/v2/form';
const signedOfForm = ['total_amount', 'transaction_uuid', 'product_code'] as const;
/** A return that does not sign these fields is ignored. */
const signedOfReturn = ['status', 'total_amount', 'transaction_uuid', 'product_code'] as const;
const dataCharactersMax = 8192;

function open(input: StartInput, credentials: Credentials, root: string): StartAnswer {
  const { paymentId, amount, returnUrl } = input;
  const total = amountText(amount);
  const reference = providerReference(paymentId);
  const fields = {
    amount: total,
    tax_amount: '0',
    total_amount: total,
    transaction_uuid: reference,
    product_code: credentials['merchantCode'] ?? '',
    product_service_charge: '0',
    product_delivery_charge: '0',
    success_url: new URL('success', returnUrl).href,
    failure_url: new URL('failure', returnUrl).href,
    signed_field_names: signedOfForm.join(','),
  };
  const signature = signatureOf(signedOfForm, fields, credentials['secretKey'] ?? '');
  return {
    outcome: 'started',
    instructions: {
      kind: 'form',
      method: 'POST',
      url: `${root}${formPath}`,
      fields: { ...fields, signature },
    },
    lookupReference: reference,
    // its five minutes start when the buyer logs in, and we do not learn when that is
    providerExpiresAt: null,
  };
}

function buildLookup(input: LookupInput, credentials: Credentials, root: string): WireRequest {
  const query = new URLSearchParams({
    product_code: credentials['merchantCode'] ?? '',
    total_amount: amountText(input.amount),
    transaction_uuid: input.lookupReference,
  });
  return {
    method: 'GET',
    url: `${root}${statusPath}?${query.toString()}`,
    headers: { accept: 'application/json' },
    body: null,
  };
}

/** Status texts in upper case and their meaning; any other text is unknown. */
const outcomes: ReadonlyMap<string, LookupReading['outcome']> = new Map([
  ['COMPLETE', 'paid'],
  ['PENDING', 'pending'],
  ['FULL_REFUND', 'refunded'],
  ['PARTIAL_REFUND', 'partially_refunded'],
  ['AMBIGUOUS', 'ambiguous'],
  ['CANCELED', unverified.cancelled.CANCELED],
]);

/** In an outage the wallet answers 200 without a status, which is no readable answer. A number as status is
 *  not one either: error pages of web servers have one. */
function readLookup(reply: WireReply, { seen }: LookupInput): Reading<LookupReading> | null {
  if (reply.status >= 500 || isRefusal(reply)) return null;
  const body = typeof objectIn(reply.text)?.['status'] === 'string' ? fieldsIn(reply.text) : null;
  const status = body === null ? null : textOf(body['status']);
  if (body === null || status === null) return null;
  const amountPaisa = paisaFromRupees(body['total_amount'] ?? body['totalAmount'] ?? '');
  const meant = outcomeOf(status.toUpperCase(), seen);
  const clear = reply.status === 200 && amountPaisa !== null;
  const outcome = meant === 'paid' && !clear ? 'ambiguous' : meant;
  return {
    answer: {
      outcome,
      answered: true,
      amountPaisa,
      reference: textOf(body['transaction_uuid']),
      providerRef: textOf(body['ref_id']) ?? textOf(body['refId']) ?? textOf(body['transaction_code']),
      traceId: null,
      failureCode: outcome === 'failed' ? 'declined' : null,
      fee: null,
      ...unknownWord(outcome, status),
    },
    alarm: null,
  };
}

/** NOT_FOUND is the answer for a buyer who has not logged in yet, has given up, or was too slow. */
function outcomeOf(status: string, seen: LookupInput['seen']): LookupReading['outcome'] {
  if (status !== 'NOT_FOUND') return outcomes.get(status) ?? 'ambiguous';
  if (seen?.returnedUnpaid === true) return unverified.cancelled.NOT_FOUND;
  return seen?.wasPending === true ? 'expired' : 'not_found';
}

/** Only the data at the success address is signed; a return to the other address itself means that nothing
 *  was paid. */
function parseReturn({ paymentId, outcome, query }: ReturnRequest, credentials: Credentials): ReturnHint {
  if (outcome === 'done') {
    return { hint: 'unknown', verified: false, summary: 'Buyer came back from the app' };
  }
  if (outcome === 'failure') {
    return { hint: 'failed', verified: false, summary: 'Buyer came back by the failure address' };
  }
  const body = returnedIn(query.get('data') ?? '');
  if (body === null) return refused('nothing readable');
  const problem = returnProblem(body, paymentId, credentials);
  if (problem !== null) return refused(problem);
  const status = body['status'] ?? '';
  return {
    hint: hints.get(status.toUpperCase()) ?? 'unknown',
    verified: true,
    summary: `Buyer came back: ${status.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 40)}`,
  };
}

const refused = (why: string): ReturnHint => ({
  hint: 'unknown',
  verified: false,
  summary: `Buyer came back with ${why}`,
});

const hints: ReadonlyMap<string, ReturnHint['hint']> = new Map([
  ['COMPLETE', 'paid'],
  ['CANCELED', 'cancelled'],
]);

/** What is wrong with a return; null when it is signed, complete, and about this payment. */
function returnProblem(body: Fields, paymentId: string, credentials: Credentials): string | null {
  const names = signedNamesOf(body);
  if (!signedOfReturn.every((name) => names.includes(name) && Object.hasOwn(body, name))) {
    return 'a signature over too little';
  }
  if (!isSigned(body, credentials['secretKey'] ?? '')) return 'a signature that does not hold';
  const own =
    body['transaction_uuid'] === providerReference(paymentId) &&
    body['product_code'] === credentials['merchantCode'];
  return own ? null : "another payment's return";
}

/** The base64 as browsers send it: URL-safe or not, spaces for `+`, with or without padding. */
function returnedIn(data: string): Fields | null {
  const base64 = data.replaceAll(' ', '+').replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
  if (base64.length > dataCharactersMax || !/^[A-Za-z0-9+/]+$/.test(base64)) return null;
  return fieldsIn(Buffer.from(base64, 'base64').toString('utf8'));
}
