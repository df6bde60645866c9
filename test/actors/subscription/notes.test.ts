/** What docs/reference/subscription-states.md says below its table of subscriptions. */
import { describe, expect, test } from 'vitest';
import { overdueActions, type OverdueAction } from '../../../actors/subscription/invoice-dates.ts';
import { assert } from '../../../src/kernel/assert.ts';
import { days } from '../../../src/kernel/time.ts';
import { dearer, flag, overdue, owed, pause, schedule, standing, voided } from './standing.ts';
import { at, bare, localOf, subscribed, threeSeven, withTerms, Years } from './subscribing.ts';

const cancelNow = (years: Years): Years => years.ask('cancel', { reason: 'moving', atPeriodEnd: false });
const resume = (years: Years): Years => years.ask('resume', {});
const local = (instant: number | null): string | null => (instant === null ? null : localOf(instant));
/** The period it is in: from, to. */
const period = ({ state }: Years) => [localOf(state.period.start), localOf(state.period.end)];
const statuses = ({ allInvoices }: Years): readonly string[] =>
  [...allInvoices.values()].map(({ status }) => status);

describe('Cancelled', () => {
  test('now: its three dates are now, and all unpaid invoices are voided', () => {
    const years = cancelNow(standing('past_due').until('2026-03-02'));
    const now = '2026-03-01T18:15:00.000Z';
    expect(years.view).toMatchObject({
      cancelledAt: now,
      cancelEffectiveAt: now,
      endedAt: now,
      cancelReason: 'moving',
    });
    expect(statuses(years)).toEqual(['voided', 'voided']);
    expect(cancelNow(standing('active').until('2026-02-25 09:30')).invoice()).toMatchObject({
      status: 'voided',
      number: null,
    });
  });

  test('at the end of the period: the dates are known at once, and the current invoice stays', () => {
    const years = flag(standing('past_due').until('2026-02-26'));
    expect(years.view).toMatchObject({
      status: 'past_due',
      cancelAtPeriodEnd: true,
      cancelledAt: '2026-02-25T18:15:00.000Z',
      cancelEffectiveAt: '2026-02-28T04:15:00.000Z',
    });
    expect(statuses(years.until('2026-03-30'))).toEqual(['past_due', 'voided']);
    expect(years.view).toMatchObject({ status: 'cancelled', endedAt: '2026-02-28T04:15:00.000Z' });
  });

  test('a next period that is paid is delivered first', () => {
    const years = flag(standing('active').until('2026-02-26').paid());
    expect(years.view).toMatchObject({ cancelEffectiveAt: '2026-03-31T04:15:00.000Z' });
    expect(years.until('2026-05-01').since('2026-02-26')).toEqual([
      '2026-02-26 invoice.paid INV-000002',
      '2026-02-26 subscription.updated',
      '2026-02-28 10:00 subscription.renewed',
      '2026-03-31 10:00 subscription.cancelled',
    ]);
  });

  test('flagging again updates the reason, and tells so only if it is another one', () => {
    const years = flag(flag(standing('active')));
    expect(years.log.filter((line) => line.includes('updated'))).toHaveLength(1);
    years.ask('cancel', { reason: 'dear', atPeriodEnd: true });
    expect(years.view).toMatchObject({ cancelReason: 'dear' });
    expect(years.log.filter((line) => line.includes('updated'))).toHaveLength(2);
  });

  test('by an overdue invoice: that one stays payable, and paying it does not revive the subscription', () => {
    const years = overdue('cancelled', 'the last');
    expect(years.paid(owed(years)).state.status).toBe('cancelled');
    expect(statuses(overdue('cancelled', 'one of two'))).toEqual(['past_due', 'past_due']);
  });

  test('after its last cycle no period runs that could be waited for', () => {
    const keeps = withTerms({ overdueAction: 'keep_active' });
    const years = flag(subscribed('2026-01-31', keeps, { totalCycles: 1 }).until('2026-03-05'));
    expect(years.view).toMatchObject({ status: 'cancelled', endedAt: '2026-03-04T18:15:00.000Z' });
  });
});

