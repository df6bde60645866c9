/** The adapter of bank_a: a form posted by the browser and signed with the merchant's RSA key, paisa, unsigned
 *  returns to registered addresses, look-ups with Basic authentication and a signature.
 *  Boundary: pure; its calls are the look-up and the details of a paid one, and call.ts sends them.
 *  1. The status `FAILED` is failed, whatever its text says. Otherwise `statusDesc` decides, and only `SUCCESS` with
 *     one of the two spellings of success is paid; an unknown text is ambiguous.
 *  2. The details of a paid payment may contradict its look-up, or say that it was not credited: then it is
 *     ambiguous. */
import type { Paisa } from '../../kernel/money.ts';
import { kathmanduDay, type Instant } from '../../kernel/time.ts';
import {
  isRefusal,
  nothingRead,
  objectIn,
  paymentOfReference,
  providerReference,
  unknownWord,
  type Adapter,
  type BrowserStart,
  type ReturnRequest,
  type Credentials,
  type Details,
  type LookupInput,
  type LookupReading,
  type ParseReturn,
  type ProviderCall,
  type Reading,
  type ReturnHint,
  type StartAnswer,
  type StartInput,
  type WireReply,
  type WireRequest,
} from '../provider.ts';
import { createPrivateKey, sign, type KeyObject } from 'node:crypto';
import { remembering } from '../../kernel/remembering.ts';
import { Semaphore } from '../../kernel/semaphore.ts';

type LookupCall = ProviderCall<LookupInput, LookupReading>;

/** An adapter that signs with RSA, which takes time. */
interface SigningAdapter extends Adapter {
  readonly start: BrowserStart;
  readonly lookup: LookupCall & { readonly details: Details<LookupInput, LookupReading> };
  readonly parseReturn: ParseReturn;
  readonly paymentOfReturn: NonNullable<Adapter['paymentOfReturn']>;
}

export const bankA: SigningAdapter = {
  start: { open },
  lookup: { build: buildLookup, read: readLookup, details: { build: buildDetails, read: readDetails } },
  refund: null,
  parseReturn,
  paymentOfReturn: (query) => paymentOfReference(query.get('TXNID') ?? ''),
};

/** Below the address of its pages. */
const formPath = '/loginpage';
/** Below the address of its calls. */
const lookupPath = '/api/creditor/validatetxn';
const detailsPath = '/api/creditor/gettxndetail';
const remarksMax = 50;
const particularsMax = 100;
const textCharactersMax = 200;

type Fields = { readonly [name: string]: string };
type Body = { readonly [key: string]: unknown };

/** `NAME=value,NAME=value`, the text that is signed. */
const joined = (fields: Fields): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');

/** A value that keeps the signed text unambiguous, and stays the same in a form. */
const plain = (value: string): string => value.replaceAll(/[,\p{C}]/gu, '').trim();

const cut = (value: string, charactersMax: number): string =>
  Array.from(plain(value)).slice(0, charactersMax).join('').trim();

/** 20-11-2026, in Asia/Kathmandu. */
const dayOf = (now: Instant): string => kathmanduDay(now).split('-').toReversed().join('-');

async function open(input: StartInput, credentials: Credentials, root: string): Promise<StartAnswer | null> {
  const { paymentId, amount, order, now } = input;
  const { merchantId = '', appId = '', appName = '', privateKey = '' } = credentials;
  const reference = providerReference(paymentId);
  const { order_id: orderId } = order.metadata;
  const named =
    typeof orderId === 'string' || typeof orderId === 'number' ? String(orderId) : (order.referenceId ?? '');
  const fields = {
    MERCHANTID: plain(merchantId),
    APPID: plain(appId),
    APPNAME: plain(appName),
    TXNID: reference,
    TXNDATE: dayOf(now),
    TXNCRNCY: order.currency,
    TXNAMT: String(amount),
    REFERENCEID: reference,
    REMARKS: cut(named, remarksMax) || reference,
    PARTICULARS: cut(order.description ?? '', particularsMax) || 'N/A',
  };
  const token = await rsaSignature(privateKey, `${joined(fields)},TOKEN=TOKEN`);
  if (token === null) return null;
  return {
    outcome: 'started',
    instructions: {
      kind: 'form',
      method: 'POST',
      url: `${root}${formPath}`,
      fields: { ...fields, TOKEN: token },
    },
    lookupReference: reference,
    // how long a buyer may take is not known
    providerExpiresAt: null,
  };
}

async function buildLookup(
  input: LookupInput,
  credentials: Credentials,
  root: string,
): Promise<WireRequest | null> {
  const { merchantId = '', appId = '', appPassword = '', privateKey = '' } = credentials;
  const { lookupReference: referenceId, amount } = input;
  const txnAmt = String(amount);
  const token = await rsaSignature(
    privateKey,
    joined({ MERCHANTID: merchantId, APPID: appId, REFERENCEID: referenceId, TXNAMT: txnAmt }),
  );
  if (token === null) return null;
  const number = /^\d{1,15}$/.test(merchantId) ? Number(merchantId) : merchantId;
  return {
    method: 'POST',
    url: `${root}${lookupPath}`,
    headers: {
      authorization: `Basic ${Buffer.from(`${appId}:${appPassword}`).toString('base64')}`,
      'content-type': 'application/json',
      accept: 'application/json',
    },
    body: JSON.stringify({ merchantId: number, appId, referenceId, txnAmt, token }),
  };
}

/** Texts of `statusDesc` in upper case and their meaning; any other text is unknown. The first is the wire's
 *  own spelling. */
