/** The adapter of wallet_b: JSON, paisa, `Authorization: Key <secret>`.
 *  Boundary: pure pairs of build and read; call.ts sends.
 *  1. The body is read before the HTTP status: a 400 with a `status` is a complete answer.
 *  2. Only `Completed` without a refund is paid; an unknown status is ambiguous.
 *  3. Everything unconfirmed about this protocol is in `unverified`. */
import type { Instant } from '../../kernel/time.ts';
import {
  nothingRead,
  isRefusal,
  objectIn,
  providerReference,
  unknownWord,
  type ReturnRequest,
  type CalledAdapter,
  type Credentials,
  type LookupInput,
  type LookupReading,
  type Reading,
  type RefundInput,
  type RefundReading,
  type ReturnHint,
  type StartAnswer,
  type StartInput,
  type WireReply,
  type WireRequest,
} from '../provider.ts';

export const walletB: CalledAdapter = {
  start: { build: buildStart, read: readStart },
  lookup: { build: buildLookup, read: readLookup },
  refund: { build: buildRefund, read: readRefund },
  parseReturn,
};

/** Facts not confirmed yet; each is used in only one place, through this object. */
const unverified = {
  /** The answer for an unknown pidx has this status and some JSON object, whose content is ignored. */
  notFoundStatus: 404,
  /** `refunded` comes with a partial refund; it changes our interpretation only next to `Completed`. */
  refundedContradictsCompleted: true,
  /** No answer to a refund has named an id yet; one that does is believed under these names. */
  refundIdNames: ['refund_id', 'id'],
} as const;

/** Paths below the root: payments have a version, refunds have none. */
const paymentsPath = '/api/v2/epayment';
const refundsPath = '/api/merchant-transaction';
const referenceCharactersMax = 200;
const messageCharactersMax = 300;

type Body = { readonly [key: string]: unknown };

function post(root: string, path: string, credentials: Credentials, body: object): WireRequest {
  return {
    method: 'POST',
    url: `${root}${path}`,
    headers: {
      authorization: `Key ${credentials['secretKey'] ?? ''}`,
      'content-type': 'application/json',
      accept: 'application/json',
    },
    body: JSON.stringify(body),
  };
}

function buildStart(input: StartInput, credentials: Credentials, root: string): WireRequest {
  const { order, amount, paymentId } = input;
  const reference = providerReference(paymentId);
  const known = Object.entries({
    name: order.customer?.name,
    email: order.customer?.email,
    phone: order.customer?.phone,
  }).filter(([, value]) => typeof value === 'string' && value !== '');
  return post(root, `${paymentsPath}/initiate/`, credentials, {
    return_url: input.returnUrl,
    website_url: new URL(order.returnUrl ?? input.returnUrl).origin,
    amount,
    purchase_order_id: reference,
    purchase_order_name: order.description ?? reference,
    ...(known.length === 0 ? {} : { customer_info: Object.fromEntries(known) }),
  });
}

function readStart(reply: WireReply, input: StartInput): Reading<StartAnswer> | null {
  if (reply.status >= 500) return null;
  const body = objectIn(reply.text);
  if (body === null) return null;
  const pidx = text(body['pidx'], referenceCharactersMax);
  const url = webAddress(body['payment_url']);
  if (reply.status === 200 && pidx !== null && url !== null) {
    return {
      answer: {
        outcome: 'started',
        instructions: { kind: 'redirect', method: 'GET', url, fields: {} },
        lookupReference: pidx,
        providerExpiresAt: endOf(body, input.now),
      },
      alarm: null,
    };
  }
  const refusal = refusalIn(body);
  if (reply.status < 400 || refusal === null) return null;
  const alarm = isRefusal(reply) ? `start: ${refusal}` : null;
  return { answer: { outcome: 'failed', message: refusal }, alarm };
}

function buildLookup(input: LookupInput, credentials: Credentials, root: string): WireRequest {
  return post(root, `${paymentsPath}/lookup/`, credentials, { pidx: input.lookupReference });
}

/** Status texts in lower case and their meaning; any other text is unknown. */
const outcomes: ReadonlyMap<string, LookupReading['outcome']> = new Map([
  ['completed', 'paid'],
  ['pending', 'pending'],
  ['initiated', 'pending'],
  ['refunded', 'refunded'],
  ['partially refunded', 'partially_refunded'],
  ['expired', 'expired'],
  ['user canceled', 'cancelled'],
]);

function readLookup(reply: WireReply): Reading<LookupReading> | null {
  if (reply.status >= 500) return null;
  const body = objectIn(reply.text);
  if (body === null) return null;
  const status = isRefusal(reply) ? null : text(body['status'], Infinity);
  if (status !== null) return { answer: lookedUp(body, status, reply.status), alarm: null };
  if (reply.status === unverified.notFoundStatus) return { answer: silent('not_found', true), alarm: null };
  const refusal = refusalIn(body);
  if (reply.status < 400 || refusal === null) return null;
  return { answer: silent('pending', false), alarm: `look-up: ${refusal}` };
}

