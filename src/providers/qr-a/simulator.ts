/** The provider side of qr_a's protocol, simulated: text to neutral command, neutral state to text.
 *  Boundary: pure; imports only the kernel and what simulators share, so that it cannot share a mistake with the
 *  adapter.
 *  1. A call with an invalid `dataValidation` is refused before anything else of it is read.
 *  2. The prn is the payment's reference, so any node can find the payment from it.
 *  3. Everything unconfirmed about this protocol is in `unverified`. */
import { createHmac } from 'node:crypto';
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

/** The credentials of every sandbox project; they are accepted only by the simulator. Any user and password
 *  is valid. */
export const simulatorCredentials = {
  merchantCode: 'NBQM',
  secretKey: 'a7e3512f5032480a83137793cb2021dc',
  username: 'simulated',
  password: 'simulated',
} as const;

/** Status texts unknown to every adapter, for a payment whose state cannot be determined. */
export const unknownStatus = 'on_hold';

const unverified = {
  unknownPrn: { status: 404, message: 'No such prn.' },
  invalid: { status: 400, message: 'dataValidation does not hold.' },
  created: 'successfull',
  paidMessage: 'OK',
  declined: 'Transaction failed.',
  /** What the buyer pays beside the amount, where the answer has a total. */
  buyersFee: 500,
} as const;

/** The fields of a payment that the protocol shows. */
export interface Shown {
  readonly prn: string;
  readonly amount: Paisa;
  readonly status: Neutral;
  readonly traceId: number;
  /** A status text that replaces the state's own. */
  readonly statusText?: string;
  /** Why it was declined. */
  readonly message?: string;
  /** The status call leaves the amount out. */
  readonly noAmount?: boolean;
}

export type Parsed<Command> =
  | { readonly is: 'command'; readonly command: Command }
  | { readonly is: 'reply'; readonly reply: SimulatedReply };

const refusal = ({ status, message }: { readonly status: number; readonly message: string }) =>
  jsonReply(status, { message, success: false });

/** As the network refuses a merchant: the number stands beside the text. */
const publicRefusal = (errorCode: number, message: string): SimulatedReply =>
  jsonReply(errorCode, { documentation: 'https://qr-a.example/docs', errorCode, message });

export const unknownReply = (): SimulatedReply => refusal(unverified.unknownPrn);
export const invalidReply = (message: string): SimulatedReply =>
  refusal({ status: unverified.invalid.status, message });

// Ids.

/** The payment a prn names; null if it cannot be one of ours. */
export const paymentOf = (prn: string): string | null => paymentNamed(prn, 'pay-');

/** The number of a paid prn: always the same one. */
export function traceOf(prn: string): number {
  return 100_000 + (createHmac('sha256', 'trace').update(prn).digest().readUInt32BE() % 900_000);
}

// Create.

export interface CreateRequest {
  readonly prn: string;
  readonly amount: Paisa;
  readonly remarks: string;
}

export function parseCreate(text: string, spelling: Spelling = 'own'): Parsed<CreateRequest> {
  const body = textsOf(text);
  const { amount = '', prn = '', merchantCode = '', remarks1 = '', remarks2 = '' } = body;
  const tax =
    'taxAmount' in body || 'taxRefund' in body ? [body['taxAmount'] ?? '', body['taxRefund'] ?? ''] : [];
  const refused = refusedBy(body, [amount, prn, merchantCode, remarks1, remarks2, ...tax], spelling);
  if (refused !== null) return { is: 'reply', reply: refused };
  const [, rupees, paisa] = /^(\d{1,10})\.(\d\d)$/.exec(amount) ?? [];
  if (rupees === undefined || paisa === undefined) {
    return { is: 'reply', reply: invalidReply('amount must have two decimals.') };
  }
  if (prn.length < 3 || prn.length > 25) {
    return { is: 'reply', reply: invalidReply('prn must be 3 to 25 characters.') };
  }
  return {
    is: 'command',
    command: { prn, amount: Number(rupees) * 100 + Number(paisa), remarks: `${remarks1} ${remarks2}` },
  };
}

export interface Created {
  readonly qrMessage: string;
  readonly httpStatus: 200 | 201;
  /** The base address of sockets, e.g. `ws://127.0.0.1:8080/sim/qr_a`, without a trailing slash. */
  readonly socketBase: string;
  readonly prn: string;
}

export const createdReply = ({ qrMessage, httpStatus, socketBase, prn }: Created): SimulatedReply =>
  jsonReply(httpStatus, {
    message: unverified.created,
    qrMessage,
    status: 'CREATED',
    statusCode: 201,
    success: true,
    thirdpartyQrWebSocketUrl: `${socketBase}/ws/${prn}`,
    merchantWebSocketUrl: `${socketBase}/ws/m/${simulatorCredentials.merchantCode}?of=${prn}`,
  });

/** The text of a dynamic code. `merchantName` and `city` are cut to the maximum length of their tags. */
export function qrText(prn: string, amount: Paisa, bill: string | null = null): string {
  const rupees = `${Math.trunc(amount / 100)}.${String(amount % 100).padStart(2, '0')}`;
  const additional = `${bill === null ? '' : tag('01', bill)}${tag('05', prn)}${tag('07', '0001')}`;
  const network = `${tag('00', 'qra.example')}${tag('07', '2222000000000017')}`;
  const tags = [
    tag('00', '01'),
    tag('01', '12'),
    tag('26', network),
    tag('52', '5411'),
    tag('53', '524'),
    tag('54', rupees),
    tag('58', 'NP'),
    tag('59', 'EXAMPLE STORE'),
    tag('60', 'KATHMANDU'),
    tag('62', additional),
  ];
  const head = `${tags.join('')}6304`;
  return `${head}${crc16(Buffer.from(head, 'utf8'))}`;
}

