/** Random histories of a subscription, told by the actor and by the naive model: the same invoices, events and dates.
 *  `MODEL_RUNS=10000 npx vitest run test/actors/subscription/model.test.ts` is the long form. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { intervalUnits } from '../../../actors/subscription/calendar.ts';
import { overdueActions } from '../../../actors/subscription/invoice-dates.ts';
import { invoiceView } from '../../../actors/subscription/view.ts';
import type { PlanCopy } from '../../../actors/subscription/state.ts';
import { days, hours, iso, isoOrNull, minutes } from '../../../src/kernel/time.ts';
import { Model } from './model.ts';
import type { MadeCall, ModelCall, ModelOrder } from './model-dates.ts';
import { at, request, threeSeven, Years } from './subscribing.ts';

const born = at('2026-01-31 10:00');
const span = days(400);

const terms = fc.record({
  gracePeriodDays: fc.oneof(fc.integer({ min: 0, max: 10 }), fc.integer({ min: 0, max: 120 })),
  reminderDaysBeforeDue: fc.integer({ min: 0, max: 30 }),
  overdueReminderIntervalDays: fc.integer({ min: 0, max: 30 }),
  overdueAction: fc.constantFrom(...overdueActions),
});
/** Most are of weeks and more: a daily one has hundreds of invoices in four hundred days. */
const intervals = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.record({ unit: fc.constant('month' as const), count: fc.integer({ min: 1, max: 5 }) }),
  },
  {
    weight: 20,
    arbitrary: fc.record({ unit: fc.constant('week' as const), count: fc.integer({ min: 2, max: 9 }) }),
  },
  {
    weight: 20,
    arbitrary: fc.record({ unit: fc.constantFrom(...intervalUnits), count: fc.integer({ min: 9, max: 30 }) }),
  },
  {
    weight: 20,
    arbitrary: fc.record({ unit: fc.constant('quarter' as const), count: fc.integer({ min: 1, max: 2 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ unit: fc.constantFrom(...intervalUnits), count: fc.integer({ min: 1, max: 4 }) }),
  },
);
const plans = fc
  .array(
    fc.record({
      terms,
      interval: intervals,
      amount: fc.integer({ min: 1000, max: 1_000_000 }),
    }),
    { minLength: 3, maxLength: 3 },
  )
  .map((three) =>
    three.map((one, n): PlanCopy => ({ ...threeSeven, ...one, id: `bp_${n}`, name: `Plan ${n}` })),
  );

const order = fc.record({
  startsInMs: fc.option(fc.integer({ min: -hours(20), max: days(60) }), { nil: null, freq: 3 }),
  trialDays: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 40 })),
  trialMs: fc.option(fc.integer({ min: 1, max: days(60) }), { nil: null, freq: 4 }),
  totalCycles: fc.option(fc.integer({ min: 1, max: 8 }), { nil: null }),
});

/** A call, as far as it does not depend on the plans and on what was before. */
const asked = fc.oneof(
  fc.record({ is: fc.constant('pay' as const), pick: fc.nat(200) }),
  fc.record({ is: fc.constant('pay' as const), pick: fc.nat(200) }),
  fc.record({ is: fc.constant('mark paid' as const), pick: fc.nat(200) }),
  fc.record({ is: fc.constant('void' as const), pick: fc.nat(200) }),
  fc.record({ is: fc.constant('pause' as const), forMs: fc.option(fc.integer({ min: 1, max: days(50) })) }),
  fc.record({ is: fc.constant('resume' as const) }),
  fc.record({
    is: fc.constant('cancel' as const),
    atPeriodEnd: fc.constant(true),
    reason: fc.constantFrom('a', 'b'),
  }),
  fc.record({ is: fc.constant('change plan' as const), to: fc.nat(2) }),
  fc.record({ is: fc.constant('end trial' as const) }),
  fc.record({ is: fc.constant('extend trial' as const), byMs: fc.integer({ min: -days(1), max: days(40) }) }),
  fc.record({
    is: fc.constant('set cycles' as const),
    to: fc.option(fc.integer({ min: 1, max: 12 }), { nil: null }),
  }),
);
/** Most histories are never cancelled at once; some end so. */
const history = fc.record({
  calls: fc.array(fc.tuple(asked, fc.integer({ min: 0, max: 1000 })), { minLength: 1, maxLength: 50 }),
  ends: fc.boolean(),
});

/** When calls are made: anywhere, or at the very instant of a step. */
const moment = (years: Years, thousandths: number, each: number): number => {
  const free = years.now + Math.floor((thousandths * each) / 500);
  const due = years.timer('step');
  return thousandths % 5 === 0 && due !== null && due <= free ? Math.max(due, years.now) : free;
};

interface Told {
  readonly years: Years;
  readonly order: ModelOrder;
  readonly calls: readonly MadeCall[];
  /** `nextInvoiceAt` after each call. */
  readonly nexts: readonly unknown[];
}

const unsettled = (years: Years) =>
  [...years.allInvoices.values()].filter(({ status }) => status !== 'paid' && status !== 'voided');

function callOf(
  what: typeof asked extends fc.Arbitrary<infer A> ? A : never,
  years: Years,
  three: readonly PlanCopy[],
): ModelCall {
  if (what.is === 'pause')
    return { is: 'pause', resumeAt: what.forMs === null ? null : years.now + what.forMs };
  if (what.is === 'change plan') return { is: 'change plan', plan: three[what.to] ?? threeSeven };
  if (what.is === 'extend trial')
    return { is: 'extend trial', to: (years.state.trialEndsAt ?? years.now) + what.byMs };
  return what;
}

