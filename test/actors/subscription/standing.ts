/** Subscriptions in every status, and the histories that lead to a cell of docs/reference/subscription-states.md. */
import { assert } from '../../../src/kernel/assert.ts';
import type { Instant } from '../../../src/kernel/time.ts';
import type { SubscriptionRequest } from '../../../actors/subscription/messages.ts';
import type { OverdueAction } from '../../../actors/subscription/invoice-dates.ts';
import type { DisplayStatus, Invoice, PlanCopy } from '../../../actors/subscription/state.ts';
import { at, request, threeSeven, withTerms, Years } from './subscribing.ts';

const start = '2026-01-31 10:00';

export interface Standing extends Partial<SubscriptionRequest> {
  readonly plan?: PlanCopy;
  /** What is asked before it comes into its status, where that can be asked in no other one. */
  readonly first?: (years: Years) => unknown;
}

export const dearer: PlanCopy = {
  ...threeSeven,
  id: 'bp_z1t9xj9gt9tht7315wyd8t7f',
  name: 'Pro plus',
  amount: 300_000,
};

export const flag = (years: Years): Years => years.ask('cancel', { reason: 'moving', atPeriodEnd: true });
export const pause = (years: Years, resumeAt: Instant | null = null): Years =>
  years.ask('pause', { reason: 'holiday', resumeAt });
export const schedule = (years: Years, plan = dearer): Years => years.ask('changePlan', { plan });

const begun = ({ plan = threeSeven, first: _first, ...more }: Standing): Years =>
  new Years(start).ask('create', { ...request(plan), ...more });

/** One that has just come into this status, with every invoice paid where that is possible. */
export function standing(status: DisplayStatus, given: Standing = {}): Years {
  const years = come(status, given);
  assert(years.state.status === status, `it is ${status}, not ${years.state.status}`);
  return years;
}

function come(status: DisplayStatus, given: Standing): Years {
  const asked = (years: Years): Years => {
    given.first?.(years);
    return years;
  };
  switch (status) {
    case 'draft':
      return asked(begun({ startDate: at('2026-03-10 10:00'), ...given }));
    case 'trialing':
      return asked(begun({ trialDays: 14, ...given }).until('2026-02-01'));
    case 'active':
      return asked(begun(given).paid());
    case 'past_due':
      return asked(begun(given).until('2026-02-03 10:00'));
    case 'paused':
      return pause(asked(begun(given).paid()).until('2026-02-05'));
    case 'cancelled':
      return asked(begun(given).paid()).ask('cancel', { reason: null, atPeriodEnd: false });
    case 'completed':
      return asked(begun({ totalCycles: 1, ...given }).paid()).until('2026-03-01');
  }
}

/** Just before an instant of the subscription. */
export const before = (years: Years, instant: Instant | null): Years => {
  assert(instant !== null, 'there is such an instant');
  return years.reach(instant - 1);
};

export const viewed = (years: Years, field: string): Instant | null => {
  const value = years.view[field];
  return typeof value === 'string' ? Date.parse(value) : null;
};

/** Its first invoice is not paid, and another one, with this action, is about to be overdue. */
export function owing(status: DisplayStatus, overdueAction: OverdueAction): Years {
  const plan = withTerms({ overdueAction });
  if (status === 'active') return begun({ plan }).until('2026-02-02');
  if (status === 'paused') return pause(begun({ plan }));
  if (status === 'past_due') {
    const years = schedule(standing('past_due'), { ...dearer, terms: plan.terms });
    return years.until('2026-03-02');
  }
  // it has ended with its period, and its invoice is not overdue before the one after
  assert(status === 'cancelled', 'others owe nothing');
  return flag(begun({ plan: withTerms({ gracePeriodDays: 40, overdueAction }) })).until('2026-03-01');
}

/** With an invoice that is overdue, the only one or not. */
export function overdue(status: DisplayStatus, which: 'the last' | 'one of two'): Years {
  const one = which === 'the last';
  switch (status) {
    case 'active':
      return begun({ plan: withTerms({ overdueAction: 'keep_active' }) }).until(
        one ? '2026-02-10' : '2026-03-10',
      );
    case 'past_due':
      return standing('past_due').until(one ? '2026-02-10' : '2026-03-10');
    case 'paused':
      return pause(standing('past_due').until(one ? '2026-02-10' : '2026-03-10'));
    case 'cancelled': {
      const cancelling = withTerms({ overdueAction: 'cancel' });
      if (one) return begun({ plan: cancelling }).until('2026-02-10');
      return schedule(standing('past_due'), { ...dearer, terms: cancelling.terms }).until('2026-03-10');
    }
    case 'draft':
      // nothing can be overdue yet: an open invoice is paid
      return standing('draft').until('2026-03-08');
    case 'trialing':
      return standing('trialing').until('2026-02-12');
    case 'completed':
      return standing('completed');
  }
}

/** Its last cycle is over and its only invoice is not paid. */
export function lapsed(status: DisplayStatus): Years {
  const overdueAction = status === 'past_due' ? 'mark_past_due' : 'keep_active';
  const years = begun({ plan: withTerms({ overdueAction }), totalCycles: 1 }).until('2026-03-05');
  return status === 'paused' ? pause(years) : years;
}

/** Its last cycle ends soon. */
export function ending(status: DisplayStatus, paid: boolean): Years {
  const overdueAction = status === 'past_due' ? 'mark_past_due' : 'keep_active';
  const years = begun({ plan: withTerms({ overdueAction }), totalCycles: 1 });
  if (paid) years.paid();
  years.until('2026-02-10');
  return status === 'paused' ? pause(years) : years;
}

/** The oldest invoice that is not paid; the newest if all are. */
export function owed(years: Years): Invoice {
  const unpaid = years.state.invoices.find(({ status }) => status === 'open' || status === 'past_due');
  return unpaid ?? years.invoice();
}

export const voided = (years: Years, { id }: Invoice = owed(years)): Years =>
  years.ask('voidInvoice', { invoiceId: id });
