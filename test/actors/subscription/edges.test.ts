/** Calls that meet an invoice while it opens, the last cycles, and the bound on unpaid invoices. */
import { describe, expect, test } from 'vitest';
import { unpaidMax, type PlanCopy } from '../../../actors/subscription/state.ts';
import { days } from '../../../src/kernel/time.ts';
import { dearer, flag, pause, schedule, standing, voided } from './standing.ts';
import { at, bare, subscribed, threeSeven, withTerms, type Years } from './subscribing.ts';

/** The invoice of the next period is opening: its number has not come yet. */
function opening(years = standing('active')): Years {
  years.silent = true;
  years.until('2026-02-25 10:00');
  expect(years.state.opening).not.toBeNull();
  expect(years.view).toMatchObject({ nextInvoiceAt: '2026-03-28T04:15:00.000Z' });
  return years;
}
const opened = (years: Years) => years.log.filter((line) => line.includes('invoice.created')).length;

describe('While an invoice opens', () => {
  test('time stands: what is due then happens once it is open, in its order', () => {
    const years = opening().until('2026-03-05');
    expect(years.since('2026-02-25')).toEqual([]);
    expect(years.answers().until('2026-03-05').since('2026-03-05')).toEqual([
      '2026-03-05 invoice.created INV-000002',
      '2026-03-05 subscription.renewed',
      '2026-03-05 invoice.reminder_sent INV-000002 0',
      '2026-03-05 invoice.past_due INV-000002',
      '2026-03-05 subscription.past_due',
    ]);
    expect(years.invoice()).toMatchObject({ openedAt: at('2026-02-25 10:00') });
  });

  test('a pause does not stop it: it began before', () => {
    const years = pause(opening()).answers();
    expect(years.state.status).toBe('paused');
    expect(years.invoice()).toMatchObject({ status: 'open', openedAt: years.state.pausedAt });
    expect(opened(years.until('2026-04-20'))).toBe(2);
  });

  test('voided by the merchant it opens and is voided, and its cycle is used', () => {
    const years = voided(opening(), standing('active').until('2026-02-25 09:30').invoice());
    expect(voided(years, years.invoice()).last.outcome).toMatchObject({
      code: 'invalid_state',
      detail: { currentStatus: 'voided' },
    });
    years.answers();
    expect(years.since('2026-02-25')).toEqual([
      '2026-02-25 10:00 invoice.created INV-000002',
      '2026-02-25 10:00 invoice.voided INV-000002',
    ]);
    expect(years.state.cyclesBilled).toBe(2);
    expect(years.until('2026-03-20').state).toMatchObject({ status: 'active', cyclesBilled: 2 });
    expect(opened(years)).toBe(2);
  });

  test('cancelled now it opens and is voided: its number is taken', () => {
    const years = opening().ask('cancel', { reason: null, atPeriodEnd: false }).answers();
    expect(years.since('2026-02-25')).toEqual([
      '2026-02-25 10:00 subscription.cancelled',
      '2026-02-25 10:00 invoice.created INV-000002',
      '2026-02-25 10:00 invoice.voided INV-000002',
    ]);
    expect(years.until('2026-06-01').since('2026-02-26')).toEqual([]);
  });

  test('flagged it opens and is voided, and opens anew when the flag is cleared', () => {
    const years = flag(opening()).ask('resume', {}).answers();
    expect(years.since('2026-02-25').slice(2)).toEqual([
      '2026-02-25 10:00 invoice.created INV-000002',
      '2026-02-25 10:00 invoice.voided INV-000002',
      '2026-02-25 10:00 invoice.created INV-000003',
    ]);
    expect(years.state.cyclesBilled).toBe(2);
  });

  test('a change of plan opens another one at once, also where its plan would open it later', () => {
    const years = schedule(opening(), { ...dearer, terms: bare.terms }).answers();
    expect(years.since('2026-02-25').slice(1)).toEqual([
      '2026-02-25 10:00 invoice.created INV-000002',
      '2026-02-25 10:00 invoice.voided INV-000002',
      '2026-02-25 10:00 invoice.created INV-000003',
    ]);
    expect(years.invoice()).toMatchObject({ amount: 300_000, status: 'open' });
  });

  test('resumed after the period it is voided, and a new period begins', () => {
    const years = pause(opening()).until('2026-03-05').ask('resume', {}).answers();
    expect(years.since('2026-03-05')).toEqual([
      '2026-03-05 subscription.resumed',
      '2026-03-05 invoice.created INV-000002',
      '2026-03-05 invoice.voided INV-000002',
      '2026-03-05 invoice.created INV-000003',
    ]);
    expect(years.invoice()).toMatchObject({ dueAt: at('2026-03-05') });
    expect(years.state.cyclesBilled).toBe(2);
  });

  test('a trial that is extended voids it, and its invoice opens at the new date', () => {
    const trial = standing('trialing');
    trial.silent = true;
    trial
      .until('2026-02-11 10:00')
      .ask('extendTrial', { trialEndsAt: at('2026-03-01 10:00') })
      .answers();
    expect(trial.invoice().status).toBe('voided');
    expect(trial.until('2026-02-26 10:00').invoice()).toMatchObject({ status: 'open', number: 2 });
    expect(trial.state.cyclesBilled).toBe(1);
  });

  test('a late number of an invoice that has opened changes nothing', () => {
    const years = opening().answers();
    const { id } = years.invoice();
    const was = years.state;
    years
      .ask('numbered', { invoiceId: id, number: 99 })
      .ask('read', { invoiceId: id, plan: null, customer: null });
    expect(years.state).toEqual(was);
  });
});

