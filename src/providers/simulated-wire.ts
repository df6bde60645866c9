/** What the simulated sides of all providers share: the neutral states, ids of ours in their texts, amounts and
 *  addresses as they are written.
 *  Boundary: pure; like the simulators it sees node and the kernel alone, so that it cannot share a mistake with an
 *  adapter. Signing is each simulator's own. */
import type { Paisa } from '../kernel/money.ts';

export type Neutral =
  | 'created'
  | 'opened'
  | 'paid'
  | 'declined'
  | 'cancelled'
  | 'ended'
  | 'partly_refunded'
  | 'refunded';

/** How a simulator words what it answers: in its own way, or as the public documents of the provider do. */
export type Spelling = 'own' | 'public';

export interface SimulatedReply {
  readonly status: number;
  readonly body: string;
}

export const jsonReply = (status: number, body: object): SimulatedReply => ({
  status,
  body: JSON.stringify(body),
});

/** Whether this buyer returns by the address for failures. */
export const isUnpaid = (status: Neutral): boolean =>
  status === 'declined' || status === 'cancelled' || status === 'ended';

const idText = /^[0-9a-hjkmnp-tv-z]{16}$/;

/** The payment that a text names: its id stands between the two. null: none of ours. */
export function paymentNamed(text: string, before: string, after = ''): string | null {
  if (!text.startsWith(before) || !text.endsWith(after)) return null;
  const id = text.slice(before.length, text.length - after.length);
  return idText.test(id) ? `pay_${id}` : null;
}

/** Rupees as JSON: `1250.5` by default, `"1,250.5"` in the format `1,000.0`. */
export function spelled(amount: Paisa, example = '1000.0'): string {
  const [whole, paisa] = [String(Math.trunc(amount / 100)), String(amount % 100).padStart(2, '0')];
  const least = paisa.endsWith('0') ? paisa.slice(0, 1) : paisa;
  switch (example) {
    case '1000':
      return paisa === '00' ? whole : `${whole}.${least}`;
    case '1000.0':
      return `${whole}.${least}`;
    case '1000.00':
      return `${whole}.${paisa}`;
    case '1,000.0':
      return `"${whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')}.${least}"`;
    default:
      return JSON.stringify(example);
  }
}

/** Rupees with at most two decimals, in paisa. */
export function paisaIn(text: string): Paisa | null {
  const [whole = '', decimals = '', ...rest] = text.split('.');
  if (!/^\d{1,12}$/.test(whole) || !/^\d{0,2}$/.test(decimals) || rest.length > 0) return null;
  return Number(whole) * 100 + Number(decimals.padEnd(2, '0'));
}

/** With one character changed. */
export const spoiled = (signature: string): string =>
  `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;

export const isWebAddress = (value: unknown): boolean =>
  typeof value === 'string' && URL.canParse(value) && ['http:', 'https:'].includes(new URL(value).protocol);

/** The JSON object in a text; null: it holds none. */
export function objectIn(text: string): { readonly [field: string]: unknown } | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is { readonly [field: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
