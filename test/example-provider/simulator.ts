/** wallet_z's own side of its wire, for the sandbox: text to neutral command, neutral state to text.
 *  Boundary: pure; imports nothing of the adapter's, so that a mistake is not made twice. */

export const simulatorCredentials = { token: 'simulated_wallet_z_token' } as const;

export const testBuyer = { phone: '9800000000', pin: '1111' } as const;

export interface SimulatedReply {
  readonly status: number;
  readonly body: string;
}

export interface PayHeard {
  readonly ref: string;
  readonly amount: number;
  readonly back: string;
}

/** What a start call asks for; null for one that is refused. */
export function hearPay(authorization: string, text: string): PayHeard | null {
  if (authorization !== `Token ${simulatorCredentials.token}`) return null;
  const { ref, amount, back } = objectIn(text);
  if (typeof ref !== 'string' || typeof amount !== 'number' || typeof back !== 'string') return null;
  return { ref, amount, back };
}

/** The id a look-up asks for; null for one that is refused. */
export function hearFind(authorization: string, text: string): string | null {
  if (authorization !== `Token ${simulatorCredentials.token}`) return null;
  const { id } = objectIn(text);
  return typeof id === 'string' ? id : null;
}

/** The wallet's own id of a payment. It holds the payment's, so any node finds the payment from the wire. */
export const idOf = (paymentId: string): string => paymentId.replace('pay_', 'z-');

/** The payment that an id of ours (`pay-...`) or of the wallet's (`z-...`) names; null for one that cannot be. */
export function paymentOf(id: string): string | null {
  const [, rest] = /^(?:pay|z)-([0-9a-hjkmnp-tv-z]{16})$/.exec(id) ?? [];
  return rest === undefined ? null : `pay_${rest}`;
}

export const refusal = (status: number): SimulatedReply => ({ status, body: '{"error":"refused"}' });

export const payReply = (id: string, page: string): SimulatedReply => ({
  status: 200,
  body: JSON.stringify({ id, url: `${page}/?id=${id}` }),
});

/** Every state a simulated payment can be in. */
const words = {
  created: 'OPEN',
  opened: 'OPEN',
  paid: 'PAID',
  declined: 'NO',
  cancelled: 'NO',
  ended: 'NO',
  partly_refunded: 'BACK',
  refunded: 'BACK',
} as const;

export interface Shown {
  readonly id: string;
  readonly amount: number;
  readonly state: keyof typeof words;
  /** Another word than the state's own. */
  readonly word?: string;
  readonly noReceipt?: boolean;
}

export function findReply({
  id,
  amount,
  state,
  word = words[state],
  noReceipt = false,
}: Shown): SimulatedReply {
  const receipt = state === 'paid' && !noReceipt ? `Z-${id}` : null;
  return { status: 200, body: JSON.stringify({ id, amount, state: word, receipt }) };
}

/** What is wrong with a log-in; null when it is the test buyer's. */
export const loginProblem = (phone: string, pin: string): string | null =>
  phone === testBuyer.phone && pin === testBuyer.pin ? null : 'Unknown phone or wrong PIN.';

function objectIn(text: string): { readonly [field: string]: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    // what is no JSON has no fields, and is refused
    return {};
  }
}