/** The same text with its checksum as the network writes it. */
export const inSpelling = (qr: string, spelling: Spelling = 'own'): string =>
  spelling === 'own' ? qr : `${qr.slice(0, -4)}${qr.slice(-4).toLowerCase()}`;

/** The same text with an invalid checksum. */
export const withBadCrc = (qr: string): string =>
  `${qr.slice(0, -4)}${qr.endsWith('0000') ? '0001' : '0000'}`;

const tag = (id: string, value: string): string => `${id}${String(value.length).padStart(2, '0')}${value}`;

/** CRC-16/CCITT-FALSE in four upper-case hex digits. */
export function crc16(bytes: Uint8Array): string {
  let crc = 0xffff;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = ((crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021) & 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}

// Status.

export function parseStatus(text: string, spelling: Spelling = 'own'): Parsed<{ readonly prn: string }> {
  const body = textsOf(text);
  const { prn = '', merchantCode = '' } = body;
  const refused = refusedBy(body, [prn, merchantCode], spelling);
  return refused === null ? { is: 'command', command: { prn } } : { is: 'reply', reply: refused };
}

const statusTexts: Readonly<Record<Neutral, string>> = {
  created: 'pending',
  opened: 'pending',
  paid: 'success',
  declined: 'failed',
  cancelled: 'pending',
  ended: 'pending',
  partly_refunded: 'success',
  refunded: 'success',
};

/** Amounts in this protocol's format: `100.0`, `1250.5`, `1250.55`. */
const rupeesNumber = (amount: Paisa): string => {
  const cents = String(amount % 100).padStart(2, '0');
  return `${Math.trunc(amount / 100)}.${cents.endsWith('0') ? cents[0] : cents}`;
};

/** Amounts by their names; in public the total has a fee of the network in it. */
const amountFields = (amount: Paisa, spelling: Spelling = 'own'): readonly string[] =>
  spelling === 'own'
    ? [`"amount":${rupeesNumber(amount)}`]
    : [
        `"requestedAmount":${rupeesNumber(amount)}`,
        `"totalTransactionAmount":${rupeesNumber(amount + unverified.buyersFee)}`,
      ];

/** In public the network also says `failed` of a code that nobody has paid yet. */
export function statusReply(
  { prn, amount, status, traceId, statusText, message, noAmount }: Shown,
  spelling: Spelling = 'own',
): SimulatedReply {
  const paid = statusTexts[status] === 'success';
  const words = statusText ?? (spelling === 'public' && !paid ? statusTexts.declined : statusTexts[status]);
  const trace = spelling === 'public' ? 'networkTraceId' : 'qraTraceId';
  const text = status === 'declined' ? (message ?? unverified.declined) : message;
  const fields = [
    `"prn":${JSON.stringify(prn)}`,
    `"merchantCode":${JSON.stringify(simulatorCredentials.merchantCode)}`,
    ...(noAmount === true ? [] : amountFields(amount, spelling)),
    `"paymentStatus":${JSON.stringify(words)}`,
    ...(text === undefined ? [] : [`"message":${JSON.stringify(text)}`]),
    ...(paid ? [`"${trace}":${traceId}`] : []),
  ];
  return { status: 200, body: `{${fields.join(',')}}` };
}

// Socket.

const outer = (inner: string): string =>
  JSON.stringify({ merchantId: 1, deviceId: 'd', transactionStatus: inner });

export const scannedMessage = (): string =>
  outer(JSON.stringify({ success: true, message: 'VERIFIED', QRVerified: true }));

export const paidMessage = ({ prn, amount, traceId }: Pick<Shown, 'prn' | 'amount' | 'traceId'>): string => {
  const text = JSON.stringify(unverified.paidMessage);
  const what = `"message":${text},"paymentSuccess":true,"productNumber":${JSON.stringify(prn)}`;
  return outer(`{"traceId":${traceId},"amount":${rupeesNumber(amount)},${what}}`);
};

// Reading.

type Texts = { readonly [field: string]: string };

/** The text fields of a JSON object; empty for anything else. */
function textsOf(text: string): Texts {
  const body = objectIn(text) ?? {};
  const texts: { [field: string]: string } = Object.create(null);
  for (const name of Object.keys(body)) {
    const value = body[name];
    if (typeof value === 'string') texts[name] = value;
  }
  return texts;
}

/** The values joined by commas are signed with the shared secret. */
function refusedBy(
  body: Texts,
  values: readonly string[],
  spelling: Spelling = 'own',
): SimulatedReply | null {
  const { secretKey, merchantCode } = simulatorCredentials;
  if (body['merchantCode'] !== merchantCode)
    return spelling === 'public'
      ? publicRefusal(406, 'Invalid Merchant Code')
      : invalidReply('Unknown merchant code.');
  if ((body['username'] ?? '') === '' || (body['password'] ?? '') === '') {
    return refusal({ status: 401, message: 'Unknown user.' });
  }
  const right = createHmac('sha512', secretKey).update(values.join(','), 'utf8').digest('hex');
  if (equalInConstantTime(body['dataValidation'] ?? '', right)) return null;
  const { status, message } = unverified.invalid;
  return spelling === 'public' ? publicRefusal(status, message) : refusal(unverified.invalid);
}