describe('The last cycles', () => {
  const cycles = (years: Years, totalCycles: number | null) => years.ask('change', { totalCycles });

  test('fewer than are billed are refused, with the one that is opening', () => {
    const years = opening(standing('active', { totalCycles: 5 }));
    expect(cycles(years, 1).last.outcome).toMatchObject({ is: 'refused', code: 'total_cycles_too_small' });
    expect(cycles(years, 2).answers().until('2026-04-10').since('2026-02-26')).not.toContain(
      'invoice.created',
    );
    expect(opened(years)).toBe(2);
  });

  test('as many as are billed drop a draft', () => {
    const years = cycles(standing('active').until('2026-02-25 09:30'), 1);
    expect(years.since('2026-02-25')).toEqual([
      '2026-02-25 09:30 subscription.updated',
      '2026-02-25 09:30 invoice.voided',
    ]);
    expect(years.until('2026-03-01').state.status).toBe('completed');
  });

  test('more let a subscription go on that has only unpaid invoices left: a new period begins now', () => {
    const keeps = withTerms({ overdueAction: 'keep_active' });
    const years = subscribed('2026-01-31', keeps, { totalCycles: 1 }).until('2026-03-05');
    expect(years.state.lapsed).toBe(true);
    expect(cycles(years, 2).since('2026-03-05')).toEqual([
      '2026-03-05 subscription.updated',
      '2026-03-05 subscription.renewed',
      '2026-03-05 invoice.created INV-000002',
    ]);
    expect(years.until('2026-04-06').paid().paid(years.state.invoices[0]).state.status).toBe('completed');
  });

  test('more change nothing of one that has ended', () => {
    const years = cycles(standing('completed'), 9).until('2026-06-01');
    expect(years.state).toMatchObject({ status: 'completed', totalCycles: 9 });
    expect(opened(years)).toBe(1);
  });
});

