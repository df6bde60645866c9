/** Every cell of the table of subscriptions in docs/reference/subscription-states.md, driven once. */
import { describe, expect, test } from 'vitest';
import { plan as planActor } from '../../../actors/plan/plan.ts';
import { planCopyOf } from '../../../actors/plan/messages.ts';
import { canPreview } from '../../../actors/subscription/proration.ts';
import { displayStatuses, type DisplayStatus } from '../../../actors/subscription/state.ts';
import { days } from '../../../src/kernel/time.ts';
import { given as story } from '../../support/simulated/test-runner.ts';
import { tableIn } from '../../support/tables.ts';
import {
  before,
  ending,
  flag,
  lapsed,
  overdue,
  owed,
  owing,
  pause,
  schedule,
  standing,
  viewed,
  voided,
} from './standing.ts';
import { bare, threeSeven, withTerms, type Years } from './subscribing.ts';
import { cellOf, page } from './state-words.ts';

interface Drive {
  readonly given?: (status: DisplayStatus) => Years;
  readonly happens: (years: Years) => unknown;
}

const { columns, rows } = tableIn(page, 'Subscription and trigger');
const ended = (status: DisplayStatus): boolean => status === 'cancelled' || status === 'completed';
const live = (status: DisplayStatus): boolean => !ended(status) && status !== 'paused';

/** At the end of its period, or well after it where nothing ends. */
const periodEnd: Drive = {
  given: (status) => atPeriodEnd(standing(status), status),
  happens: (years) =>
    years.reach(years.state.period.end + (years.state.period.end < years.now ? days(60) : 0)),
};
const atPeriodEnd = (years: Years, status: DisplayStatus): Years =>
  live(status) ? before(years, years.state.period.end) : years;

const overduePlan = (overdueAction: 'pause') => withTerms({ overdueAction });
const pausedByInvoice = (): Years => standing('active', { plan: overduePlan('pause') }).until('2026-03-04');

