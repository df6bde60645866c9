/** The provider side of bank_a's protocol, simulated: form and JSON to neutral command, neutral state to text.
 *  Boundary: pure; imports only the kernel and what simulators share, so that it cannot share a mistake with the
 *  adapter.
 *  1. A form's token is checked before anything is done; a look-up's password before its token.
 *  2. The reference contains the payment's id, so any node can find the payment from it.
 *  3. Everything unconfirmed about this protocol is in `unverified`. */
import { createPublicKey, verify } from 'node:crypto';
import { equalInConstantTime } from '../../kernel/hash.ts';
import type { Paisa } from '../../kernel/money.ts';
import {
  jsonReply,
  type Neutral,
  objectIn,
  paymentNamed,
  type SimulatedReply,
  type Spelling,
} from '../simulated-wire.ts';

/** The credentials of every sandbox project; they are accepted only by the simulator. The private key was made
 *  for this file, and is public. */
export const simulatorCredentials = {
  merchantId: '550',
  appId: 'MER-550-APP-1',
  appName: 'EXAMPLE STORE',
  appPassword: 'simulated',
  privateKey: `-----BEGIN PRIVATE KEY-----
MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC+UWVbbXKV0XdU
/55XqEphuNFwtt9ePsk4VsKLHWy2QGak/ogN/SoWpdouXscJy7dTUPk01+YGWr/T
jKC5u0/ThiOTsaYX36Udeml32eWEVM2ny36bFdF0xpbwlVesYxln1df8Og48rKtl
F+iTlKeeewquVR/JR48D8d1sDFEv/wIL1+u1Hb9H4xXGJ7MjBs1JO9D0fKAgOXVv
X03x1aAw2QxGT5N1OEdnBtZgiQnlDFAjdKn25MEZIZQWt+xC0sEMKi1FSmaVCSvA
xCn8r9vvvcq2vJVXhYoc0KL6BVDeG9uIXQsAyE65guGZ7CPQ3pyaX+6o/b8QrVmp
IeBBwxL/AgMBAAECggEAVTc784abnnKWhJQaMbS0bXIkMVxowpnJXnUWkdTAhxBq
BWnEwMLBNDfZ7BZa98tkECW7GAqtv92lc9NNaixxT0yKJIkQTjNBCuRzUgtaRfj0
xrOKwmUwDqIXFq0//vu2dfRdy92w30EPU2ozpNUUgpUkUK/j1iu44TLMiqMvPRYj
WjC5bfNusdUb93sylp2eKZ8U2mMLOL+Wok8RbZATaHdXNCuITlaOJIPmOmypZCl3
AMXx5x2OB8yHcsnXTsr6p6Cl3bzrA7XALulwwEuvaDtBqZe9VDOFiHLtywmOB54C
ae6KUCWJmpI4WRj240aEqQ2PJzFGRaMpjrvmhPnNsQKBgQDmaruEXnqULgHVbO/Q
kNMjYuBjLUIrcYTGRG72X50T9ku1bBsap5q8S9wu/0b4qKW66jl+Jcp3kxKARYv2
drrByI8VNKelHITWpMqEWQKq0OUEAhQgWUPKQJcUW4TvCCJfgSNNpu2qZwL9QZx4
zxnxeLHEZvSNkY9px5/Vf8AczwKBgQDTcuiCGP2jiqozW5XeGOttSt4204sIm4p6
kmlv6yg9FI6f46ItAHxo9KHvLfiOeoDgHdn54ELLrFfrlXQooojhk1cRrPmoPW+e
TUOxy0wCeErCiXZVj7H0ctBL0NcLmjlPA12XzA+FGkeUXqaaMHxeifyBHaPlPuDy
OWOaGQsS0QKBgFylR7aGgoT4JraY8agLw0l0JULbXMK5ByjtNSyM70yqeHB/Ajrq
bzYMzoB7Fh8/ODv6l5lYOptvoD3BOPCldpwaNyXQoSOrXuIrKl6ip4blLWA6Mbt8
CNzWsah2z/GIdMGv2/EKEH+2oaYQ7ohIxWapH9kXiHcvstlWcbbXgfhTAoGBAIxt
D8T229u0x3v8IvexDQk0Y4d9ziQVSE5G1gch4UNPV7kP8DB61iTN8o1ptlzJNrWg
nZa5PSMOfgVS6CXka4uD0ptGiTcWNf6nyYFWRlCNmvi/WftQxxpU9cikFWz7K3wx
/AJH3zbCUS9T/MkB0lbmxO7qxGIG9FVpj6BTaWtBAoGAa2oLrrOjrMIm5I0+2cKg
FyGg+zOmANPVv84UiT6TBpAKAaZL2uNnWc6DfLetBn+Tz7tDMp5gBzUWo+lRMkAA
cQ3vVPIoNNxNCpCN4IXYaH5eNuIqSC57Lqk0nw+ksYVg+8eXmBa/pKKAXO390wJX
pZEUyXZDnfo+g9hk4teoSGI=
-----END PRIVATE KEY-----
`,
} as const;

