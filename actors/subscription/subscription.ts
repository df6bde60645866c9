/** Recurring invoices for one customer: subscription x trigger of docs/reference/subscription-states.md. The steps
 *  are in files beside it: steps.ts (by time), requests.ts (by the merchant), invoices.ts (its invoices),
 *  invoice-requests.ts (what is asked of one invoice); transition.ts makes the commit.
 *  S1. Each period has at most one invoice that is not voided, none is skipped, and none is billed while the
 *      subscription is paused or has ended.
 *  S2. Dates follow from the anchor alone (calendar.ts), whenever the steps are done.
 *  S3. A number that was assigned belongs to an invoice that has opened: numbers have no gaps.
 *  S4. The first verified payment pays an invoice; any other one is a duplicate. */
import { actor, type Turn, type Verdict } from '../../src/runtime/model/actor.ts';
import type { SubscriptionCommands, SubscriptionTypes } from './messages.ts';
import { begin, change, created, requests, type Asked, type Refusal } from './requests.ts';
import { numbered, read } from './invoices.ts';
import { claim, markPaid, payInvoice, sendInvoice, sessionOver, voidInvoice } from './invoice-requests.ts';
import { subscriptionRestored } from './restored.ts';
import { transition } from './transition.ts';
import { isEnded, type DisplayStatus, type SubscriptionState } from './state.ts';
import { nextStep } from './steps.ts';
import { invoiceRows, subscriptionView } from './view.ts';
import { Work } from './work.ts';

type X = Turn<SubscriptionTypes>;
type Commands = SubscriptionCommands;
type Handler<C> = (s: SubscriptionState, command: C, x: X) => Verdict;

/** A cell that a function of requests.ts decides. */
const doing =
  <C>(request: (w: Work, command: C) => Refusal): Handler<C> =>
  (s, command, x) => {
    const w = new Work(x.id, x.now, s);
    const refusal = request(w, command);
    if (refusal === 'invalid_state') return notNow(s, command, x);
    return refusal === null ? done(s, w, x) : x.refuse(refusal);
  };
const noticing =
  <C>(step: (w: Work, command: C) => void): Handler<C> =>
  (s, command, x) => {
    const w = new Work(x.id, x.now, s);
    step(w, command);
    return done(s, w, x);
  };
const done = (s: SubscriptionState, w: Work, x: X): Verdict => (w.s === s ? x.ok() : transition(x, s, w));
const notNow = (s: SubscriptionState, _command: unknown, x: X): Verdict =>
  x.refuse('invalid_state', { currentStatus: s.status });

/** The row of a request: its cells are those of `requests`. */
function asked<K extends Asked>(request: K) {
  const cell = (status: DisplayStatus): Handler<Commands[K]> => {
    const of = requests[request][status];
    return of === undefined ? notNow : doing<Commands[K]>(of);
  };
  return {
    by: 'merchant',
    draft: cell('draft'),
    trialing: cell('trialing'),
    active: cell('active'),
    past_due: cell('past_due'),
    paused: cell('paused'),
    _terminal: notNow,
  } as const;
}

export const subscription = actor<SubscriptionTypes>('subscription', 'sub', {
  schema: 1,
  on: {
    create: {
      by: 'merchant',
      creates: (command, x) => {
        const w = new Work(x.id, x.now, created(command, x.now));
        begin(w);
        return transition(x, null, w);
      },
      _any: (_s, _c, x) => x.ok(),
    },
    change: { by: 'merchant', _any: doing(change) },
    pause: asked('pause'),
    resume: asked('resume'),
    cancel: asked('cancel'),
    changePlan: asked('changePlan'),
    endTrial: asked('endTrial'),
    extendTrial: asked('extendTrial'),
    voidInvoice: { by: 'merchant', _any: voidInvoice },
    markPaid: { by: 'merchant', _any: markPaid },
    sendInvoice: { by: 'merchant', _any: sendInvoice },
    payInvoice: { by: ['merchant', 'buyer'], _any: payInvoice },
    claim: { by: 'system', _any: claim },
    sessionOver: { by: 'system', _any: sessionOver },
    numbered: { by: 'system', _any: noticing(numbered) },
    read: { by: 'system', _any: noticing(read) },
    armAfterEnd: { by: 'system', _any: armAfterEnd },
    stepDue: { by: 'system', _any: stepDue },
  },
  effects: {
    'billing.read': {
      result: 'read',
      mode: 'atLeastOnce',
      // it opens with what is known
      unknown: ({ invoiceId }) => ({ invoiceId, plan: null, customer: null }),
    },
  },
  timers: { step: 'stepDue' },
  // docs/decisions/0033: all of a project that renew at midnight send to one invoice book and to one log
  dueAtOnceMax: 4,
  restored: subscriptionRestored,
  view: subscriptionView,
  rows: invoiceRows,
  indexes: ['status', 'customerId', 'planId'],
});

/** Settling anything of a subscription that has ended arms the timer that it should have. */
function armAfterEnd(s: SubscriptionState, _command: unknown, x: X): Verdict {
  return isEnded(s) && nextStep(s) !== null ? transition(x, s, new Work(x.id, x.now, s)) : x.ok();
}

/** One step, the earliest; the timer is then set to the next one. */
function stepDue(s: SubscriptionState, _command: unknown, x: X): Verdict {
  const w = new Work(x.id, x.now, s);
  w.isStep = true;
  const step = nextStep(s);
  if (step !== null && step.at <= x.now) step.run(w);
  return transition(x, s, w);
}
