import { describe, expect, test } from 'vitest';
import { anchorAt, periodStart } from '../../../actors/subscription/calendar.ts';
import {
  dunningSteps,
  openingDates,
  overdueAt,
  type DunningTerms,
} from '../../../actors/subscription/invoice-dates.ts';
import { hours, iso } from '../../../src/kernel/time.ts';

const at = (local: string): number => Date.parse(`${local.replace(' ', 'T')}:00.000+05:45`);
const localOf = (instant: number): string =>
  iso(instant + 5.75 * 3_600_000)
    .slice(0, 16)
    .replace('T', ' ');

const threeSeven: DunningTerms = {
  gracePeriodDays: 3,
  reminderDaysBeforeDue: 3,
  overdueReminderIntervalDays: 7,
  overdueAction: 'mark_past_due',
};
const told = (due: number, openedAt: number, terms: DunningTerms): readonly string[] =>
  dunningSteps(due, openedAt, terms).map((step) => {
    const what = step.step === 'overdue' ? `overdue: ${step.action}` : `reminder ${step.attemptNumber}`;
    return `${localOf(step.at)} ${what}`;
  });

describe('The steps of an invoice, by the documented examples', () => {
  test('A: three days before, every seven days after, three days of grace', () => {
    const due = at('2026-02-28 00:00');
    const { draftAt, opensAt } = openingDates(due, at('2026-01-31 00:00'), threeSeven);
    expect(iso(opensAt)).toBe('2026-02-24T18:15:00.000Z');
    expect(opensAt - (draftAt ?? 0)).toBe(hours(1));
    expect(told(due, opensAt, threeSeven)).toEqual([
      '2026-02-28 00:00 reminder 0',
      '2026-03-03 00:00 overdue: mark_past_due',
      '2026-03-07 00:00 reminder 1',
      '2026-03-14 00:00 reminder 2',
      '2026-03-21 00:00 reminder 3',
      '2026-03-28 00:00 reminder 4',
      '2026-04-04 00:00 reminder 5',
      '2026-04-11 00:00 reminder 6',
      '2026-04-18 00:00 reminder 7',
      '2026-04-25 00:00 reminder 8',
    ]);
  });

  test('B: without reminders and grace it is overdue a day after it opened, and has no due day', () => {
    const terms: DunningTerms = {
      gracePeriodDays: 0,
      reminderDaysBeforeDue: 0,
      overdueReminderIntervalDays: 0,
      overdueAction: 'mark_past_due',
    };
    const created = at('2026-01-31 14:00');
    expect(openingDates(created, created, terms)).toEqual({ draftAt: null, opensAt: created });
    expect(told(created, created, terms)).toEqual(['2026-02-01 14:00 overdue: mark_past_due']);
  });

  test('C: at one instant the reminder comes before the overdue action', () => {
    const terms: DunningTerms = {
      gracePeriodDays: 0,
      reminderDaysBeforeDue: 5,
      overdueReminderIntervalDays: 2,
      overdueAction: 'cancel',
    };
    const due = at('2026-03-15 00:00');
    const { opensAt } = openingDates(due, at('2026-02-15 00:00'), terms);
    expect(localOf(opensAt)).toBe('2026-03-10 00:00');
    expect(told(due, opensAt, terms).slice(0, 3)).toEqual([
      '2026-03-15 00:00 reminder 0',
      '2026-03-15 00:00 overdue: cancel',
      '2026-03-17 00:00 reminder 1',
    ]);
  });

  test('F: a daily invoice never opens before the period before it has begun', () => {
    const anchor = anchorAt(at('2026-04-01 00:00'));
    const opened = [1, 2].map((n) => {
      const start = (number: number) => periodStart(anchor, { unit: 'day', count: 1 }, number);
      return openingDates(start(n), start(n - 1), threeSeven);
    });
    expect(opened.map(({ opensAt }) => localOf(opensAt))).toEqual(['2026-04-01 00:00', '2026-04-02 00:00']);
    expect(opened.map(({ draftAt }) => draftAt)).toEqual([null, null]);
  });

  test('G: the first invoice of a trial opens before the trial ends', () => {
    const { opensAt } = openingDates(at('2026-06-15 09:00'), at('2026-06-01 09:00'), threeSeven);
    expect(localOf(opensAt)).toBe('2026-06-12 09:00');
  });
});

describe('At the bounds', () => {
  test('a draft never appears before the period before it', () => {
    const earliest = at('2026-04-01 00:00');
    const due = earliest + hours(24 * 3) + hours(0.5);
    expect(openingDates(due, earliest, threeSeven).draftAt).toBe(earliest);
  });

  test('the last reminder comes sixty days after the due day', () => {
    const due = at('2026-02-28 00:00');
    const steps = dunningSteps(due, due, { ...threeSeven, overdueReminderIntervalDays: 30 });
    expect(steps.map(({ step }) => step)).toEqual(['overdue', 'reminder', 'reminder']);
  });

  test('an invoice that opens after its due day skips the reminders it has missed', () => {
    const due = at('2026-03-01 00:00');
    const opened = at('2026-03-10 12:00');
    expect(told(due, opened, threeSeven).slice(0, 2)).toEqual([
      '2026-03-11 12:00 overdue: mark_past_due',
      '2026-03-15 00:00 reminder 2',
    ]);
    expect(overdueAt(due, opened, threeSeven)).toBe(at('2026-03-11 12:00'));
  });
});
