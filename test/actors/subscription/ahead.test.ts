/** What comes next, and what a request would do, against what then happens.
 *  `AHEAD_RUNS=5000 npx vitest run test/actors/subscription/ahead.test.ts` is the long form. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextStepsMax, previewOf, type Coming, type Preview } from '../../../actors/subscription/ahead.ts';
import type { Asked } from '../../../actors/subscription/requests.ts';
import type { SubscriptionCommands } from '../../../actors/subscription/messages.ts';
import { isEnded } from '../../../actors/subscription/state.ts';
import { assert } from '../../../src/kernel/assert.ts';
import { days, hours, iso, minutes } from '../../../src/kernel/time.ts';
import { dearer, flag, pause, schedule, standing } from './standing.ts';
import { ask, history, other, plans } from './random-years.ts';
import { localOf, request, subscribed, threeSeven, withTerms, Years } from './subscribing.ts';

const codes: Readonly<Record<string, Coming['is']>> = {
  'subscription.trial_ended': 'trial_ends',
  'subscription.renewed': 'renewal',
  'subscription.plan_changed': 'plan_change',
  'subscription.paused': 'pause',
  'subscription.resumed': 'resume',
  'subscription.cancelled': 'cancel',
  'subscription.completed': 'completed',
  'invoice.created': 'invoice_opens',
  'invoice.past_due': 'past_due',
  'invoice.voided': 'invoice_voided',
  'invoice.updated': 'invoice_moved',
  'invoice.reminder_sent': 'reminder',
};
/** Not of what comes next by itself. */
const requestsOnly: ReadonlySet<string> = new Set(['invoice_voided', 'invoice_moved']);

/** The same subscription, to go on without the other one. */
function forked(years: Years): Years {
  assert(years.doc !== null, 'it was created');
  return new Years(localOf(years.now)).continued(years.doc, years.now, 1000);
}

/** The events of a fork, as what comes next names them; ids only of what `before` has. */
function happened(fork: Years, before: Years): readonly Coming[] {
  const known = new Set(before.state.invoices.map(({ id }) => id));
  const idOf = (id: unknown): string | null => (typeof id === 'string' && known.has(id) ? id : null);
  let overdue: string | null = null;
  return fork.events.flatMap(({ type, data }, n) => {
    const is = codes[type];
    const at = fork.told[n]?.split(' ')[0] ?? '';
    if (type === 'invoice.past_due') overdue = idOf(data['id']);
    if (is === undefined) return [];
    if (type.startsWith('invoice.')) {
      const { reminder, amount, id } = data as unknown as {
        readonly reminder?: { readonly attemptNumber: number };
        readonly amount: number;
        readonly id: string;
      };
      return [{ at, is: reminder?.attemptNumber === 0 ? 'due' : is, invoiceId: idOf(id), amount }];
    }
    const { plan, pauseReason, cancelReason } = data as unknown as {
      readonly plan: { readonly amount: number };
      readonly pauseReason: string | null;
      readonly cancelReason: string | null;
    };
    const isOverdue =
      (is === 'pause' && pauseReason === 'invoice_overdue') ||
      (is === 'cancel' && cancelReason === 'invoice_overdue');
    return [
      {
        at,
        is,
        invoiceId: isOverdue ? overdue : null,
        amount: is === 'plan_change' ? plan.amount : null,
      },
    ];
  });
}

const nextOf = (years: Years): readonly Coming[] => years.view['nextSteps'] as readonly Coming[];
const inWords = (coming: readonly Coming[]): readonly string[] =>
  coming.map(({ at, is }) => `${localOf(Date.parse(at))} ${is}`);

/** Nothing happens but by itself, until as much has happened as can be named. */
function alone(years: Years): readonly Coming[] {
  const fork = forked(years);
  const came = (): readonly Coming[] => happened(fork, years).filter(({ is }) => !requestsOnly.has(is));
  for (let due = fork.timer('step'); due !== null && !isEnded(fork.state); due = fork.timer('step')) {
    if (came().length >= nextStepsMax) break;
    fork.reach(Math.max(due, fork.now));
  }
  // after its end an invoice may still become past due, and nothing comes next
  const end = came().findIndex(({ is }) => is === 'cancel' || is === 'completed');
  return came().slice(0, Math.min(nextStepsMax, end === -1 ? nextStepsMax : end + 1));
}