function ask(years: Years, call: ModelCall): void {
  switch (call.is) {
    case 'pause':
      return void years.ask('pause', { reason: 'asked', resumeAt: call.resumeAt });
    case 'resume':
      return void years.ask('resume', {});
    case 'cancel':
      return void years.ask('cancel', { reason: call.reason, atPeriodEnd: call.atPeriodEnd });
    case 'change plan':
      return void years.ask('changePlan', { plan: call.plan as PlanCopy });
    case 'end trial':
      return void years.ask('endTrial', {});
    case 'extend trial':
      return void years.ask('extendTrial', { trialEndsAt: call.to });
    case 'set cycles':
      return void years.ask('change', { totalCycles: call.to });
    default: {
      const open = unsettled(years);
      const invoice = open[call.pick % Math.max(open.length, 1)];
      if (invoice === undefined) return;
      const of = { invoiceId: invoice.id };
      if (call.is === 'void') years.ask('voidInvoice', of);
      else if (call.is === 'mark paid') years.ask('markPaid', { ...of, paidAt: null, notes: null });
      else if (invoice.status !== 'draft') years.paid(invoice);
    }
  }
}

function told(
  three: readonly PlanCopy[],
  { startsInMs, trialDays, trialMs, totalCycles }: typeof order extends fc.Arbitrary<infer O> ? O : never,
  { calls, ends }: typeof history extends fc.Arbitrary<infer H> ? H : never,
): Told {
  const plan = three[0] ?? threeSeven;
  const years = new Years('2026-01-31 10:00');
  const startDate = startsInMs === null ? null : born + startsInMs;
  const start = Math.max(startDate ?? born, born);
  const trialEndsAt = trialMs === null ? null : start + trialMs;
  years.ask('create', { ...request(plan), startDate, trialEndsAt, trialDays, totalCycles });
  const each = span / calls.length;
  const made: { at: number; call: ModelCall }[] = [];
  const nexts: unknown[] = [];
  const make = (call: ModelCall): void => {
    made.push({ at: years.now, call });
    ask(years, call);
    years.reach(years.now);
    nexts.push(years.view['nextInvoiceAt']);
  };
  for (const [what, thousandths] of calls) {
    years.reach(moment(years, thousandths, each));
    make(callOf(what, years, three));
  }
  if (ends) make({ is: 'cancel', atPeriodEnd: false, reason: 'over' });
  years.reach(Math.max(years.now, born + span) + minutes(1));
  const ordered: ModelOrder = { at: born, plan, startDate, trialEndsAt, trialDays, totalCycles };
  return { years, order: ordered, calls: made, nexts };
}

function invoicesOf(years: Years): readonly object[] {
  return [...years.allInvoices.values()].map((one) => {
    const view = invoiceView(years.state, one, { id: 'sub_1', scope: 'prj_1:sandbox' });
    return {
      status: view['status'],
      number: one.number,
      amount: view['amount'],
      due: view['dueAt'],
      from: view['periodStart'],
      to: view['periodEnd'],
      lines: view['lines'],
      appliesFrom: view['appliesFrom'],
      appliesTo: view['appliesTo'],
      opened: isoOrNull(one.openedAt),
      paid: view['paidAt'],
      reminders: view['attemptCount'],
    };
  });
}

const invoicesIn = (model: Model): readonly object[] =>
  model.invoices.map((one) => ({
    status: one.status,
    number: one.number,
    amount: one.plan.amount,
    due: iso(one.due),
    from: iso(one.from),
    to: iso(one.to),
    lines: [expect.objectContaining({ periodStart: iso(one.from), periodEnd: iso(one.to) })],
    appliesFrom: isoOrNull(one.applies?.from ?? null),
    appliesTo: isoOrNull(one.applies?.to ?? null),
    opened: isoOrNull(one.opened),
    paid: isoOrNull(one.paid),
    reminders: one.reminders,
  }));

const datesIn = (model: Model) => ({
  displayStatus: model.status,
  startDate: iso(model.start),
  currentPeriodStart: iso(model.period.from),
  currentPeriodEnd: iso(model.period.to),
  nextInvoiceAt: isoOrNull(model.nextInvoiceAt),
  trialEndsAt: isoOrNull(model.trialEnd),
  cancelAtPeriodEnd: model.flagged,
  cancelledAt: isoOrNull(model.cancelledAt),
  cancelEffectiveAt: isoOrNull(model.effectiveAt),
  cancelReason: model.cancelReason,
  pausedAt: isoOrNull(model.pausedAt),
  pauseReason: model.pauseReason,
  resumeAt: isoOrNull(model.resumeAt),
  endedAt: isoOrNull(model.endedAt),
  nextPlanAt: isoOrNull(model.next?.at ?? null),
  totalCycles: model.total,
  cyclesBilled: model.cycles,
});

/** The long form takes minutes, and a busy machine its time. */
const longMs = minutes(60);

test(
  'random histories of four hundred days: the actor and the naive model tell the same',
  { timeout: longMs },
  () => {
    fc.assert(
      fc.property(plans, order, history, (three, ordered, calls) => {
        const { years, order: given, calls: made, nexts } = told(three, ordered, calls);
        const model = new Model(given, made, years.now);
        expect(years.told).toEqual(model.log);
        expect(nexts).toEqual(model.nexts.map(isoOrNull));
        expect(invoicesOf(years)).toEqual(invoicesIn(model));
        expect(years.view).toMatchObject(datesIn(model));
      }),
      { numRuns: Number(process.env['MODEL_RUNS'] ?? 200) },
    );
  },
);
