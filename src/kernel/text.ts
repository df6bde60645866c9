/** Prepares the texts of clients for display. */

/** The first characters as people count them (an emoji is one); the rest of the text is not read. */
export const beginning = (text: string, charactersMax: number): string =>
  // a character takes one or two code units: a text with so few units is whole, and the last character of
  // twice as many is complete
  text.length <= charactersMax
    ? text
    : Array.from(text.slice(0, 2 * charactersMax))
        .slice(0, charactersMax)
        .join('');

/** The text itself, or its beginning and an ellipsis. */
export const shortened = (text: string, charactersMax: number): string =>
  text.length <= charactersMax ? text : `${beginning(text, charactersMax)}...`;

/** Removes characters that change the text direction: a name must not alter how the amount beside it reads. */
export const plain = (text: string): string =>
  text.replace(/[\u202A-\u202E\u2066-\u2069\u200E\u200F\u061C]/g, '');

/** The language of a text, so that a screen reader uses the right voice; undefined: that of the page. */
export const languageOfText = (text: string): 'ne' | undefined =>
  /\p{Script=Devanagari}/u.test(text) ? 'ne' : undefined;
