/** An amount as a person types it: rupees, with at most two decimals. Pure. */

/** Longer than any amount. */
const charactersMax = 20;

/** Paisa; null when it is not an amount. Grouping commas, spaces and a leading `NPR` are accepted. Works on
 *  the digits: no amount passes through a fraction. */
export function paisaFrom(text: string): number | null {
  const plain = text
    .slice(0, charactersMax)
    .replace(/^\s*(NPR|Rs\.?)/i, '')
    .replace(/[,\s]/g, '');
  const found = /^(\d{1,9})(?:\.(\d{1,2}))?$/.exec(plain);
  if (found === null) return null;
  const [, rupees = '', paisa = ''] = found;
  return Number(rupees) * 100 + Number(paisa.padEnd(2, '0'));
}

/** For a form: `250.50`. */
export const rupeesText = (paisa: number): string =>
  `${Math.floor(paisa / 100)}.${String(paisa % 100).padStart(2, '0')}`;
