/** The calendar of billing over the API: the documented vectors, each subscription begun at the vector's own moment, and one
 *  test clock that walks through all of them. A vector whose moment has passed happens some whole years later, where
 *  each February has as many days. */
import { beforeAll, expect, test } from 'vitest';
import { Billing, kathmandu } from '../support/billing.ts';
import { gallaOfFile } from '../support/of-file.ts';

const walkMsMax = 60_000;

interface Vector {
  readonly is: string;
  readonly intervalUnit: 'day' | 'week' | 'month' | 'quarter' | 'year';
  readonly intervalCount: number;
  /** The starts of its periods. */
  readonly starts: readonly string[];
}

const isLeap = (year: number): boolean => new Date(Date.UTC(year, 1, 29)).getUTCDate() === 29;

/** The vector, so many years later that it is ahead. */
function ahead(vector: Vector): Vector {
  const years = vector.starts.map((start) => Number(start.slice(0, 4)));
  const [first = '', ...rest] = vector.starts;
  const later = (start: string, by: number): string => `${Number(start.slice(0, 4)) + by}${start.slice(4)}`;
  for (let by = 0; by < 12; by++) {
    const isAlike = years.every((year) => isLeap(year) === isLeap(year + by));
    if (isAlike && Date.parse(kathmandu(later(first, by))) > Date.now() + 60_000)
      return { ...vector, starts: [first, ...rest].map((start) => later(start, by)) };
  }
  throw new Error(`no year ahead is like that of ${vector.is}`);
}

const vectors = (
  [
    {
      is: 'monthly from a 31st',
      intervalUnit: 'month',
      intervalCount: 1,
      starts: ['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31'],
    },
    {
      is: 'every two months, into a leap year',
      intervalUnit: 'month',
      intervalCount: 2,
      starts: ['2027-12-31', '2028-02-29', '2028-04-30'],
    },
    {
      is: 'quarterly, with a time of day',
      intervalUnit: 'quarter',
      intervalCount: 1,
      starts: ['2026-11-30 10:00', '2027-02-28 10:00', '2027-05-30 10:00', '2027-08-30 10:00'],
    },
    {
      is: 'yearly from a leap day',
      intervalUnit: 'year',
      intervalCount: 1,
      starts: ['2028-02-29', '2029-02-28', '2030-02-28', '2031-02-28', '2032-02-29'],
    },
    {
      is: 'every two weeks',
      intervalUnit: 'week',
      intervalCount: 2,
      starts: ['2026-12-25 09:30', '2027-01-08 09:30', '2027-01-22 09:30'],
    },
    {
      is: 'every ten days',
      intervalUnit: 'day',
      intervalCount: 10,
      starts: ['2026-12-25 23:59', '2027-01-04 23:59', '2027-01-14 23:59'],
    },
  ] satisfies readonly Vector[]
).map(ahead);

interface Period {
  readonly from: unknown;
  readonly to: unknown;
}

const galla = gallaOfFile();
let billing: Billing;
const subscriptions = new Map<string, string>();
/** What each subscription was in when the clock stood at one of its starts. */
const periods = new Map<string, Period[]>();

async function walk(): Promise<void> {
  for (const { is, intervalUnit, intervalCount, starts } of vectors) {
    const plan = await billing.plan({ intervalUnit, intervalCount, overdueAction: 'keep_active' });
    const fields = { startDate: kathmandu(starts[0] ?? ''), totalCycles: starts.length };
    subscriptions.set(is, (await billing.subscribe(plan, fields)).text('id'));
    periods.set(is, []);
  }
  for (const stop of [...new Set(vectors.flatMap(({ starts }) => starts))].toSorted()) {
    await billing.advance(stop);
    for (const { is } of vectors.filter(({ starts }) => starts.includes(stop))) {
      const now = await billing.subscription(subscriptions.get(is) ?? '');
      periods.get(is)?.push({ from: now.at('currentPeriodStart'), to: now.at('currentPeriodEnd') });
    }
  }
}

beforeAll(async () => {
  billing = new Billing(await galla.merchant());
  await walk();
}, walkMsMax);

test.each(vectors)('row 41: $is, each period begins and ends as documented', async ({ is, starts }) => {
  const expected = starts.map(kathmandu);
  const seen = periods.get(is) ?? [];
  expect(seen.map(({ from }) => from)).toEqual(expected);
  expect(seen.slice(0, -1).map(({ to }) => to)).toEqual(expected.slice(1));
  // each is billed once, and no other is
  const invoices = await billing.invoices(subscriptions.get(is) ?? '');
  expect(invoices.map((invoice) => invoice.at('periodStart'))).toEqual(expected);
  expect(invoices.map((invoice) => invoice.at('dueAt'))).toEqual(expected);
});

test('row 41: in UTC the days of Kathmandu begin at a quarter past six in the evening', () => {
  const monthly = periods.get('monthly from a 31st') ?? [];
  expect(monthly.map(({ from }) => String(from).slice(4))).toEqual([
    '-01-30T18:15:00.000Z',
    '-02-27T18:15:00.000Z',
    '-03-30T18:15:00.000Z',
    '-04-29T18:15:00.000Z',
    '-05-30T18:15:00.000Z',
  ]);
});
