/** The number and the period of an invoice, as facts of a page. */
import type { Instant } from '../../../src/kernel/time.ts';
import { fact } from '../hosted/pieces.ts';
import { html, type Html } from '../html.ts';
import type { Locale } from '../locale.ts';

export interface BilledPeriod {
  /** `INV-000001`. null: it was voided before it had one. */
  readonly number: string | null;
  readonly periodStart: Instant;
  /** The start of the next period. */
  readonly periodEnd: Instant;
}

export const numberFact = (number: string, { texts }: Locale): Html =>
  fact(texts.invoice.facts.number, html`<bdi>${number}</bdi>`);

export const periodFact = ({ periodStart, periodEnd }: BilledPeriod, locale: Locale): Html =>
  fact(locale.texts.invoice.facts.period, daysOf(periodStart, periodEnd, locale));

export const billedFacts = (billed: BilledPeriod, locale: Locale): Html =>
  html`${billed.number === null ? null : numberFact(billed.number, locale)}
${periodFact(billed, locale)}`;

/** A period ends when the next one begins: its last day is the one before that moment. */
export function daysOf(from: Instant, to: Instant, { texts }: Locale): string {
  const { date } = texts.times;
  const [first, last] = [date(from), date(to - 1)];
  return first === last ? first : texts.invoice.days(first, last);
}
