/** `nextInvoiceAt` against what then happens, and against a second calculation that walks from day to day. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { intervalUnits, type Interval } from '../../../actors/subscription/calendar.ts';
import { days, iso, minutes, type Instant } from '../../../src/kernel/time.ts';
import { flag, pause, schedule, standing, viewed, voided } from './standing.ts';
import { at, localOf, request, subscribed, threeSeven, withTerms, Years } from './subscribing.ts';

const nextOf = (years: Years): string | null => {
  const next = viewed(years, 'nextInvoiceAt');
  return next === null ? null : localOf(next);
};
const openings = ({ allInvoices }: Years): readonly Instant[] =>
  [...allInvoices.values()].flatMap(({ openedAt }) => (openedAt === null ? [] : [openedAt]));

describe('While the invoice of the next period is open', () => {
  test('with a reminder of thirty days the next opening is known on each of forty-one days', () => {
    const years = subscribed('2026-01-31', withTerms({ reminderDaysBeforeDue: 30 }));
    const said = Array.from({ length: 41 }, (_, day) => {
      years.reach(at('2026-01-31') + days(day));
      const { invoices } = years.state;
      for (const invoice of invoices) if (invoice.status === 'open') years.paid(invoice);
      return nextOf(years);
    });
    // due on 31 March, at most thirty days before, and not before the period before it
    expect(said.slice(0, 29)).toEqual(Array.from({ length: 29 }, () => '2026-03-01'));
    // due on 30 April
    expect(said.slice(29)).toEqual(Array.from({ length: 12 }, () => '2026-03-31'));
  });

  test.each([
    ['of another plan', (years: Years) => schedule(years, weekly), '2026-03-11 10:00'],
    [
      'of another plan, after it is paid',
      (years: Years) => schedule(years.paid(), weekly),
      '2026-03-28 10:00',
    ],
    ['that is voided', (years: Years) => voided(years, years.invoice()), '2026-03-28 10:00'],
    ['that is paid', (years: Years) => years.paid(), '2026-03-28 10:00'],
    ['of one that ends then', flag, null],
    ['of one that is paused', (years: Years) => pause(years), null],
    ['that is the last one', (years: Years) => years.ask('change', { totalCycles: 2 }), null],
    [
      'that is the last but one',
      (years: Years) => years.ask('change', { totalCycles: 3 }),
      '2026-03-28 10:00',
    ],
  ] as const)('%s', (_, happens, expected) => {
    expect(nextOf(happens(standing('active').until('2026-02-26')))).toBe(expected);
  });

  test('before the start it is the one of the second period, also with another plan ahead', () => {
    const years = standing('draft').until('2026-03-08');
    expect([years.invoice().status, nextOf(years)]).toEqual(['open', '2026-04-07 10:00']);
    expect(nextOf(schedule(years, weekly))).toBe('2026-03-21 10:00');
    expect(nextOf(years.until('2026-03-10 10:00'))).toBe('2026-03-21 10:00');
  });
});

const weekly = { ...threeSeven, id: 'bp_w', interval: { unit: 'week', count: 2 } } as const;

/** Local days, one after another, without any calendar but this one. */
class Walk {
  private readonly from: Instant;
  private readonly wanted: number;
  private y: number;
  private m: number;
  private d: number;
  private months = 0;
  private walked = 0;

  constructor(from: Instant) {
    this.from = from;
    const [y = 0, m = 0, d = 0] = localOf(from).slice(0, 10).split('-').map(Number);
    [this.y, this.m, this.d, this.wanted] = [y, m, d, d];
  }

  private get last(): number {
    const isLeap = this.y % 4 === 0 && (this.y % 100 !== 0 || this.y % 400 === 0);
    if (this.m === 2) return isLeap ? 29 : 28;
    return [4, 6, 9, 11].includes(this.m) ? 30 : 31;
  }

  private next(): void {
    this.walked++;
    if (++this.d <= this.last) return;
    this.d = 1;
    this.months++;
    if (++this.m <= 12) return;
    this.m = 1;
    this.y++;
  }

  /** The starts of so many periods. */
  starts({ unit, count }: Interval, wanted: number): readonly Instant[] {
    const inDays = { day: 1, week: 7, month: 0, quarter: 0, year: 0 }[unit] * count;
    const inMonths = { day: 0, week: 0, month: 1, quarter: 3, year: 12 }[unit] * count;
    const found = [this.from];
    while (found.length < wanted) {
      this.next();
      const isStart =
        inDays > 0
          ? this.walked % inDays === 0
          : this.months % inMonths === 0 && this.months > 0 && this.d === Math.min(this.wanted, this.last);
      if (isStart) found.push(this.from + this.walked * 86_400_000);
    }
    return found;
  }
}

const orders = fc.record({
  born: fc.integer({ min: 0, max: days(1500) / 60_000 }).map((minute) => at('2026-01-01') + minute * 60_000),
  interval: fc.record({ unit: fc.constantFrom(...intervalUnits), count: fc.integer({ min: 1, max: 6 }) }),
  reminder: fc.integer({ min: 0, max: 30 }),
  startsIn: fc.integer({ min: 0, max: 50 }),
  trialDays: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 60 })),
  totalCycles: fc.option(fc.integer({ min: 1, max: 6 }), { nil: null }),
  looks: fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 25 }),
});
const periods = 6;
/** The long form takes minutes, and a busy machine its time. */
const longMs = minutes(20);

test(
  'over random subscriptions it is the moment at which the next invoice then opens',
  { timeout: longMs },
  () => {
    fc.assert(
      fc.property(orders, ({ born, interval, reminder, startsIn, trialDays, totalCycles, looks }) => {
        const plan = { ...withTerms({ reminderDaysBeforeDue: reminder }), interval };
        const startDate = born + days(startsIn);
        const asked = { ...request(plan), startDate, trialDays, totalCycles };
        const years = new Years(localOf(born)).ask('create', asked);
        const dues = new Walk(startDate + days(trialDays)).starts(interval, periods + 2);
        const opens = dues
          .slice(0, totalCycles ?? undefined)
          .map((due, n) => Math.max(dues[n - 1] ?? born, due - days(reminder)));
        const horizon = (dues[periods - 1] ?? born) - born;
        for (const look of looks.toSorted((a, b) => a - b)) {
          years.reach(born + Math.floor((horizon * look) / 1000));
          for (const one of years.state.invoices) if (one.status === 'open') years.paid(one);
          const next = opens.find((each) => each > years.now);
          expect(years.view['nextInvoiceAt']).toBe(next === undefined ? null : iso(next));
        }
        expect(openings(years)).toEqual(opens.filter((each) => each <= years.now));
      }),
      { numRuns: Number(process.env['NEXT_RUNS'] ?? 50) },
    );
  },
);