describe('The bound on unpaid invoices', () => {
  const daily: PlanCopy = {
    ...withTerms({ overdueAction: 'keep_active', overdueReminderIntervalDays: 0 }, bare),
    name: 'प'.repeat(250),
    interval: { unit: 'day', count: 1 },
  };
  const unpaid = () => subscribed('2026-01-31', daily).reach(at('2026-01-31') + days(110));

  test('a daily subscription that nobody pays is paused after a hundred, and stays small', () => {
    const years = unpaid();
    expect(years.state).toMatchObject({ status: 'paused', pauseReason: 'too_many_unpaid_invoices' });
    expect(years.state.invoices.filter(({ status }) => status === 'past_due')).toHaveLength(unpaidMax);
    expect(years.log.at(-1)).toBe('2026-05-11 subscription.paused');
    expect(JSON.stringify(years.doc).length).toBeLessThan(150_000);
  });

  test('a payment, a void and mark-paid each let it go on; every invoice stays payable', () => {
    const years = unpaid();
    const [first, second, third] = years.state.invoices;
    const since = years.log.length;
    for (const settle of [
      () => years.paid(first),
      () => voided(years, second),
      () => years.ask('markPaid', { invoiceId: third?.id ?? '', paidAt: null, notes: null }),
    ]) {
      settle();
      expect(years.state.status).toBe('active');
      years.reach(years.now + days(2));
      expect(years.state.status).toBe('paused');
    }
    const happened = years.log.slice(since).map((line) => line.split(' ').at(line.includes('INV') ? -2 : -1));
    expect(happened.filter((type) => type === 'subscription.resumed')).toHaveLength(3);
    expect(happened.filter((type) => type === 'invoice.created')).toHaveLength(3);
  });

  test('resumed by the merchant it is paused again instead of opening another one', () => {
    const years = unpaid();
    const made = opened(years);
    years.ask('resume', {});
    expect(years.state).toMatchObject({ status: 'paused', pauseReason: 'too_many_unpaid_invoices' });
    expect(opened(years)).toBe(made);
  });

  test('invoices that are voided and opened anew leave the document', () => {
    const years = standing('active').until('2026-02-26');
    for (let n = 0; n < 300; n++) schedule(years, n % 2 === 0 ? dearer : threeSeven);
    expect(years.state.invoicesMade).toBe(302);
    expect(years.state.invoices.length).toBeLessThanOrEqual(3);
    expect(years.state.cyclesBilled).toBe(2);
    expect(years.allInvoices.size).toBe(302);
  });

  test('ten years of a paid monthly subscription keep a few invoices', () => {
    const years = subscribed('2026-01-31', bare).paid();
    for (let month = 0; month < 120; month++) {
      years.reach(years.state.period.end + days(1));
      years.paid();
    }
    expect(years.state).toMatchObject({ status: 'active', cyclesBilled: 121 });
    expect(years.state.invoices.length).toBeLessThanOrEqual(3);
  });
});

describe('Late money', () => {
  test('of an invoice that is voided, or forgotten, is a duplicate', () => {
    const years = voided(
      standing('active').until('2026-02-26'),
      standing('active').until('2026-02-26').invoice(),
    );
    const { id } = years.invoice();
    const claimed = (invoiceId: string) => {
      years.ask('claim', { invoiceId, sessionId: 'cs_1', paymentId: 'pay_9', paidAt: years.now });
      return years.last.tells.at(-1)?.data;
    };
    expect(claimed(id)).toEqual({ paymentId: 'pay_9', duplicate: true });
    years.until('2026-07-01');
    expect(years.state.invoices.some((each) => each.id === id)).toBe(false);
    expect(claimed(id)).toEqual({ paymentId: 'pay_9', duplicate: true });
  });

  test('of the last unpaid invoice completes a subscription whose last cycle is over', () => {
    const years = subscribed('2026-01-31', threeSeven, { totalCycles: 1 }).until('2026-03-05').paid();
    expect(years.since('2026-03-05')).toEqual([
      '2026-03-05 invoice.paid INV-000001',
      '2026-03-05 subscription.completed',
    ]);
  });
});
