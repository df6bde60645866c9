/** Every cell of the table of invoices in docs/reference/subscription-states.md, driven once. */
import { describe, expect, test } from 'vitest';
import { invoiceStatuses, type InvoiceStatus } from '../../../actors/subscription/state.ts';
import { days, minutes } from '../../../src/kernel/time.ts';
import { tableIn } from '../../support/tables.ts';
import { dearer, flag, pause, schedule, voided } from './standing.ts';
import { invoiceCellOf, page } from './state-words.ts';
import { request, threeSeven, withTerms, Years } from './subscribing.ts';

interface Drive {
  /** Its newest invoice is the one that the row is about. */
  readonly given?: (status: InvoiceStatus) => Years;
  readonly happens: (years: Years) => unknown;
}

const { columns, rows } = tableIn(page, 'Invoice and trigger');
const session = { sessionId: 'cs_k7yfcxpcd249hxjc6n80atb2', url: 'https://pay.example/pay/1' };

/** Of an active subscription: the invoice of the next period, which opens on 02-25 at 10:00. */
function ahead(status: InvoiceStatus, plan = threeSeven): Years {
  const years = new Years('2026-01-31 10:00').ask('create', request(plan)).paid();
  if (status === 'draft') return years.until('2026-02-25 09:30');
  return settledAs(status, years.until('2026-02-26'));
}

/** The same, once its period has begun and it is overdue where it is not settled. */
function current(status: InvoiceStatus, plan = threeSeven): Years {
  if (status === 'draft') return ahead(status, plan);
  const years = ahead(status === 'past_due' ? 'open' : status, plan);
  return years.until(status === 'past_due' ? '2026-03-04' : '2026-03-01');
}

/** The first one of a trial that ends on 03-10 at 10:00. */
function ofTrial(status: InvoiceStatus): Years {
  const years = new Years('2026-02-24 10:00').ask('create', { ...request(threeSeven), trialDays: 14 });
  if (status === 'draft') return years.until('2026-03-07 09:30');
  return settledAs(status, years.until('2026-03-08'));
}

function settledAs(status: InvoiceStatus, years: Years): Years {
  if (status === 'paid') return years.paid();
  return status === 'voided' ? voided(years, years.invoice()) : years;
}

const cancelling = withTerms({ overdueAction: 'cancel', gracePeriodDays: 0 });

/** An earlier invoice is about to be overdue, and ends the subscription; the newest one is in this status. */
function beforeCancelled(status: InvoiceStatus): Years {
  const late = withTerms({ overdueAction: 'cancel', gracePeriodDays: status === 'draft' ? 25 : 26 });
  const years = new Years('2026-01-31 10:00').ask('create', request(late));
  if (status === 'draft') return years.until('2026-02-25 09:30');
  if (status !== 'past_due') return settledAs(status, years.until('2026-02-25 11:00'));
  // only an invoice that ended nothing can be overdue beside another one
  const kept = new Years('2026-01-31 10:00').ask(
    'create',
    request(withTerms({ overdueAction: 'keep_active' })),
  );
  return schedule(kept.until('2026-02-10'), { ...dearer, terms: cancelling.terms }).until('2026-02-28 09:59');
}

const ofInvoice = (years: Years) => ({ invoiceId: years.invoice().id });

const drives: { readonly [row: string]: Drive } = {
  'its opening time is reached': { happens: (years) => years.until('2026-02-25 10:00') },
  'a payment is verified': { happens: (years) => years.paid(years.invoice(), 'another') },
  '`overdueAt` is reached': { happens: (years) => years.until('2026-03-03 10:00') },
  '`overdueAt` is reached, after the end of the subscription': {
    given: () => {
      const late = withTerms({ gracePeriodDays: 40, overdueAction: 'cancel' });
      return flag(new Years('2026-01-31 10:00').ask('create', request(late))).until('2026-03-12 09:59');
    },
    happens: (years) => {
      expect(years.state.status).toBe('cancelled');
      years.until('2026-03-12 10:00');
    },
  },
  '`POST .../void`': { happens: (years) => voided(years, years.invoice()) },
  '`POST .../mark-paid`': {
    happens: (years) => years.ask('markPaid', { ...ofInvoice(years), paidAt: null, notes: 'cash' }),
  },
  '`POST .../send`': { happens: (years) => years.ask('sendInvoice', ofInvoice(years)) },
  '`POST .../pay-link`': {
    happens: (years) => years.ask('payInvoice', { ...ofInvoice(years), ...session }),
  },
  '`POST .../pay-link`, a session runs': {
    given: (status) => current(status).ask('payInvoice', { ...ofInvoice(current(status)), ...session }),
    happens: (years) => {
      years.reach(years.now + minutes(30));
      years.ask('payInvoice', { ...ofInvoice(years), sessionId: 'cs_2', url: 'https://2' });
    },
  },
  'its session ends without a payment': {
    given: (status) => current(status).ask('payInvoice', { ...ofInvoice(current(status)), ...session }),
    happens: (years) => {
      years.ask('sessionOver', { ...ofInvoice(years), sessionId: session.sessionId });
      expect(years.invoice().session).toBeNull();
    },
  },
  'the subscription is cancelled now': {
    happens: (years) => years.ask('cancel', { reason: null, atPeriodEnd: false }),
  },
  'the subscription is cancelled by an overdue invoice': {
    given: beforeCancelled,
    happens: (years) => {
      years.reach(years.now + days(1));
      expect(years.state.status).toBe('cancelled');
    },
  },
  'the subscription is flagged: of the next period': { given: (status) => ahead(status), happens: flag },
  'the subscription is flagged: of the current period': { happens: flag },
  'the subscription is paused': { happens: (years) => pause(years) },
  'the plan is changed: of the next period': {
    given: (status) => ahead(status),
    happens: (years) => schedule(years),
  },
  'the plan is changed: of the current period': { happens: (years) => schedule(years) },
  'the trial is ended': { given: ofTrial, happens: (years) => years.ask('endTrial', {}) },
  'the trial is extended': {
    given: ofTrial,
    happens: (years) => years.ask('extendTrial', { trialEndsAt: years.now + days(30) }),
  },
  'the subscription is resumed after its period: of the next period': {
    given: (status) => pause(ahead(status)).until('2026-03-01'),
    happens: (years) => years.ask('resume', {}),
  },
};

test('every row of the page is driven, and no other', () => {
  expect(rows.map(({ name }) => name)).toEqual(Object.keys(drives));
  expect(columns).toEqual(invoiceStatuses);
});

describe.each(rows)('row 50: $name', ({ name, cells }) => {
  const driven = cells
    .map((cell, at) => [columns[at] as InvoiceStatus, cell] as const)
    .filter(([, cell]) => cell !== '–');
  test.each(driven)('%s: %s', (status, cell) => {
    const { given = current, happens } = drives[name] ?? { happens: () => {} };
    const years = given(status);
    const invoice = aboutOf(years, status);
    expect(invoice.status).toBe(status);
    expect(invoiceCellOf(years, invoice, happens)).toBe(cell);
  });
});

/** The newest one; where an earlier one is overdue beside it, that one. */
const aboutOf = (years: Years, status: InvoiceStatus) =>
  years.state.invoices.findLast((each) => each.status === status) ?? years.invoice();
