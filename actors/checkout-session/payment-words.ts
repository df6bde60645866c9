/** The words by which a payment is found: those of the buyer's name, e-mail and phone, of the description, of
 *  the provider's reference and of the order number.
 *  Boundary: pure, and imports nothing that a browser lacks: the session stores them as tags, the dashboard
 *  matches live rows by them.
 *  1. Bounded: at most `paymentWordsMax` words, each at most as long as a search. A payment of an order with
 *     a buyer and a short description has about ten: so many index entries its first row costs. Later writes
 *     of the row add the provider's reference and no other. */
import { phoneDigits, searchedWords, wordsIn } from '../../src/kernel/search-words.ts';

/** Words of one payment, which are entries of one index; the description is the last one. */
export const paymentWordsMax = 32;
/** Words of a name, an e-mail, a phone, a reference, an order number. */
const fieldWordsMax = 6;
export const descriptionWordsMax = 12;

/** The fields that are searched; a Payment object of the API has all but the description. */
export interface Searchable {
  readonly customer: {
    readonly name: string | null;
    readonly email: string | null;
    readonly phone: string | null;
  } | null;
  readonly description: string | null;
  readonly providerRef: string | null;
  readonly metadata: { readonly [key: string]: unknown };
}

export function wordsOfPayment({
  customer,
  description,
  providerRef,
  metadata,
}: Searchable): readonly string[] {
  const { name, email, phone } = customer ?? { name: null, email: null, phone: null };
  const phones = phone === null ? [] : new Set([phone, phoneDigits(phone)]);
  const fields = [providerRef, ...orderIdsOf({ metadata }), email, ...phones, name];
  const words = new Set([
    ...fields.flatMap((text) => wordsIn(text ?? '', fieldWordsMax)),
    ...wordsIn(description ?? '', descriptionWordsMax),
  ]);
  return [...words].slice(0, paymentWordsMax);
}

/** Carried by a payment's row, one for each word. */
export const searchTag = (word: string): string => `find=${word}`;

/** The tags that a search needs, every one of them. A search without words finds nothing. */
export function searchTags(text: string): readonly string[] {
  const words = searchedWords(text);
  return (words.length === 0 ? [noWord] : byRarity(words)).map(searchTag);
}

/** No payment has it. */
const noWord = '';

/** A database may follow the first one: long words are rarer than short ones. */
const byRarity = (words: readonly string[]): readonly string[] =>
  words.toSorted((a, b) => b.length - a.length);

/** Whether a search finds it: it has every word typed. */
export function isFoundBy(text: string, payment: Searchable): boolean {
  const typed = searchedWords(text);
  const words = new Set(wordsOfPayment(payment));
  return typed.length > 0 && typed.every((word) => words.has(word));
}

/** The order's ids as text, in either spelling. */
export const orderIdsOf = ({ metadata }: Pick<Searchable, 'metadata'>): readonly string[] =>
  Object.entries(metadata).flatMap(([key, value]) =>
    (key === 'order_id' || key === 'orderId') && isScalar(value) ? [String(value)] : [],
  );

const isScalar = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);