/** The half of the pair that the bank keeps. */
const publicKey = createPublicKey(simulatorCredentials.privateKey);

/** The test buyers; anybody else cannot log in. */
export const testBuyers = { users: ['testbuyer1', 'testbuyer2'], password: 'Bank@123' } as const;

/** A `statusDesc` unknown to every adapter, for a payment whose state cannot be determined. */
export const unknownStatus = 'TRANSACTION UNDER REVIEW';

const unverified = {
  /** The `status` words beside the texts that decide. */
  status: { unsuccessful: 'FAILED', incomplete: 'PENDING', notFound: 'ERROR' },
  refused: (says: string) => ({ status: 'ERROR', statusDesc: says }),
  /** Paisa. */
  charge: '1000',
} as const;

/** The fields of a payment that the protocol shows. */
export interface Shown {
  readonly reference: string;
  /** The bank's own id. */
  readonly txnId: string;
  readonly amount: Paisa;
  readonly status: Neutral;
  /** A `statusDesc` that replaces the state's own. */
  readonly statusText?: string;
}

/** The payment a reference names; null if it cannot be one of ours. */
export const paymentOf = (reference: string): string | null => paymentNamed(reference, 'pay-');

export const txnIdOf = (paymentId: string): string => `BA${paymentId.slice('pay_'.length).toUpperCase()}`;

// The form.

export interface FormRequest {
  readonly reference: string;
  readonly amount: Paisa;
  readonly title: string;
}

export type ParsedForm =
  | { readonly is: 'form'; readonly form: FormRequest }
  /** A refusal, as shown to people. */
  | { readonly is: 'refused'; readonly says: string };

/** The signed fields in their order, and how long each may be. */
const lengths = {
  MERCHANTID: 10,
  APPID: 15,
  APPNAME: 30,
  TXNID: 20,
  TXNDATE: 10,
  TXNCRNCY: 3,
  TXNAMT: 15,
  REFERENCEID: 20,
  REMARKS: 50,
  PARTICULARS: 100,
} as const;

type FormField = keyof typeof lengths;
const formFields = Object.keys(lengths) as readonly FormField[];

/** Reads the form a browser posted. */
export function parseForm(form: URLSearchParams): ParsedForm {
  const no = (says: string): ParsedForm => ({ is: 'refused', says });
  const of = (name: FormField): string => form.get(name) ?? '';
  const missing = [...formFields, 'TOKEN'].find((name) => (form.get(name) ?? '') === '');
  if (missing !== undefined) return no(`The field ${missing} is missing.`);
  const text = `${formFields.map((name) => `${name}=${of(name)}`).join(',')},TOKEN=TOKEN`;
  if (!holds(form.get('TOKEN') ?? '', text)) return no('The token is not valid.');
  const long = formFields.find((name) => Array.from(of(name)).length > lengths[name]);
  if (long !== undefined) return no(`The field ${long} is too long.`);
  const { merchantId, appId } = simulatorCredentials;
  if (of('MERCHANTID') !== merchantId || of('APPID') !== appId) return no('No such merchant.');
  if (!/^\d\d-\d\d-\d{4}$/.test(of('TXNDATE'))) return no('The date is not valid.');
  if (of('TXNCRNCY') !== 'NPR') return no('The currency is not valid.');
  if (!/^[1-9]\d*$/.test(of('TXNAMT'))) return no('The amount is not valid.');
  return {
    is: 'form',
    form: { reference: of('TXNID'), amount: Number(of('TXNAMT')), title: of('REMARKS') },
  };
}

// Look-up and details.

export interface LookupRequest {
  readonly reference: string;
  /** As it was written. */
  readonly amount: string;
}

export type ParsedLookup =
  | { readonly is: 'command'; readonly command: LookupRequest }
  | { readonly is: 'reply'; readonly reply: SimulatedReply };