function lookedUp(body: Body, status: string, httpStatus: number): LookupReading {
  const amountPaisa = paisa(body['total_amount']);
  const reference = text(body['pidx'], referenceCharactersMax);
  const meant = outcomes.get(status.toLowerCase()) ?? 'ambiguous';
  const refunded = unverified.refundedContradictsCompleted && (body['refunded'] ?? false) !== false;
  const clear = httpStatus === 200 && amountPaisa !== null && reference !== null && !refunded;
  const outcome = meant === 'paid' && !clear ? 'ambiguous' : meant;
  return {
    ...silent(outcome, true),
    ...unknownWord(outcome, refunded ? `${status}, refunded` : status),
    amountPaisa,
    reference,
    providerRef: text(body['transaction_id'], referenceCharactersMax),
    fee: paisa(body['fee']),
  };
}

const silent = (outcome: LookupReading['outcome'], answered: boolean): LookupReading => ({
  ...nothingRead,
  outcome,
  answered,
});

function buildRefund(input: RefundInput, credentials: Credentials, root: string): WireRequest {
  return post(root, `${refundsPath}/${encodeURIComponent(input.providerRef)}/refund/`, credentials, {
    ...(input.full ? {} : { amount: input.amount }),
    ...(input.mobileNumber === null ? {} : { mobile: input.mobileNumber }),
  });
}

/** 2xx is done and 4xx is refused, each with a text of the wallet. Anything else says nothing about the
 *  money: null. */
function readRefund(reply: WireReply): Reading<RefundReading> | null {
  const body = reply.status >= 500 ? null : objectIn(reply.text);
  const message = body === null ? null : refusalIn(body);
  if (body === null || message === null) return null;
  if (reply.status >= 200 && reply.status < 300) {
    const answer = { outcome: 'done', providerRefundId: refundIdIn(body), message: null } as const;
    return { answer, alarm: null };
  }
  if (reply.status < 400) return null;
  const alarm = isRefusal(reply) ? `refund: ${message}` : null;
  return { answer: { outcome: 'refused', providerRefundId: null, message }, alarm };
}

function refundIdIn(body: Body): string | null {
  const sent = unverified.refundIdNames.map((name) => text(body[name], referenceCharactersMax));
  return sent.find((id) => id !== null && /^[\x21-\x7e]+$/.test(id)) ?? null;
}

/** The return is unsigned: it is only a reason to look up. */
function parseReturn({ query }: ReturnRequest): ReturnHint {
  const status = query.get('status') ?? '';
  const hint = hints.get(status.toLowerCase()) ?? 'unknown';
  const shown = status.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 40);
  return { hint, verified: false, summary: shown === '' ? 'Buyer came back' : `Buyer came back: ${shown}` };
}

const hints: ReadonlyMap<string, ReturnHint['hint']> = new Map([
  ['completed', 'paid'],
  ['pending', 'unknown'],
  ['user canceled', 'cancelled'],
]);

/** The message in either of the two error formats: `detail`, otherwise the first text of a field. */
function refusalIn(body: Body): string | null {
  const { error_key: _kind, status_code: _code, ...fields } = body;
  const reason = text(body['detail'], Infinity) ?? firstText(fields, 3);
  return reason === null ? null : reason.slice(0, messageCharactersMax);
}

function firstText(value: unknown, depth: number): string | null {
  if (typeof value === 'string') return value === '' ? null : value;
  if (typeof value !== 'object' || value === null || depth === 0) return null;
  for (const inner of Object.values(value)) {
    const found = firstText(inner, depth - 1);
    if (found !== null) return found;
  }
  return null;
}

/** `expires_at`, otherwise `expires_in` seconds from now; null when both are missing. */
function endOf(body: Body, now: Instant): Instant | null {
  const at = typeof body['expires_at'] === 'string' ? Date.parse(body['expires_at']) : NaN;
  if (Number.isFinite(at)) return at;
  const life = body['expires_in'];
  return typeof life === 'number' && life > 0 && life < 1e9 ? now + Math.round(life * 1000) : null;
}

const text = (value: unknown, charactersMax: number): string | null =>
  typeof value === 'string' && value !== '' && value.length <= charactersMax ? value : null;

const paisa = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;

/** A valid browser address; only http and https are accepted. */
function webAddress(value: unknown): string | null {
  if (typeof value !== 'string' || !URL.canParse(value)) return null;
  return ['http:', 'https:'].includes(new URL(value).protocol) ? value : null;
}
