/** Texts of clients, cut where they are to be shown. */

/** The first characters as people count them (an emoji is one); the rest of the text is not looked at. */
export const beginning = (text: string, charactersMax: number): string =>
  // a character takes one or two places, so the last of these is whole
  Array.from(text.slice(0, 2 * charactersMax))
    .slice(0, charactersMax)
    .join('');

/** The text itself, or its beginning and three dots. */
export const shortened = (text: string, charactersMax: number): string =>
  text.length <= charactersMax ? text : `${beginning(text, charactersMax)}...`;