const requested = (years: Years): readonly (readonly [Asked, SubscriptionCommands[Asked]])[] => [
  ['pause', { reason: null, resumeAt: null }],
  ['pause', { reason: null, resumeAt: years.now + days(9) }],
  ['resume', {}],
  ['cancel', { reason: null, atPeriodEnd: false }],
  ['cancel', { reason: null, atPeriodEnd: true }],
  ['changePlan', { plan: years.state.plan }],
  ['changePlan', { plan: dearer }],
  ['endTrial', {}],
  ['extendTrial', { trialEndsAt: (years.state.trialEndsAt ?? years.now) + days(5) }],
];

function previewed(years: Years, what: Asked, command: SubscriptionCommands[Asked]): Preview | string {
  return previewOf(years.state, years.now, what, command as never);
}

/** What a preview says, against the request itself. */
function compare(years: Years, what: Asked, command: SubscriptionCommands[Asked]): void {
  const said = previewed(years, what, command);
  const fork = forked(years).ask(what, command as never);
  const { outcome } = fork.last;
  if (typeof said === 'string') {
    expect(outcome).toMatchObject({ is: 'refused', code: said });
    return;
  }
  expect(outcome.is).toBe('ok');
  const known = new Set(years.state.invoices.map(({ id }) => id));
  const next = nextOf(fork).map((each) =>
    known.has(each.invoiceId ?? '') ? each : { ...each, invoiceId: null },
  );
  expect(said.nextSteps).toEqual(next);
  const now = iso(years.now);
  const taken = said.effects.filter(({ is }) => is.endsWith('_taken_back'));
  expect(said.effects.filter((each) => each.at === now && !taken.includes(each))).toEqual(
    happened(fork, years),
  );
  if (what === 'resume')
    expect(taken.length).toBe(years.state.status !== 'paused' && outcome.is === 'ok' ? 1 : 0);
  for (const { at, is } of said.effects.filter((each) => each.at > now)) {
    // it waits for a resumption, and the last cycle has no renewal
    if (is === 'plan_change') expect(fork.view['nextPlanAt']).toBe(at);
    else arranged(next, at, is);
  }
}

/** It comes at its time, unless the subscription ends or is paused before. */
function arranged(next: readonly Coming[], at: string, is: Coming['is']): void {
  const last = next.at(-1)?.at ?? '';
  const isStopped = next.some(
    (each) =>
      ['pause', 'cancel', 'completed'].includes(each.is) &&
      (each.at < at || (each.at === at && each.is !== is)),
  );
  const isBeyond = next.length === nextStepsMax && last <= at;
  if (isStopped || isBeyond) return;
  expect(next.map((each) => [each.at, each.is])).toContainEqual([at, is]);
}

/** The long form takes minutes, and a busy machine its time. */
const longMs = minutes(60);
const runs = Number(process.env['AHEAD_RUNS'] ?? 20);

const orders = fc.record({
  first: plans,
  second: plans,
  startsInDays: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 40 })),
  trialDays: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 40 })),
  totalCycles: fc.option(fc.integer({ min: 1, max: 6 }), { nil: null }),
  calls: history,
});

/** Looks after each call of a random history. */
function throughout(look: (years: Years) => void): void {
  fc.assert(
    fc.property(orders, ({ first, second, startsInDays, trialDays, totalCycles, calls }) => {
      const years = new Years('2026-01-31 10:00');
      const startDate = years.now + days(startsInDays);
      const order = { ...request({ ...threeSeven, ...first }), startDate, trialDays, totalCycles };
      years.ask('create', order);
      look(years);
      for (const [what, afterHours] of calls.slice(0, 20)) {
        const isDaily = first.interval.unit === 'day' || second.interval.unit === 'day';
        years.waitFor(hours(Math.ceil(afterHours * (isDaily ? 0.2 : 1))));
        ask(years, what, { ...other, ...second });
        years.waitFor(0);
        look(years);
      }
    }),
    { numRuns: runs },
  );
}

describe('Over random years of a subscription', () => {
  test('what comes next is what then happens', { timeout: longMs }, () => {
    throughout((years) => {
      expect(nextOf(years)).toEqual(isEnded(years.state) ? [] : alone(years));
    });
  });

  test('what a preview says is what the request then does', { timeout: longMs }, () => {
    throughout((years) => {
      const before = JSON.stringify(years.doc);
      for (const [what, command] of requested(years)) compare(years, what, command);
      expect(JSON.stringify(years.doc)).toBe(before);
    });
  });
});

