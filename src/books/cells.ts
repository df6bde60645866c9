/** Reads the cells of a statement: amounts and dates as providers and spreadsheets write them. Pure.
 *  1. Amounts are read from their digits, never as a number with a fraction; what is not unambiguous is null.
 *  2. A date without a zone is of Asia/Kathmandu. Days come before months; a month never comes first. */
import type { StatementUnit } from '../../actors/statement/messages.ts';
import { paisaFromRupees, type Paisa } from '../kernel/money.ts';
import { hours, minutes, type Instant } from '../kernel/time.ts';

/** No amount of ours is nearly as large. */
const paisaMax = 1e12;
/** Characters of an amount or a date. The forms below are searched for in nothing longer: many blanks in a row would
 *  take them minutes. */
const cellCharactersMax = 64;

/** `1,25,000.50`, `NPR 1,250`, `-50`, `(50.00)`; null if it is not one amount. Negative: paid back. */
export function amountIn(cell: string, unit: StatementUnit): Paisa | null {
  const [, open = '', sign = '', digits = '', close = ''] = amountForm.exec(shortIn(cell)) ?? [];
  if ((open === '') !== (close === '') || (open !== '' && sign !== '')) return null;
  const hundredfold = paisaFromRupees(digits);
  if (hundredfold === null) return null;
  const paisa = unit === 'rupees' ? hundredfold : hundredfold / 100;
  if (!Number.isInteger(paisa) || paisa > paisaMax) return null;
  return (open !== '' || sign !== '') && paisa !== 0 ? -paisa : paisa;
}

/** Empty where it is too long to be read. */
function shortIn(cell: string): string {
  const text = cell.trim();
  return text.length > cellCharactersMax ? '' : text;
}

const currency = String.raw`(?:(?:NPR|Rs\.?|रु\.?|रू\.?)\s*)?`;
const amountForm = new RegExp(String.raw`^(\(?)${currency}([-−]?)\s*${currency}([\d,.]+)\s*(\)?)$`, 'i');

/** A fee is what the provider keeps, with whatever sign. */
export function feeIn(cell: string, unit: StatementUnit): Paisa | null {
  const fee = amountIn(cell, unit);
  return fee === null ? null : Math.abs(fee);
}

export function unitIn(cell: string): StatementUnit | null {
  const word = cell.trim().toLowerCase();
  if (/^(?:rupees?|npr|rs\.?)$/.test(word)) return 'rupees';
  return /^paisa$|^paise$/.test(word) ? 'paisa' : null;
}

/** null: none of the forms of docs/guides/reconcile.md, or no day of the calendar. */
export function dateIn(cell: string): Instant | null {
  const text = shortIn(cell);
  const [date = '', ...rest] = text.split(/(?<=\d)[T ,]+(?=\d{1,2}:)/);
  if (rest.length > 1) return null;
  const day = dayIn(date.trim().replace(/,$/, ''));
  const time = rest[0] === undefined ? midnight : timeIn(rest[0]);
  if (day === null || time === null) return null;
  return day + time.ms - (time.aheadMs ?? kathmanduAheadMs);
}

const kathmanduAheadMs = hours(5) + minutes(45);

interface Time {
  readonly ms: number;
  /** Of UTC; null: no zone. */
  readonly aheadMs: number | null;
}
const midnight: Time = { ms: 0, aheadMs: null };

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const yearFirst = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/;
const dayFirst = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})$/;
const named = /^(\d{1,2})[- /]([a-z]{3,9})[- /](\d{4})$/i;
const namedFirst = /^([a-z]{3,9}) (\d{1,2}),? (\d{4})$/i;

/** Milliseconds of its midnight in UTC. */
function dayIn(text: string): number | null {
  const first = yearFirst.exec(text);
  if (first !== null) return midnightOf(first[1], Number(first[3]), first[4]);
  const last = dayFirst.exec(text);
  if (last !== null) return midnightOf(last[4], Number(last[3]), last[1]);
  const word = named.exec(text);
  if (word !== null) return midnightOf(word[3], monthOf(word[2]), word[1]);
  const front = namedFirst.exec(text);
  return front === null ? null : midnightOf(front[3], monthOf(front[1]), front[2]);
}

/** 0: no month. */
const monthOf = (word: string | undefined): number =>
  months.indexOf((word ?? '').slice(0, 3).toLowerCase()) + 1;

function midnightOf(year: string | undefined, month: number, day: string | undefined): number | null {
  const at = Date.UTC(Number(year), month - 1, Number(day));
  const calendar = new Date(at);
  const exists = calendar.getUTCMonth() === month - 1 && calendar.getUTCDate() === Number(day);
  return exists && Number(year) >= 1970 ? at : null;
}

const timeForm =
  /^(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*([ap]\.?m\.?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?$/i;

function timeIn(text: string): Time | null {
  const match = timeForm.exec(text.trim());
  if (match === null) return null;
  const [, hour = '', minute = '', second = '0', fraction = '', half = '', zone = ''] = match;
  const clock = hourOf(Number(hour), half.charAt(0).toLowerCase());
  if (clock === null || Number(minute) > 59 || Number(second) > 59) return null;
  const ms = Number(fraction.slice(0, 3).padEnd(3, '0'));
  return { ms: hours(clock) + minutes(Number(minute)) + Number(second) * 1000 + ms, aheadMs: aheadOf(zone) };
}

function hourOf(hour: number, half: string): number | null {
  if (half === '') return hour > 23 ? null : hour;
  if (hour < 1 || hour > 12) return null;
  return (hour % 12) + (half === 'p' ? 12 : 0);
}

function aheadOf(zone: string): number | null {
  if (zone === '') return null;
  if (/^[a-z]/i.test(zone)) return 0;
  const ahead = hours(Number(zone.slice(1, 3))) + minutes(Number(zone.slice(-2)));
  return zone.startsWith('-') ? -ahead : ahead;
}