describe('An invoice that is open when its subscription ends', () => {
  const late = (overdueAction: OverdueAction) =>
    flag(subscribed('2026-01-31', withTerms({ gracePeriodDays: 40, overdueAction })));

  test.each(overdueActions)(
    'is past due at its time, is reminded no more, and nothing follows: %s',
    (action) => {
      const years = late(action).until('2026-06-30');
      expect(years.since('2026-02-28')).toEqual([
        '2026-02-28 subscription.cancelled',
        '2026-03-12 invoice.past_due INV-000001',
      ]);
      expect(years.view).toMatchObject({ status: 'cancelled', cancelReason: 'moving', dunning: [] });
      expect(years.view['latestInvoice']).toMatchObject({ status: 'past_due' });
      expect(years.rows('invoice').at(-1)).toMatchObject({ status: 'past_due', nextReminderAt: null });
      expect(years.timer('step')).toBeNull();
    },
  );

  test('stays payable, before that and after', () => {
    const paid = (when: string) => late('cancel').until(when).paid().until('2026-06-30');
    expect(paid('2026-03-05').since('2026-03-01')).toEqual(['2026-03-05 invoice.paid INV-000001']);
    expect(paid('2026-03-20').since('2026-03-15')).toEqual(['2026-03-20 invoice.paid INV-000001']);
    expect(voided(late('cancel').until('2026-03-05')).until('2026-06-30').since('2026-03-01')).toEqual([
      '2026-03-05 invoice.voided INV-000001',
    ]);
  });

  test('gets its time with the next thing that happens, where an older build has ended it without', () => {
    const { doc, now } = late('pause').until('2026-03-01');
    assert(doc !== null, 'it is stored');
    const old = new Years('2026-03-01').continued({ ...doc, timers: [], wake: null }, now, 1);
    expect(old.until('2026-03-20').invoice().status).toBe('open');
    expect(old.ask('change', { referenceId: 'order 9' }).until('2026-03-20').invoice().status).toBe(
      'past_due',
    );
  });
});

describe('Paused', () => {
  test('nothing opens, and an open invoice keeps its reminders', () => {
    const years = pause(standing('past_due')).until('2026-02-20');
    expect(years.since('2026-02-04')).toEqual([
      '2026-02-07 10:00 invoice.reminder_sent INV-000001 1',
      '2026-02-14 10:00 invoice.reminder_sent INV-000001 2',
    ]);
    expect(years.view).toMatchObject({ nextInvoiceAt: null, pausedAt: '2026-02-03T04:15:00.000Z' });
  });

  test('a draft waits, and opens once the subscription is resumed', () => {
    const years = pause(standing('active').until('2026-02-25 09:30')).until('2026-02-26');
    expect(years.invoice().status).toBe('draft');
    expect(resume(years).since('2026-02-26')).toEqual([
      '2026-02-26 subscription.resumed',
      '2026-02-26 invoice.created INV-000002',
    ]);
  });

  test('resumed inside a paid period it opens no invoice', () => {
    const years = resume(standing('paused').until('2026-02-10'));
    expect(years.log.filter((line) => line.includes('invoice.created'))).toHaveLength(1);
    expect(period(years)).toEqual(['2026-01-31 10:00', '2026-02-28 10:00']);
    expect(years.view).toMatchObject({ pausedAt: null, pauseReason: null, resumeAt: null });
  });

  test('resumed inside the period it bills that one anew if its invoice was voided', () => {
    const years = pause(voided(standing('past_due')));
    expect(resume(years.until('2026-02-10')).invoice()).toMatchObject({
      status: 'open',
      dueAt: at('2026-01-31 10:00'),
    });
    expect(years.state.cyclesBilled).toBe(1);
  });

  test('it does so although the next period is paid, which is not billed again', () => {
    const years = standing('past_due').until('2026-02-26').paid();
    const first = years.invoice('2026-01-31 10:00');
    resume(pause(voided(years, first)));
    expect(
      years
        .until('2026-03-20')
        .since('2026-02-26')
        .filter((line) => line.includes('created')),
    ).toEqual(['2026-02-26 invoice.created INV-000003']);
    expect(years.state.cyclesBilled).toBe(2);
  });

  test('resumed after its period it begins a new one, with its own anchor and invoice', () => {
    const years = resume(standing('paused').until('2026-03-05 12:00'));
    expect(period(years)).toEqual(['2026-03-05 12:00', '2026-04-05 12:00']);
    expect(years.state.anchor.day).toBe(5);
    expect(years.invoice()).toMatchObject({ status: 'open', dueAt: at('2026-03-05 12:00') });
  });

  test('an invoice that was paid ahead pays for the new period, and a plan that waits for it waits on', () => {
    const years = schedule(standing('active').until('2026-02-26').paid());
    resume(pause(years).until('2026-05-05 12:00'));
    expect(period(years)).toEqual(['2026-05-05 12:00', '2026-06-05 12:00']);
    expect(years.since('2026-05-05')).toEqual([
      '2026-05-05 12:00 subscription.resumed',
      '2026-05-05 12:00 invoice.updated INV-000002',
    ]);
    const own = { periodStart: '2026-02-28T04:15:00.000Z', periodEnd: '2026-03-31T04:15:00.000Z' };
    expect(years.rows('invoice').at(-1)).toMatchObject({
      status: 'paid',
      ...own,
      lines: [own],
      appliesFrom: '2026-05-05T06:15:00.000Z',
      appliesTo: '2026-06-05T06:15:00.000Z',
    });
    expect(years.view).toMatchObject({ plan: { amount: 150_000 }, nextPlanAt: '2026-06-05T06:15:00.000Z' });
    expect(years.until('2026-06-06').view).toMatchObject({ plan: { amount: 300_000 }, nextPlan: null });
  });

  test('moved once more, it still says what it was issued for', () => {
    const years = resume(pause(standing('active').until('2026-02-26').paid()).until('2026-05-05'));
    const first = years.rows('invoice').at(-1);
    // that period runs out in a pause: what was paid for it is used
    resume(pause(years.until('2026-06-01')).until('2026-07-10'));
    expect(first).toMatchObject({ appliesFrom: '2026-05-04T18:15:00.000Z' });
    expect(years.log.filter((line) => line.includes('invoice.updated'))).toHaveLength(1);
    expect(years.invoice()).toMatchObject({ status: 'open', number: 3, dueAt: at('2026-07-10') });
  });

  test('one that is flagged ends with the period that begins when it is resumed', () => {
    const years = resume(pause(flag(standing('active'))).until('2026-03-05 12:00'));
    expect(years.view).toMatchObject({
      displayStatus: 'active',
      cancelEffectiveAt: '2026-04-05T06:15:00.000Z',
    });
    expect(years.until('2026-04-06').view).toMatchObject({ displayStatus: 'cancelled' });
  });
});