describe('What comes next', () => {
  test('of example A, whose first invoice nobody pays', () => {
    const years = subscribed('2026-01-31', withTerms({ overdueReminderIntervalDays: 30 }));
    expect(inWords(nextOf(years)).slice(0, 7)).toEqual([
      '2026-02-03 past_due',
      '2026-02-25 invoice_opens',
      '2026-02-28 renewal',
      '2026-02-28 due',
      '2026-03-02 reminder',
      '2026-03-03 past_due',
      '2026-03-28 invoice_opens',
    ]);
    expect(nextOf(years)[0]).toMatchObject({ invoiceId: years.invoice().id, amount: 150_000 });
    expect(nextOf(years)[1]).toMatchObject({ invoiceId: null, amount: 150_000 });
  });

  test.each([
    [
      'of one that is paused for it, the invoice that is not paid',
      () => subscribed('2026-01-31', withTerms({ overdueAction: 'pause', overdueReminderIntervalDays: 0 })),
      ['2026-02-03 past_due', '2026-02-03 pause'],
    ],
    ['of one that ends with its period', () => flag(standing('active')), ['2026-02-28 10:00 cancel']],
    ['of a paused one', () => pause(standing('active')), []],
    ['of the last cycle', () => standing('active', { totalCycles: 1 }), ['2026-02-28 10:00 completed']],
    ['of one that has ended', () => standing('cancelled'), []],
  ] as const)('%s', (_, given, expected) => {
    expect(inWords(nextOf(given()))).toEqual(expected);
  });

  test('while an invoice opens, its opening; the draft of the next one has its id', () => {
    const years = new Years('2026-01-31');
    years.silent = true;
    years.ask('create', request(threeSeven));
    expect(nextOf(years)[0]).toMatchObject({ is: 'invoice_opens', invoiceId: years.invoice().id });
    const drafted = standing('active').until('2026-02-25 09:30');
    expect(nextOf(drafted)[0]).toMatchObject({ is: 'invoice_opens', invoiceId: drafted.invoice().id });
  });
});

test('what comes next ends where a year has more than four digits: such an instant has no text', () => {
  const years = standing('active');
  years.ask('pause', { reason: null, resumeAt: Date.UTC(9999, 11, 31, 12) });
  const at = nextOf(years).map((each) => each.at);
  expect(at.length).toBeGreaterThan(0);
  for (const each of at) expect(each).toMatch(/^\d{4}-/);
});

describe('A preview', () => {
  const effects = (years: Years, what: Asked, command: SubscriptionCommands[Asked]): readonly string[] => {
    const said = previewed(years, what, command);
    return typeof said === 'string' ? [said] : inWords(said.effects);
  };
  const atEnd = { reason: null, atPeriodEnd: true };

  test('says what is arranged for later, and what is taken back', () => {
    const active = standing('active').until('2026-02-10');
    expect(effects(active, 'cancel', atEnd)).toEqual(['2026-02-28 10:00 cancel']);
    expect(effects(flag(active), 'resume', {})).toEqual(['2026-02-10 cancel_taken_back']);
    const scheduled = schedule(standing('active').until('2026-02-10'));
    const { plan } = scheduled.state;
    expect(effects(scheduled, 'changePlan', { plan })).toEqual(['2026-02-10 plan_change_taken_back']);
    expect(effects(standing('active'), 'changePlan', { plan: dearer })).toEqual([
      '2026-02-28 10:00 plan_change',
    ]);
  });

  test('of an invoice that is issued anew: the old one is voided, another one opens at the new price', () => {
    const years = standing('active').until('2026-02-26');
    expect(effects(years, 'changePlan', { plan: dearer })).toEqual([
      '2026-02-26 invoice_voided',
      '2026-02-26 invoice_opens',
      '2026-02-28 10:00 plan_change',
    ]);
  });

  test('is refused as the request is', () => {
    expect(effects(standing('paused'), 'pause', { reason: null, resumeAt: null })).toEqual(['invalid_state']);
    expect(effects(standing('active'), 'changePlan', { plan: threeSeven })).toEqual(['plan_unchanged']);
    expect(effects(standing('active'), 'changePlan', { plan: dearer, isInactive: true })).toEqual([
      'plan_inactive',
    ]);
  });
});
