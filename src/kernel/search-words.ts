/** The words of a text by which it is found.
 *  Boundary: pure; used for what is stored and for what is typed, on the service and in the browser.
 *  1. Both are split here, so a text is found as it was written, in upper or lower case.
 *  2. Bounded: a long text is read only at its beginning, and long words are cut.
 *  3. Most texts are plain: printable ASCII without a phone number. Their words are the same, found in a tenth of
 *     the time (plainWordsIn). */
import { beginning } from './text.ts';

/** Characters of a search; longer words are cut, so a word is never longer than what can be typed. */
export const searchCharactersMax = 120;
/** Words of a search: each is one more condition for the database, which follows the rarest one. */
export const searchWordsMax = 12;

/** Longer texts are read up to here. */
const charactersReadMax = 500;

/** They separate words; any other punctuation (`@ . - _ # '`) may be inside a word. */
const separators = /[\s,;:!?"“”„«»()[\]{}<>|/&=*…।॥]+/u;
/** Joiners and other invisible characters, which some keyboards for Nepali add. */
const invisible = /\p{Cf}/gu;
const edges = /^[^\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}]+$/gu;
/** Digits with what people write between those of a phone number. */
const digitRuns = /(?<![^\s,;:])\+?\(?\d[\d\s().-]*\d(?![^\s,;:.!?)])/gu;

/** Each word once, in order, the first `wordsMax`: NFC, lower case, without punctuation at its ends; a phone
 *  number is one word of digits, without the country code of Nepal. */
export function wordsIn(text: string, wordsMax: number): readonly string[] {
  if (text === '') return [];
  const words = isPlain(text) ? plainWordsIn(text) : anyWordsIn(text);
  return [...new Set(words)].slice(0, wordsMax);
}

/** For any text. */
export function anyWordsIn(text: string): readonly string[] {
  const read = beginning(text, charactersReadMax).replaceAll(invisible, '').normalize('NFC').toLowerCase();
  return read
    .replaceAll(digitRuns, (run) => phoneIn(run) ?? run.replaceAll(/\S+/gu, (each) => phoneIn(each) ?? each))
    .split(separators)
    .map((word) => beginning(word.replaceAll(edges, ''), searchCharactersMax).normalize('NFC'))
    .filter((word) => word !== '');
}

const printable = /^[ -~]*$/;
/** A run of digits, as above, with as many digits as the shortest phone number: 7. */
const longRun = /(?:^|[ ,;:])\+?\(?\d(?:[ ().-]*\d){6}/;
/** What is between two separators, from its first letter or digit to its last one. */
const plainWord = /[a-z\d](?:[^ ,;:!?"()[\]{}<>|/&=*]*[a-z\d])?/g;

const isPlain = (text: string): boolean =>
  text.length <= charactersReadMax && printable.test(text) && !longRun.test(text);

/** The same as `anyWordsIn`, of a plain text: it has nothing to normalize, and no digits to join. */
function plainWordsIn(text: string): readonly string[] {
  const words = text.toLowerCase().match(plainWord) ?? [];
  return words.map((word) => word.slice(0, searchCharactersMax));
}

/** The words of a search; one more than `searchWordsMax` when there are too many. */
export const searchedWords = (text: string): readonly string[] => wordsIn(text, searchWordsMax + 1);

/** The digits of a phone number without the country code of Nepal. */
export const phoneDigits = (text: string): string =>
  text.replaceAll(/\D/gu, '').replace(/^(?:00)?977(?=\d{7,10}$)/u, '');

/** Nepali numbers have 9 or 10 digits and begin with 0 or 9; a number of another country begins with `+`. */
function phoneIn(run: string): string | null {
  const digits = phoneDigits(run);
  const isPhone = run.startsWith('+') ? /^\d{7,15}$/u.test(digits) : /^[09]\d{8,9}$/u.test(digits);
  return isPhone ? digits : null;
}