describe('The flag cleared', () => {
  test('the next invoice opens at its time', () => {
    const years = resume(flag(standing('active').until('2026-02-10')));
    expect(years.view).toMatchObject({ cancelledAt: null, cancelEffectiveAt: null, cancelReason: null });
    expect(years.view['nextInvoiceAt']).toBe('2026-02-25T04:15:00.000Z');
  });

  test('or at once if that has passed', () => {
    const years = resume(flag(standing('active').until('2026-02-26')));
    expect(years.since('2026-02-26')).toEqual([
      '2026-02-26 subscription.updated',
      '2026-02-26 invoice.voided INV-000002',
      '2026-02-26 subscription.updated',
      '2026-02-26 invoice.created INV-000003',
    ]);
    expect(years.state.cyclesBilled).toBe(2);
  });
});

describe('A plan scheduled', () => {
  test('a second call replaces the first', () => {
    const third = { ...dearer, id: 'bp_3', amount: 500_000 };
    const years = schedule(schedule(standing('active')), third);
    expect(years.view).toMatchObject({ nextPlan: { id: 'bp_3' }, nextPlanAt: '2026-02-28T04:15:00.000Z' });
    expect(years.until('2026-03-01').view).toMatchObject({ plan: { id: 'bp_3' } });
  });

  test('an unpaid invoice opens anew at once with the same due date, whenever the new plan would open it', () => {
    const years = schedule(standing('active').until('2026-02-26'), { ...dearer, terms: bare.terms });
    expect(years.since('2026-02-26')).toEqual([
      '2026-02-26 subscription.updated',
      '2026-02-26 invoice.voided INV-000002',
      '2026-02-26 invoice.created INV-000003',
    ]);
    expect(years.invoice()).toMatchObject({ amount: 300_000, dueAt: at('2026-02-28 10:00') });
    schedule(years, threeSeven);
    expect(years.invoice()).toMatchObject({ status: 'open', amount: 150_000, number: 4 });
  });

  test('a paid one stays, and the plan is taken over after it', () => {
    const years = schedule(standing('active').until('2026-02-26').paid());
    expect(years.view).toMatchObject({ nextPlanAt: '2026-03-31T04:15:00.000Z' });
    expect(years.until('2026-04-01').since('2026-02-26').slice(2)).toEqual([
      '2026-02-28 10:00 subscription.renewed',
      '2026-03-28 10:00 invoice.created INV-000003',
      '2026-03-31 10:00 subscription.renewed',
      '2026-03-31 10:00 subscription.plan_changed',
      '2026-03-31 10:00 invoice.reminder_sent INV-000003 0',
    ]);
  });

  test('in a pause it waits for the period after it, and a draft has its price already', () => {
    const years = schedule(pause(standing('active').until('2026-02-25 09:30')));
    expect(years.invoice()).toMatchObject({ status: 'draft', amount: 300_000 });
    expect(resume(years.until('2026-03-05')).view).toMatchObject({
      plan: { amount: 300_000 },
      nextPlan: null,
    });
  });

  test('a draft subscription begins with it', () => {
    const years = schedule(standing('draft'), { ...dearer, interval: { unit: 'week', count: 2 } });
    expect(period(years.until('2026-03-11'))).toEqual(['2026-03-10 10:00', '2026-03-24 10:00']);
    expect(years.since('2026-03-10')).toEqual([
      '2026-03-10 10:00 subscription.plan_changed',
      '2026-03-10 10:00 subscription.activated',
      '2026-03-10 10:00 invoice.reminder_sent INV-000001 0',
    ]);
  });
});

