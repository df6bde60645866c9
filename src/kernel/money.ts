/** Integer paisa, the only unit of money inside the service and in our API. 100 paisa = 1 rupee. */
export type Paisa = number;

export const amountPaisaMin = 1000;
export const amountPaisaMax = 100_000_000;

/** `NPR 1,25,000.00`: rupees with two decimals and South Asian grouping. */
export function displayNpr(amount: Paisa): string {
  const rupees = Math.trunc(amount / 100).toString();
  const paisa = (amount % 100).toString().padStart(2, '0');
  const lastThree = rupees.slice(-3);
  const rest = rupees.slice(0, -3).replace(/\B(?=(\d{2})+(?!\d))/g, ',');
  return `NPR ${rest === '' ? '' : `${rest},`}${lastThree}.${paisa}`;
}

/** Rupees for a protocol that requires exactly two decimals: 125050 -> `1250.50`. */
export const rupeesText = (amount: Paisa): string =>
  `${Math.trunc(amount / 100)}.${(amount % 100).toString().padStart(2, '0')}`;

/** Digits only; groups of three; or South Asian groups: groups of two above the last three digits. */
const rupees = /^(\d+|[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d?(?:,\d{2})*,\d{3})(?:\.(\d+))?$/;

/** Parses rupee text (`"1,000.0"`, `1,25,000`) from its digits; null if it is not unambiguous. A comma
 *  anywhere except between groups may be a decimal separator: `1250,50` is rejected. */
export function paisaFromRupees(raw: string): Paisa | null {
  const match = rupees.exec(raw);
  if (match === null) return null;
  const [, whole = '', fraction = ''] = match;
  if (/[1-9]/.test(fraction.slice(2))) return null;
  const paisa = Number(`${whole.replaceAll(',', '')}${fraction.slice(0, 2).padEnd(2, '0')}`);
  return Number.isSafeInteger(paisa) ? paisa : null;
}
