/** An amount split into the parts that are drawn; read aloud as one text. Pure. */
import { displayNpr } from '../../../../src/kernel/money.ts';

export interface AmountParts {
  /** `NPR 1,25,000.50`. */
  readonly whole: string;
  readonly unit: string;
  readonly rupees: string;
  /** Including the decimal point. */
  readonly paisa: string;
}

export function amountParts(paisa: number): AmountParts {
  const whole = displayNpr(paisa);
  const [unit = '', number = ''] = whole.split(' ');
  return { whole, unit, rupees: number.slice(0, -3), paisa: number.slice(-3) };
}

/** An amount in a sentence stays on one line. */
export const unbroken = (text: string): string => text.replaceAll('NPR ', 'NPR\u00A0');

/** `1,25,000`: counts are grouped like amounts. */
export const countText = (count: number): string => amountParts(count * 100).rupees;

/** `12 payments`, `1 payment`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${countText(count)} ${count === 1 ? one : many}`;