describe('A trial ended or extended', () => {
  test('an open first invoice is voided, and issued anew with the new dates', () => {
    const years = standing('trialing')
      .until('2026-02-12')
      .ask('extendTrial', { trialEndsAt: at('2026-02-20 10:00') });
    expect(years.invoice().status).toBe('voided');
    expect(years.until('2026-02-18').invoice()).toMatchObject({
      status: 'open',
      dueAt: at('2026-02-20 10:00'),
    });
    expect(years.state.cyclesBilled).toBe(1);
    years.ask('endTrial', {});
    expect(years.invoice()).toMatchObject({ status: 'open', dueAt: at('2026-02-18'), number: 3 });
    expect(years.state.cyclesBilled).toBe(1);
  });

  test('one that is paid counts for the first period, and a flag waits for its end', () => {
    const flagged = () => flag(standing('trialing').until('2026-02-12').paid());
    expect(flagged().view).toMatchObject({ cancelEffectiveAt: '2026-03-14T04:15:00.000Z' });
    const ended = flagged().ask('endTrial', {});
    expect([ended.state.status, ...period(ended)]).toEqual(['active', '2026-02-12', '2026-03-12']);
    expect(local(ended.state.cancelEffectiveAt)).toBe('2026-03-12');
    expect(ended.until('2026-04-01').since('2026-02-13')).toEqual(['2026-03-12 subscription.cancelled']);
    const extended = flagged().ask('extendTrial', { trialEndsAt: at('2026-02-20 10:00') });
    expect(local(extended.state.cancelEffectiveAt)).toBe('2026-03-20 10:00');
    expect(extended.until('2026-03-01').state.status).toBe('active');
    const own = { periodStart: '2026-02-14T04:15:00.000Z', periodEnd: '2026-03-14T04:15:00.000Z' };
    for (const [years, appliesFrom, appliesTo] of [
      [ended, '2026-02-11T18:15:00.000Z', '2026-03-11T18:15:00.000Z'],
      [extended, '2026-02-20T04:15:00.000Z', '2026-03-20T04:15:00.000Z'],
    ] as const) {
      expect(years.events.filter(({ type }) => type === 'invoice.updated')).toHaveLength(1);
      expect(years.rows('invoice').at(-1)).toMatchObject({ ...own, lines: [own], appliesFrom, appliesTo });
    }
  });

  test('a merchant who voids the first invoice has used its cycle once', () => {
    const years = voided(standing('trialing', { totalCycles: 1 }).until('2026-02-12'));
    expect(years.state.cyclesBilled).toBe(1);
    years.ask('endTrial', {});
    expect(years.invoice()).toMatchObject({ status: 'open', number: 2 });
    expect(years.paid().until('2026-03-20').state.status).toBe('completed');
  });

  test('bounds: later than before, and at most 365 days ahead', () => {
    const extended = (trialEndsAt: number) =>
      standing('trialing').ask('extendTrial', { trialEndsAt }).last.outcome;
    const { trialEndsAt, updatedAt } = standing('trialing').state;
    const now = standing('trialing').now;
    expect(updatedAt).toBeLessThanOrEqual(now);
    expect(extended(trialEndsAt ?? 0)).toMatchObject({ is: 'refused', code: 'trial_end_not_later' });
    expect(extended(now + days(365) + 1)).toMatchObject({ is: 'refused', code: 'trial_end_too_late' });
    expect(extended(now + days(365))).toMatchObject({ is: 'ok' });
  });
});

test('renewals go on while it is past due, and each invoice has its own reminders', () => {
  expect(standing('past_due').until('2026-03-08').since('2026-02-25')).toEqual([
    '2026-02-25 10:00 invoice.created INV-000002',
    '2026-02-28 10:00 subscription.renewed',
    '2026-02-28 10:00 invoice.reminder_sent INV-000001 4',
    '2026-02-28 10:00 invoice.reminder_sent INV-000002 0',
    '2026-03-03 10:00 invoice.past_due INV-000002',
    '2026-03-07 10:00 invoice.reminder_sent INV-000001 5',
    '2026-03-07 10:00 invoice.reminder_sent INV-000002 1',
  ]);
});