export function parseLookup(authorization: string, text: string): ParsedLookup {
  const refused = (status: number, says: string): ParsedLookup => ({
    is: 'reply',
    reply: jsonReply(status, unverified.refused(says)),
  });
  const { merchantId, appId, appPassword } = simulatorCredentials;
  const basic = Buffer.from(`${appId}:${appPassword}`).toString('base64');
  if (!equalInConstantTime(authorization, `Basic ${basic}`)) return refused(401, 'UNAUTHORIZED');
  const body = objectIn(text);
  if (body === null) return refused(400, 'BAD REQUEST');
  const { referenceId, txnAmt, token } = body;
  if (typeof referenceId !== 'string' || typeof txnAmt !== 'string' || typeof token !== 'string') {
    return refused(400, 'BAD REQUEST');
  }
  const merchant = `MERCHANTID=${String(body['merchantId'])},APPID=${String(body['appId'])}`;
  const signed = `${merchant},REFERENCEID=${referenceId},TXNAMT=${txnAmt}`;
  if (body['merchantId'] !== Number(merchantId) || body['appId'] !== appId || !holds(token, signed)) {
    return refused(401, 'INVALID TOKEN');
  }
  return { is: 'command', command: { reference: referenceId, amount: txnAmt } };
}

/** Whether the bank finds this payment with these parameters. */
export const isFoundBy = ({ amount }: LookupRequest, of: Paisa): boolean => amount === String(of);

interface Words {
  readonly status: string;
  readonly statusDesc: string;
}
const words = (status: string, statusDesc: string): Words => ({ status, statusDesc });

const { unsuccessful, incomplete, notFound } = unverified.status;
const successful = words('SUCCESS', 'TRANSACTION SUCESSFULL');
const isUnknown = words(notFound, 'TRANSACTION NOT FOUND');

const wordsByState: Readonly<Record<Neutral, Words>> = {
  created: isUnknown,
  opened: words(incomplete, 'TRANSACTION INCOMPLETE'),
  paid: successful,
  declined: words(unsuccessful, 'TRANSACTION UNSUCCESSFUL'),
  cancelled: words(unsuccessful, 'TRANSACTION UNSUCCESSFUL'),
  ended: words(incomplete, 'TRANSACTION INCOMPLETE'),
  partly_refunded: successful,
  refunded: successful,
};

const answered = (reference: string, amount: string, shownWords: Words, more: object = {}): SimulatedReply =>
  jsonReply(200, {
    merchantId: Number(simulatorCredentials.merchantId),
    appId: simulatorCredentials.appId,
    referenceId: reference,
    txnAmt: amount,
    token: null,
    ...shownWords,
    ...more,
  });

/** The answer for an unknown payment. */
export const notFoundReply = ({ reference, amount }: LookupRequest): SimulatedReply =>
  answered(reference, amount, isUnknown);

/** Beside `FAILED` the bank's text is free: it says what the buyer's own bank has answered. */
const publicFailure = words('FAILED', 'DECLINED BY DEBTOR BANK');

function wordsOf({ status, statusText }: Shown, spelling: Spelling = 'own'): Words {
  if (statusText !== undefined) return words('SUCCESS', statusText);
  const shownWords = wordsByState[status];
  return spelling === 'public' && shownWords.status === unsuccessful ? publicFailure : shownWords;
}

export const lookupReply = (shown: Shown, spelling: Spelling = 'own'): SimulatedReply =>
  answered(shown.reference, String(shown.amount), wordsOf(shown, spelling));

/** What the bank books in public: any of the credited words, with a charge that the merchant bears or the customer.
 *  A payment's whole rupees say which, so all of them are seen and each stays the same. */
const publicBookings = ['MN', 'CG'].flatMap((chargeLiability) =>
  ['000', '999', 'DEFER'].map((creditStatus) => ({ creditStatus, chargeLiability })),
);
const publicBookingOf = (amount: Paisa) => publicBookings[Math.floor(amount / 100) % publicBookings.length];

/** The same with what the bank has booked. */
export function detailsReply(shown: Shown, spelling: Spelling = 'own'): SimulatedReply {
  const shownWords = wordsOf(shown, spelling);
  const booking = spelling === 'public' ? publicBookingOf(shown.amount) : { creditStatus: '000' };
  const isBooked = shownWords.status === 'SUCCESS';
  return answered(shown.reference, String(shown.amount), shownWords, {
    txnId: isBooked ? shown.txnId : null,
    batchId: isBooked ? `B-${shown.txnId}` : null,
    debitBankCode: isBooked ? '0101' : null,
    chargeAmt: isBooked ? unverified.charge : null,
    ...(isBooked ? booking : { creditStatus: null }),
  });
}

// The buyer.

/** The registered address with the reference: unsigned. */
export function returnAddress(registered: string, reference: string): string {
  const url = new URL(registered);
  url.searchParams.set('TXNID', reference);
  return url.href;
}

/** What is wrong with a log-in; null for a test buyer. */
export function loginProblem(user: string, password: string): string | null {
  if (!testBuyers.users.some((known) => known === user)) return 'No test buyer has this user name.';
  return password === testBuyers.password ? null : 'The password is wrong.';
}

// Reading and verifying.

const holds = (token: string, text: string): boolean =>
  verify('RSA-SHA256', Buffer.from(text, 'utf8'), publicKey, Buffer.from(token, 'base64'));
