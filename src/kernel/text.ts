/** Cuts client texts for display. */

/** The first characters as people count them (an emoji is one); the rest of the text is not read. */
export const beginning = (text: string, charactersMax: number): string =>
  // a character takes one or two code units, so the last one here is complete
  Array.from(text.slice(0, 2 * charactersMax))
    .slice(0, charactersMax)
    .join('');

/** The text itself, or its beginning and an ellipsis. */
export const shortened = (text: string, charactersMax: number): string =>
  text.length <= charactersMax ? text : `${beginning(text, charactersMax)}...`;