const outcomes: ReadonlyMap<string, LookupReading['outcome']> = new Map([
  ['TRANSACTION SUCESSFULL', 'paid'],
  ['TRANSACTION SUCCESSFUL', 'paid'],
  ['TRANSACTION UNSUCCESSFUL', 'failed'],
  ['TRANSACTION INCOMPLETE', 'pending'],
  ['TRANSACTION NOT FOUND', 'not_found'],
]);

/** A number as status is not one: error pages of web servers have one. */
function readLookup(reply: WireReply): Reading<LookupReading> | null {
  if (reply.status >= 500) return null;
  const body = objectIn(reply.text);
  if (body === null) return null;
  if (isRefusal(reply)) {
    const says = textIn(body['statusDesc']) ?? textIn(body['message']) ?? `HTTP ${reply.status}`;
    return { answer: nothingRead, alarm: `look-up: ${says}` };
  }
  const [status, text] = [textIn(body['status']), textIn(body['statusDesc'])];
  if (status === null && text === null) return null;
  return { answer: lookedUp(reply.status, body, status ?? '', text ?? ''), alarm: null };
}

function lookedUp(httpStatus: number, body: Body, status: string, text: string): LookupReading {
  const amountPaisa = paisaIn(body['txnAmt']);
  const meant = outcomes.get(text.trim().toUpperCase()) ?? 'ambiguous';
  const clear = httpStatus === 200 && status.toUpperCase() === 'SUCCESS' && amountPaisa !== null;
  const unfailed = meant === 'paid' && !clear ? 'ambiguous' : meant;
  const outcome = httpStatus === 200 && status.toUpperCase() === 'FAILED' ? 'failed' : unfailed;
  return {
    ...nothingRead,
    outcome,
    answered: true,
    amountPaisa,
    reference: textIn(body['referenceId']),
    failureCode: outcome === 'failed' ? 'declined' : null,
    ...unknownWord(outcome, text === '' ? status : `${status}, ${text}`),
  };
}

/** Only what counts as paid has details: the same question at another address. */
function buildDetails(answer: LookupReading, sent: WireRequest, input: LookupInput): WireRequest | null {
  const { outcome, amountPaisa, reference } = answer;
  if (outcome !== 'paid' || amountPaisa !== input.amount || reference !== input.lookupReference) return null;
  return { ...sent, url: `${sent.url.slice(0, -lookupPath.length)}${detailsPath}` };
}

function readDetails(reply: WireReply, answer: LookupReading): LookupReading | null {
  const read = readLookup(reply)?.answer;
  if (read === undefined || !read.answered) return null;
  const agree =
    read.outcome === 'paid' && read.amountPaisa === answer.amountPaisa && read.reference === answer.reference;
  if (!agree) {
    const word = `paid, but its details say ${read.word ?? read.outcome}`;
    return { ...answer, outcome: 'ambiguous', ...unknownWord('ambiguous', word) };
  }
  const { txnId, creditStatus, chargeAmt, chargeLiability } = objectIn(reply.text) ?? {};
  const providerRef = wordIn(txnId);
  const credit = wordIn(creditStatus);
  if (credit !== null && !credited.includes(credit.toUpperCase())) {
    const word = `paid, but creditStatus is ${credit}`;
    return { ...answer, providerRef, outcome: 'ambiguous', ...unknownWord('ambiguous', word) };
  }
  return { ...answer, providerRef, fee: feeIn(chargeAmt, wordIn(chargeLiability)) };
}

/** Values of `creditStatus` that mean that the merchant's account is credited, now or with the next batch. */
const credited: readonly string[] = ['000', '999', 'DEFER'];

/** Who bears the charge: the merchant (`MN`) or the customer (`CG`). A charge that names nobody is the merchant's. */
const feeIn = (charge: unknown, liability: string | null): Paisa | null =>
  (liability ?? 'MN').toUpperCase() === 'MN' ? paisaIn(charge) : null;

/** Unsigned: only the address says how it went, and anybody can type it. */
function parseReturn({ outcome }: ReturnRequest): ReturnHint {
  return outcome === 'success'
    ? { hint: 'paid', verified: false, summary: 'Buyer came back by the success address' }
    : { hint: 'failed', verified: false, summary: 'Buyer came back by the failure address' };
}

const textIn = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && value.length <= textCharactersMax ? value : null;

/** A code: a text, or a number. */
const wordIn = (value: unknown): string | null => (typeof value === 'number' ? String(value) : textIn(value));

/** Whole paisa, as a number or as digits. */
function paisaIn(value: unknown): Paisa | null {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** bank_a's signatures: SHA256withRSA in base64, made on the thread pool.
 *  1. The event loop never signs: with a key of 2048 bits that is a millisecond, with 4096 bits five. Reading
 *     the PEM is a third of a millisecond, and is done once for each of the keys used last.
 *  2. At most two are made at once, because the pool's four threads serve files and passwords, too. How many
 *     can wait is bounded by the calls to providers that may be under way. */
const keysMax = 100;

const semaphore = new Semaphore(2);

/** null: no RSA key. */
const keyOf = remembering((pem: string): KeyObject | null => {
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === 'rsa' ? key : null;
  } catch {
    // a text that only looks like a key: the caller reports it
    return null;
  }
}, keysMax);

/** null: `pem` is no RSA key. */
async function rsaSignature(pem: string, text: string): Promise<string | null> {
  const key = keyOf(pem);
  return key === null ? null : semaphore.pass(() => signed(key, text));
}

const signed = (key: KeyObject, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    sign('RSA-SHA256', Buffer.from(text, 'utf8'), key, (error, signature) => {
      if (error === null) resolve(signature.toString('base64'));
      else reject(error);
    });
  });