const drives: { readonly [row: string]: Drive } = {
  '`startDate` is reached, without a trial': {
    given: () => {
      const years = standing('draft', { plan: bare });
      return before(years, years.state.startDate);
    },
    happens: (years) => years.reach(years.state.startDate),
  },
  '`startDate` is reached, with a trial': {
    given: () => {
      const years = standing('draft', { trialDays: 40 });
      return before(years, years.state.startDate);
    },
    happens: (years) => years.reach(years.state.startDate),
  },
  'the trial ends': {
    given: () => before(standing('trialing'), standing('trialing').state.trialEndsAt),
    happens: (years) => years.reach(years.state.period.end),
  },
  'the trial ends, flagged': {
    given: () => before(flag(standing('trialing')), standing('trialing').state.trialEndsAt),
    happens: (years) => years.reach(years.state.period.end),
  },
  '`nextInvoiceAt` is reached': {
    given: (status) => {
      const years = standing(status);
      return before(years, viewed(years, 'nextInvoiceAt'));
    },
    happens: (years) => years.reach(viewed(years, 'nextInvoiceAt') ?? 0),
  },
  'the next invoice would open': { happens: (years) => years.until('2026-02-27') },
  '`currentPeriodEnd` is reached': periodEnd,
  '`currentPeriodEnd` is reached, with a `nextPlan`': {
    given: (status) => atPeriodEnd(standing(status, { first: schedule }), status),
    happens: periodEnd.happens,
  },
  '`currentPeriodEnd` is reached, flagged': {
    given: (status) => atPeriodEnd(standing(status, { first: flag }), status),
    happens: periodEnd.happens,
  },
  'the last cycle ends, nothing is unpaid': {
    given: (status) => ending(status, true),
    happens: (years) => years.until('2026-03-01'),
  },
  'the last cycle ends, something is unpaid': {
    given: (status) => ending(status, false),
    happens: (years) => years.until('2026-03-01'),
  },
  'the last cycle is over, the last unpaid invoice is paid': {
    given: lapsed,
    happens: (years) => years.paid(owed(years)),
  },
  'the last cycle is over, the last unpaid invoice is voided': {
    given: lapsed,
    happens: (years) => voided(years),
  },
  'an invoice is paid that is not the last overdue one': {
    given: (status) => overdue(status, 'one of two'),
    happens: (years) => years.paid(owed(years)),
  },
  'the last overdue invoice is paid': {
    given: (status) => overdue(status, 'the last'),
    happens: (years) => years.paid(owed(years)),
  },
  'the last overdue invoice is voided': {
    given: (status) => overdue(status, 'the last'),
    happens: (years) => voided(years),
  },
  'the last overdue invoice is paid, `pauseReason` is `invoice_overdue`': {
    given: pausedByInvoice,
    happens: (years) => years.paid(owed(years)),
  },
  'the last overdue invoice is voided, `pauseReason` is `invoice_overdue`': {
    given: pausedByInvoice,
    happens: (years) => voided(years),
  },
  ...Object.fromEntries(
    (['keep_active', 'mark_past_due', 'pause', 'cancel'] as const).map((action) => [
      `\`overdueAt\` of an invoice is reached, \`${action}\``,
      {
        given: (status: DisplayStatus) => owing(status, action),
        happens: (years: Years) =>
          years.reach(Date.parse(String(years.rows('invoice').at(-1)?.['overdueAt']))),
      },
    ]),
  ),
  '`POST .../pause`': { happens: (years) => pause(years) },
  '`POST .../resume`': { happens: (years) => years.ask('resume', {}) },
  '`POST .../resume`, the period is over': {
    given: (status) => standing(status).until('2026-03-05'),
    happens: (years) => years.ask('resume', {}),
  },
  '`POST .../resume`, flagged': {
    given: (status) => standing(status, { first: flag }),
    happens: (years) => years.ask('resume', {}),
  },
  '`resumeAt` is reached': {
    given: () => pause(standing('active'), standing('active').now + days(2)),
    happens: (years) => years.reach(years.now + days(2)),
  },
  '`resumeAt` is reached, the period is over': {
    given: () => pause(standing('active'), standing('active').now + days(40)),
    happens: (years) => years.reach(years.now + days(40)),
  },
  '`POST .../cancel`': { happens: (years) => years.ask('cancel', { reason: null, atPeriodEnd: false }) },
  '`POST .../cancel`, `atPeriodEnd`': { happens: flag },
  '`POST .../cancel`, `atPeriodEnd`, flagged': {
    given: (status) => standing(status, { first: flag }),
    happens: flag,
  },
  '`POST .../change-plan`': { happens: (years) => schedule(years) },
  '`POST .../change-plan`, the current plan': { happens: (years) => schedule(years, threeSeven) },
  '`POST .../change-plan`, the current plan, with a `nextPlan`': {
    given: (status) => standing(status, { first: schedule }),
    happens: (years) => schedule(years, threeSeven),
  },
  '`POST .../change-plan`, flagged': {
    given: (status) => standing(status, { first: flag }),
    happens: (years) => schedule(years),
  },
  '`POST .../end-trial`': { happens: (years) => years.ask('endTrial', {}) },
  '`POST .../end-trial`, flagged': {
    given: (status) => standing(status, { first: flag }),
    happens: (years) => years.ask('endTrial', {}),
  },
  '`POST .../extend-trial`': {
    happens: (years) =>
      years.ask('extendTrial', { trialEndsAt: (years.state.trialEndsAt ?? years.now) + days(10) }),
  },
  // the route asks before it reads
  '`GET .../preview-proration`': { happens: () => {} },
  '`PATCH`': { happens: (years) => years.ask('change', { referenceId: 'order 9' }) },
  'its plan is set inactive, and `currentPeriodEnd` is reached': {
    given: (status) => {
      const years = periodEnd.given?.(status) ?? standing(status);
      years.readPlan = inactive();
      return years;
    },
    happens: periodEnd.happens,
  },
};

/** What a subscription reads of its plan once that takes no new ones. */
function inactive() {
  const { id, ...rest } = threeSeven;
  const closed = story(planActor, { id, scope: 'prj_pjc0e83mhrawse3s6h8bhrbw:sandbox' })
    .when('create', { ...rest, description: null, trialDays: 0, metadata: {} })
    .when('change', { active: false });
  expect(closed.state.status).toBe('inactive');
  return planCopyOf(id, closed.state);
}

test('every row of the page is driven, and no other', () => {
  expect(rows.map(({ name }) => name)).toEqual(Object.keys(drives));
  expect(columns).toEqual(displayStatuses);
});

describe.each(rows)('row 51: $name', ({ name, cells }) => {
  const driven = cells
    .map((cell, at) => [columns[at] as DisplayStatus, cell] as const)
    .filter(([, cell]) => cell !== '–');
  test.each(driven)('%s: %s', (status, cell) => {
    const { given = standing, happens } = drives[name] ?? { happens: () => {} };
    const years = given(status);
    expect(years.state.status).toBe(status);
    if (name.includes('preview')) return expect(canPreview(years.state) ? 'unchanged' : '409').toBe(cell);
    expect(cellOf(years, happens)).toBe(cell);
    if (!ended(years.state.status)) return;
    const told = years.events.length;
    years.reach(years.now + days(90));
    expect(years.events.length, 'nothing follows its end').toBe(told);
  });
});
