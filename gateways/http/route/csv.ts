/** CSV as RFC 4180 defines it: commas, CRLF, double quotes where a value needs them.
 *  1. A parser returns every value as it was, except for rule 2.
 *  2. No cell is a formula: a text that a spreadsheet would run starts with an apostrophe, which
 *     spreadsheets take as "this is text". Numbers stay numbers. */

type Value = unknown;

export const csvLine = (cells: readonly Value[]): string => `${cells.map(cellOf).join(',')}\r\n`;

/** Values of one object in the order of the columns. */
export const csvRow = (columns: readonly string[], object: { readonly [name: string]: Value }): string =>
  csvLine(columns.map((name) => object[name]));

function cellOf(value: Value): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return quoted(harmless(value));
  return quoted(JSON.stringify(value));
}

/** Spreadsheets also run a formula in full-width letters, and some skip what is invisible before it. */
const runsAsFormula = /^(?:[\t\r\n]|[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])/u;
const harmless = (text: string): string => (runsAsFormula.test(text) ? `'${text}` : text);

const needsQuotes = /[",\r\n]/;
const quoted = (text: string): string => (needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
