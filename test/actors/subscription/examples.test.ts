import { describe, expect, test } from 'vitest';
import { at, bare, localOf, subscribed, threeSeven, withTerms } from './subscribing.ts';

describe('The documented examples', () => {
  test('A: an unpaid invoice is past due and reminded; the payment makes the subscription active at once', () => {
    const years = subscribed('2026-01-31').paid().until('2026-03-10');
    expect(years.log).toEqual([
      '2026-01-31 subscription.created',
      '2026-01-31 subscription.activated',
      '2026-01-31 invoice.created INV-000001',
      '2026-01-31 invoice.paid INV-000001',
      '2026-02-25 invoice.created INV-000002',
      '2026-02-28 subscription.renewed',
      '2026-02-28 invoice.reminder_sent INV-000002 0',
      '2026-03-03 invoice.past_due INV-000002',
      '2026-03-03 subscription.past_due',
      '2026-03-07 invoice.reminder_sent INV-000002 1',
    ]);
    expect(years.paid().until('2026-03-20').since('2026-03-10')).toEqual([
      '2026-03-10 invoice.paid INV-000002',
      '2026-03-10 subscription.activated',
    ]);
  });

  test('A: reminders end sixty days after the due day', () => {
    const years = subscribed('2026-01-31').paid().until('2026-02-25');
    const { id } = years.invoice();
    const reminded = years
      .until('2026-06-30')
      .events.filter(({ type, data }) => type === 'invoice.reminder_sent' && data.id === id);
    expect(reminded).toHaveLength(9);
  });

  test('B: with the defaults it opens and is due at once, and past due a day later', () => {
    expect(subscribed('2026-01-31 14:00', bare).until('2026-02-10').log).toEqual([
      '2026-01-31 14:00 subscription.created',
      '2026-01-31 14:00 subscription.activated',
      '2026-01-31 14:00 invoice.created INV-000001',
      '2026-02-01 14:00 invoice.past_due INV-000001',
      '2026-02-01 14:00 subscription.past_due',
    ]);
  });

  test('C: the overdue action cancels; reminders stop, and the invoice stays payable', () => {
    const plan = withTerms({
      reminderDaysBeforeDue: 5,
      overdueReminderIntervalDays: 2,
      gracePeriodDays: 0,
      overdueAction: 'cancel',
    });
    const years = subscribed('2026-02-15', plan).paid().until('2026-04-30');
    expect(years.since('2026-03-01')).toEqual([
      '2026-03-10 invoice.created INV-000002',
      '2026-03-15 subscription.renewed',
      '2026-03-15 invoice.reminder_sent INV-000002 0',
      '2026-03-15 invoice.past_due INV-000002',
      '2026-03-15 subscription.cancelled',
    ]);
    expect(years.view).toMatchObject({ status: 'cancelled', cancelReason: 'invoice_overdue', dunning: [] });
    expect(years.paid().view).toMatchObject({ status: 'cancelled', latestInvoice: { status: 'paid' } });
  });

  describe('D: the overdue action pauses', () => {
    const paused = () =>
      subscribed('2026-01-31', withTerms({ overdueAction: 'pause' }))
        .paid()
        .until('2026-03-04');

    test('the period is frozen', () => {
      expect(paused().since('2026-03-01')).toEqual([
        '2026-03-03 invoice.past_due INV-000002',
        '2026-03-03 subscription.paused',
      ]);
      expect(paused().view).toMatchObject({ pauseReason: 'invoice_overdue', nextInvoiceAt: null });
      expect(paused().until('2026-06-30').view).toMatchObject({ displayStatus: 'paused' });
    });

    test('paid within the period: the same period goes on, and the next invoice opens at its time', () => {
      const years = paused().until('2026-03-09 12:00').paid();
      expect(years.view).toMatchObject({ displayStatus: 'active', pausedAt: null, pauseReason: null });
      expect(years.until('2026-04-01').since('2026-03-09')).toEqual([
        '2026-03-09 12:00 invoice.paid INV-000002',
        '2026-03-09 12:00 subscription.resumed',
        '2026-03-28 invoice.created INV-000003',
        '2026-03-31 subscription.renewed',
        '2026-03-31 invoice.reminder_sent INV-000003 0',
      ]);
    });

    test('paid after the period: a new one begins, with its own invoice and anchor', () => {
      const years = paused().until('2026-04-05 10:00').paid();
      const { period, anchor } = years.state;
      expect([localOf(period.start), localOf(period.end), anchor.day]).toEqual([
        '2026-04-05 10:00',
        '2026-05-05 10:00',
        5,
      ]);
      expect(years.since('2026-04-05')).toEqual([
        '2026-04-05 10:00 invoice.paid INV-000002',
        '2026-04-05 10:00 subscription.resumed',
        '2026-04-05 10:00 invoice.created INV-000003',
      ]);
    });
  });

  test('E: with keep_active only the invoice is past due', () => {
    const years = subscribed('2026-01-31', withTerms({ overdueAction: 'keep_active' }))
      .paid()
      .until('2026-03-08');
    expect(years.since('2026-03-01')).toEqual([
      '2026-03-03 invoice.past_due INV-000002',
      '2026-03-07 invoice.reminder_sent INV-000002 1',
    ]);
    expect(years.view).toMatchObject({ displayStatus: 'active' });
  });

  test('F: invoices of a daily plan never open before the period before them', () => {
    const daily = { ...threeSeven, interval: { unit: 'day', count: 1 } as const };
    const opened = subscribed('2026-04-01', daily)
      .until('2026-04-03')
      .log.filter((line) => line.includes('invoice.created'));
    expect(opened).toEqual([
      '2026-04-01 invoice.created INV-000001',
      '2026-04-01 invoice.created INV-000002',
      '2026-04-02 invoice.created INV-000003',
      '2026-04-03 invoice.created INV-000004',
    ]);
  });

  test('G: a trial of fourteen days bills at its end', () => {
    const years = subscribed('2026-06-01 09:00', threeSeven, { trialDays: 14 });
    expect(years.view).toMatchObject({ status: 'active', displayStatus: 'trialing', latestInvoice: null });
    years.until('2026-06-12 09:00').paid();
    expect(years.until('2026-06-20').log).toEqual([
      '2026-06-01 09:00 subscription.created',
      '2026-06-12 09:00 subscription.trial_will_end',
      '2026-06-12 09:00 invoice.created INV-000001',
      '2026-06-12 09:00 invoice.paid INV-000001',
      '2026-06-15 09:00 subscription.trial_ended',
      '2026-06-15 09:00 subscription.activated',
    ]);
    expect(localOf(years.invoice().dueAt)).toBe('2026-06-15 09:00');
  });

  test('H: a change of plan issues the open invoice anew, and takes over at the renewal', () => {
    const years = subscribed('2026-01-31').paid().until('2026-02-26');
    const dearer = { ...threeSeven, id: 'bp_z1t9xj9gt9tht7315wyd8t7f', name: 'Pro plus', amount: 300_000 };
    years.ask('changePlan', { plan: dearer });
    expect(years.view).toMatchObject({ plan: { amount: 150_000 }, nextPlan: { amount: 300_000 } });
    expect(years.invoice()).toMatchObject({ status: 'open', amount: 300_000, dueAt: at('2026-02-28') });
    expect(years.until('2026-03-01').since('2026-02-25')).toEqual([
      '2026-02-25 invoice.created INV-000002',
      '2026-02-26 subscription.updated',
      '2026-02-26 invoice.voided INV-000002',
      '2026-02-26 invoice.created INV-000003',
      '2026-02-28 subscription.renewed',
      '2026-02-28 subscription.plan_changed',
      '2026-02-28 invoice.reminder_sent INV-000003 0',
    ]);
    expect(years.view).toMatchObject({ plan: { amount: 300_000 }, nextPlan: null, cyclesBilled: 2 });
  });

  test('H, paid before it takes over: the period that was paid for runs, and another change comes after it', () => {
    const years = subscribed('2026-01-31').paid().until('2026-02-10');
    const weekly = {
      ...threeSeven,
      id: 'bp_z1t9xj9gt9tht7315wyd8t7f',
      name: 'Two weeks',
      interval: { unit: 'week', count: 2 },
    } as const;
    years.ask('changePlan', { plan: weekly }).until('2026-02-26').paid();
    expect(years.invoice()).toMatchObject({ periodStart: at('2026-02-28'), periodEnd: at('2026-03-14') });
    // back to the plan of now: not before what is paid is over
    years.ask('changePlan', { plan: threeSeven });
    expect(years.view).toMatchObject({ nextPlan: { name: threeSeven.name } });
    expect(localOf(years.state.nextPlan?.at ?? 0)).toBe('2026-03-14');
    expect(years.until('2026-03-15').since('2026-02-27')).toEqual([
      '2026-02-28 subscription.renewed',
      '2026-02-28 subscription.plan_changed',
      '2026-03-11 invoice.created INV-000003',
      '2026-03-14 subscription.renewed',
      '2026-03-14 subscription.plan_changed',
      '2026-03-14 invoice.reminder_sent INV-000003 0',
    ]);
    expect(years.view).toMatchObject({ plan: { name: threeSeven.name }, nextPlan: null, cyclesBilled: 3 });
    expect(years.invoice()).toMatchObject({ periodStart: at('2026-03-14'), amount: threeSeven.amount });
  });

  test('naming the plan that is paid for takes back the change after it', () => {
    const years = subscribed('2026-01-31').paid().until('2026-02-10');
    const dearer = { ...threeSeven, id: 'bp_z1t9xj9gt9tht7315wyd8t7f', name: 'Pro plus', amount: 300_000 };
    years.ask('changePlan', { plan: dearer }).until('2026-02-26').paid();
    const paid = years.view;
    expect(years.ask('changePlan', { plan: dearer }).view).toEqual(paid);
    years.ask('changePlan', { plan: threeSeven }).ask('changePlan', { plan: dearer });
    expect(years.view).toMatchObject({ nextPlan: { name: 'Pro plus' }, nextPlanAt: paid['nextPlanAt'] });
    expect(years.until('2026-03-01').view).toMatchObject({ plan: { name: 'Pro plus' }, nextPlan: null });
  });

  test('I: a cancellation at the end of the period voids the invoice of the next one', () => {
    const years = subscribed('2026-01-31').paid().until('2026-02-26');
    years.ask('cancel', { reason: 'moving', atPeriodEnd: true });
    expect(years.view).toMatchObject({ status: 'active', cancelAtPeriodEnd: true, nextInvoiceAt: null });
    expect(years.until('2026-04-30').since('2026-02-26')).toEqual([
      '2026-02-26 subscription.updated',
      '2026-02-26 invoice.voided INV-000002',
      '2026-02-28 subscription.cancelled',
    ]);
  });
});
