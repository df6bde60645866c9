/** JSON whose numbers keep the digits that were sent: `1000.0` never becomes `1000`. */

/** `json` must be valid: then a digit or a minus outside of a text starts a number. */
export const withNumbersAsText = (json: string): string =>
  json.replaceAll(/("(?:[^"\\]|\\.)*")|-?\d[\d.eE+-]*/g, (token, text: string | undefined) =>
    text === undefined ? `"${token}"` : token,
  );
