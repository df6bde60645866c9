/** What the web and the app of wallet_a have in common: amounts as text, and signatures over text.
 *  1. A signature covers what was written: numbers are read as the digits that stand there. */
import { equalInConstantTime, hmacSha256 } from '../../kernel/hash.ts';
import { rupeesText, type Paisa } from '../../kernel/money.ts';
import { objectIn } from '../provider.ts';
import { withNumbersAsText } from '../raw-numbers.ts';

export type Fields = { readonly [name: string]: string };

const textCharactersMax = 200;
/** A message of the wallet has about ten. */
const fieldsMax = 100;

/** Whole rupees without decimals, else exactly two: `1250`, `1250.50`. */
export const amountText = (amount: Paisa): string => rupeesText(amount).replace(/\.00$/, '');

/** Signs `name=value` of these fields in this order. The key is used as text, whatever it looks like. */
export const signatureOf = (names: readonly string[], fields: Fields, key: string): string =>
  hmacSha256(key, names.map((name) => `${name}=${fields[name] ?? ''}`).join(','), 'base64');

/** The fields that a message of the wallet says it has signed, in its order. */
export const signedNamesOf = (body: Fields): readonly string[] =>
  (body['signed_field_names'] ?? '').split(',');

/** Whether its signature is the one of this key. */
export const isSigned = (body: Fields, key: string): boolean =>
  key !== '' && equalInConstantTime(body['signature'] ?? '', signatureOf(signedNamesOf(body), body, key));

/** Texts and numbers of a JSON object, numbers as they were written (`1000.0`); null for anything else, and for an
 *  object that has far more fields than any message: reading it would cost several times what parsing does. */
export function fieldsIn(json: string): Fields | null {
  const whole = objectIn(json);
  if (whole === null || Object.keys(whole).length > fieldsMax) return null;
  const body = objectIn(withNumbersAsText(json)) ?? {};
  const texts: { [name: string]: string } = Object.create(null);
  for (const name of Object.keys(body)) {
    const value = body[name];
    if (typeof value === 'string') texts[name] = value;
  }
  return texts;
}

export const textOf = (value: string | undefined): string | null =>
  value !== undefined && value !== '' && value.length <= textCharactersMax ? value : null;
