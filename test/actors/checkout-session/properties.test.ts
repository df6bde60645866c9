/** Invariants that hold after every command, in any order of actions of buyers, merchants, providers and clocks. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Payment } from '../../../actors/checkout-session/attempt.ts';
import type { WayOut } from '../../../actors/checkout-session/other-amount.ts';
import type { SessionState } from '../../../actors/checkout-session/state.ts';
import { isPaid } from '../../../actors/checkout-session/payment.ts';
import type { LookupOutcome, Provider } from '../../../src/providers/answers.ts';
import { timersOf } from '../../../actors/checkout-session/rules/timers.ts';
import {
  allEvents,
  comesBack,
  created,
  lookupsInFlight,
  minutes,
  opens,
  order,
  pay,
  refusesStart,
  redirect,
  running,
  says,
  seconds,
  staysSilent,
  type SessionStory,
  sessionOf,
} from './buyer.ts';
import { claimLaws, answersClaim, openClaims } from './claim-laws.ts';
import { invoice } from './claiming.ts';
import { refundCalls, refundLaws } from './refund-laws.ts';
import { answers, asksRefund, ref } from './refunding.ts';
import { endsReview } from './reviewing.ts';

type Action =
  | { readonly do: 'start'; readonly provider: Provider }
  | { readonly do: 'opens' | 'refuses' | 'cancel' | 'expire' | 'silence' }
  | { readonly do: 'review'; readonly n: number; readonly how: WayOut }
  | { readonly do: 'claimed'; readonly n: number; readonly as: 'paid' | 'duplicate' }
  | { readonly do: 'hint'; readonly n: number; readonly from: 'return' | 'callback' }
  | {
      readonly do: 'look';
      readonly which: number;
      readonly outcome: LookupOutcome;
      readonly as: 'equal' | 'less' | 'other';
    }
  | { readonly do: 'refund'; readonly n: number; readonly tenths: number }
  | { readonly do: 'refundAnswer'; readonly outcome: 'done' | 'refused' | 'unknown' }
  | { readonly do: 'refundEnd'; readonly n: number; readonly how: 'complete' | 'cancel' }
  | { readonly do: 'wait'; readonly ms: number };

const outcomes: readonly LookupOutcome[] = [
  'paid',
  'pending',
  'failed',
  'cancelled',
  'expired',
  'refunded',
  'partially_refunded',
  'ambiguous',
  'not_found',
];
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('start' as const),
      provider: fc.constantFrom<Provider>('wallet_b', 'qr_a'),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('opens' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom('refuses' as const, 'cancel' as const, 'expire' as const, 'silence' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('hint' as const),
      n: fc.integer({ min: 1, max: 6 }),
      from: fc.constantFrom('return' as const, 'callback' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('review' as const),
      n: fc.integer({ min: 1, max: 6 }),
      how: fc.constantFrom<WayOut[]>('accept', 'dismiss', 'keep', 'refund'),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('look' as const),
      which: fc.nat(4),
      outcome: fc.constantFrom(...outcomes),
      as: fc.constantFrom('equal' as const, 'equal' as const, 'less' as const, 'other' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('claimed' as const),
      n: fc.nat(4),
      as: fc.constantFrom('paid' as const, 'duplicate' as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('refund' as const),
      n: fc.integer({ min: 1, max: 6 }),
      tenths: fc.constantFrom(1, 3, 5, 10),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('refundAnswer' as const),
      outcome: fc.constantFrom('done' as const, 'refused' as const, 'unknown' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('refundEnd' as const),
      n: fc.integer({ min: 1, max: 6 }),
      how: fc.constantFrom('complete' as const, 'cancel' as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(0, 500, seconds(4), seconds(31), minutes(31), minutes(700)),
    }),
  },
);
const actions = fc.array(action, { maxLength: 40 });

/** Does it, if it can be done now. */
function act(story: SessionStory, step: Action, starts: { count: number }): void {
  switch (step.do) {
    case 'start':
      story.when('start', { paymentId: pay(++starts.count), provider: step.provider, variant: null });
      return;
    case 'opens':
    case 'refuses':
      if (story.pending.some(({ kind }) => kind === 'provider.start'))
        (step.do === 'opens' ? opens : refusesStart)(story);
      return;
    case 'hint':
      story.when('hint', {
        paymentId: pay(step.n),
        from: step.from,
        says: 'paid',
        verified: false,
        summary: 'A hint',
      });
      return;
    case 'review':
      endsReview(story, step.n, step.how);
      return;
    case 'refund':
      asksRefund(story, story.state.refunds.length + 1, (order.amount * step.tenths) / 10, {
        paymentId: pay(step.n),
      });
      return;
    case 'refundAnswer':
      if (refundCalls(story).length > 0) answers(story, step.outcome);
      return;
    case 'refundEnd': {
      const refundId = story.state.refunds[step.n - 1]?.id ?? ref(99);
      story.when(`${step.how}Refund`, { refundId, notes: null });
      return;
    }
    case 'claimed':
      answersClaim(story, step);
      return;
    case 'silence':
      if (lookupsInFlight(story).length > 0) staysSilent(story);
      return;
    case 'look':
      look(story, step);
      return;
    case 'wait':
      story.wait(step.ms);
      return;
    default:
      story.when(step.do, {});
  }
}

function look(story: SessionStory, { which, outcome, as }: Extract<Action, { do: 'look' }>): void {
  const asked = lookupsInFlight(story);
  const one = asked[which % Math.max(1, asked.length)];
  if (one === undefined) return;
  const n = Number(one.paymentId.slice(pay(0).length - 1));
  const change =
    as === 'less' ? { amountPaisa: order.amount - 100 } : as === 'other' ? { reference: 'not-ours' } : {};
  says(story, outcome, change, n);
}

/** Fires timer after timer, so that the laws are checked after each. */
function waitWatched(story: SessionStory, ms: number): void {
  const until = story.now + ms;
  for (;;) {
    const next = [...(story.doc?.timers ?? [])].sort((a, b) => a.at - b.at)[0];
    if (next === undefined || next.at > until) break;
    watched(story, null, () => {
      story.now = Math.max(story.now, next.at);
      story.fire(next.name);
    });
  }
  story.now = until;
}

/** One command, and the laws after it. */
function watched(story: SessionStory, step: Action | null, command: () => void): void {
  const before = sessionOf(story);
  const views = snapshot(story);
  command();
  lawsHold(story, before, step);
  sequencesHold(story, views);
}

const isOpen = ({ status }: Payment): boolean => status === 'pending' || status === 'processing';
const terminal = (state: SessionState): boolean => state.status !== 'pending' && state.status !== 'initiated';
const bare = (view: { readonly [key: string]: unknown }): string =>
  JSON.stringify({ ...view, sequence: 0, updatedAt: 0 });

/** `step` is null when time passed. */
function lawsHold(story: SessionStory, before: SessionState, step: Action | null): void {
  const state = sessionOf(story);
  const all = story.events.map(({ type }) => type);
  // one payment.succeeded ever, exactly when the session is paid; one kept payment
  expect(all.filter((type) => type === 'payment.succeeded')).toHaveLength(state.status === 'success' ? 1 : 0);
  expect(state.payments.filter((p) => isPaid(p) && !p.duplicate)).toHaveLength(
    state.status === 'success' ? 1 : 0,
  );
  expect(all.filter((type) => type === 'payment.duplicate')).toHaveLength(
    state.payments.filter((p) => p.duplicate).length,
  );
  for (const type of ['checkout.created', 'checkout.expired', 'checkout.cancelled']) {
    expect(all.filter((other) => other === type).length).toBeLessThanOrEqual(1);
  }
  // out of an end leads verified money alone
  if (terminal(before) && state.status !== before.status) {
    const by = state.order.subscriptionId === undefined ? 'look' : 'claimed';
    expect([before.status === 'success', state.status, step?.do]).toEqual([false, 'success', by]);
    expect('late' in state && state.late).toBe(true);
  }
  if (terminal(before) && terminal(state))
    expect((state as { endedAt: number }).endedAt).toBe((before as { endedAt: number }).endedAt);
  paymentLaws(state, before, step);
  claimLaws(story, state, before, step?.do ?? null);
  refundLaws(story, state, before);
  timerLaws(story, state);
  eventLaws(story);
}

function paymentLaws(state: SessionState, before: SessionState, step: Action | null): void {
  expect(state.order).toEqual(before.order);
  expect(state.payments.length).toBeLessThanOrEqual(5);
  expect(state.payments.length - before.payments.length).toBeLessThanOrEqual(1);
  for (const [index, old] of before.payments.entries()) {
    const payment = state.payments[index];
    expect(payment?.id).toBe(old.id);
    if (payment === undefined || payment.status === old.status) continue;
    // a closed attempt opens no more; only a look-up makes success
    expect(isOpen(old) || isPaid(payment)).toBe(true);
    // and a paid one can only be refunded
    if (isPaid(old)) expect([old.status, payment.status]).toEqual(['success', 'refunded']);
    if (payment.status === 'success') expect(step?.do).toBe(old.claim === undefined ? 'look' : 'claimed');
  }
  const open = state.payments.filter(isOpen);
  expect(open.map(({ id }) => id)).toEqual(state.status === 'initiated' ? [state.running] : []);
  for (const { legs, id } of state.payments) {
    if (legs[0].instructions !== null) expect(open.map((p) => p.id)).toContain(id);
  }
}

function timerLaws(story: SessionStory, state: SessionState): void {
  const armed = new Map(story.doc?.timers.map(({ name, at }) => [name, at]));
  expect(armed).toEqual(timersOf(state));
  expect(armed.size).toBeLessThanOrEqual(13);
  const claims = openClaims(state).length;
  if (!terminal(state)) expect(armed.has('expiry') || armed.has('lookOver')).toBe(claims === 0);
  else expect(armed.has('expiry') || armed.has('lookOver')).toBe(false);
  const inFlight = lookupsInFlight(story).map(({ paymentId }) => paymentId);
  expect(new Set(inFlight).size).toBe(inFlight.length);
  for (const payment of state.payments) {
    expect(inFlight.includes(payment.id)).toBe(payment.legs[0].look.asked !== null);
    const waits =
      Number(armed.has(`poll/${payment.id}`)) +
      Number(payment.legs[0].look.asked !== null) +
      Number(payment.start === 'asked');
    if (isOpen(payment) && payment.claim === undefined) expect(waits).toBe(1);
    else expect(waits).toBeLessThanOrEqual(1);
  }
  // a refund that waits for a look-up has one planned
  for (const { paymentId, status, call } of state.refunds) {
    if (status === 'processing' && call === 'answered')
      expect(armed.has(`refund/${paymentId}`) || inFlight.includes(paymentId)).toBe(true);
  }
}

/** What an event carries is the object as it stands after the commit. */
function eventLaws(story: SessionStory): void {
  const rows = new Map(objectsOf(story).map((row) => [row['id'], row]));
  for (const { type, data } of story.last.events) {
    if (type.startsWith('checkout.')) expect(data).toEqual(story.view);
    if (type.startsWith('refund.')) expect(data).toEqual(rows.get(data.id));
    if (type === 'payment.refunded')
      expect(data['refund']).toEqual(rows.get((data['refund'] as { id: string }).id));
    if (type.startsWith('payment.')) expect(data).toMatchObject(rows.get(data.id) ?? { missing: true });
  }
}

/** +1 exactly when the view changed, and then with the time; for the session and each of its payments. */
function sequencesHold(story: SessionStory, before: ReturnType<typeof snapshot>): void {
  const after = snapshot(story);
  for (const [id, view] of after) {
    const old = before.get(id);
    if (old === undefined) {
      expect(view['sequence']).toBe(1);
      continue;
    }
    const grown = Number(view['sequence']) - Number(old['sequence']);
    expect(grown).toBe(bare(view) === bare(old) ? 0 : 1);
    if (grown === 0) expect(view['updatedAt']).toBe(old['updatedAt']);
    else expect(view['updatedAt']).toBe(new Date(story.now).toISOString());
  }
}

const snapshot = (story: SessionStory): Map<unknown, { readonly [key: string]: unknown }> =>
  new Map([story.view, ...objectsOf(story)].map((view) => [view['id'], view]));

const objectsOf = (story: SessionStory): readonly { readonly [key: string]: unknown }[] => [
  ...story.rows('payment'),
  ...story.rows('refund'),
];

/** Half of the stories begin with a paid session, so that there is something to refund. */
const beginnings = fc.constantFrom(
  (story: SessionStory) => story,
  (story: SessionStory) => says(comesBack(running(story)), 'paid'),
);
const flows = fc.constantFrom({}, redirect, { source: 'invoice' as const }, invoice);

test('the invariants hold after every command of any random sequence', () => {
  fc.assert(
    fc.property(flows, beginnings, actions, (flow, begun, steps) => {
      const story = begun(created(flow));
      const starts = { count: story.state.payments.length };
      for (const step of steps) {
        if (step.do === 'wait') waitWatched(story, step.ms);
        else watched(story, step, () => act(story, step, starts));
      }
      const spoken = allEvents(story).filter((type) => type.startsWith('checkout.'));
      if (story.state.source === 'invoice') expect(spoken).toEqual([]);
    }),
    { numRuns: 300 },
  );
}, 60_000);

test('every random sequence ends: the session is over and no timer is due', () => {
  fc.assert(
    fc.property(flows, beginnings, actions, fc.boolean(), (flow, begun, steps, silent) => {
      const story = begun(created(flow));
      const starts = { count: story.state.payments.length };
      for (const step of steps) act(story, step, starts);
      for (
        let rounds = 0;
        rounds < 1000 &&
        (story.pending.length > 0 ||
          (story.doc?.timers.length ?? 0) > 0 ||
          openClaims(sessionOf(story)).length > 0);
        rounds++
      ) {
        while (story.pending.some(({ kind }) => kind === 'provider.start')) opens(story);
        while (refundCalls(story).length > 0) answers(story, 'unknown');
        while (lookupsInFlight(story).length > 0)
          (silent ? staysSilent : (s: SessionStory) => says(s, 'not_found'))(story);
        while (openClaims(sessionOf(story)).length > 0)
          answersClaim(story, { n: rounds, as: rounds % 3 === 2 ? 'duplicate' : 'paid' });
        const next = Math.min(...(story.doc?.timers ?? []).map(({ at }) => at));
        if (Number.isFinite(next)) story.wait(Math.max(0, next - story.now));
      }
      expect(terminal(sessionOf(story))).toBe(true);
      expect(story.doc?.timers).toEqual([]);
      expect(story.pending).toEqual([]);
      expect(story.state.refunds.filter(({ status }) => status === 'processing')).toEqual([]);
    }),
    { numRuns: 80 },
  );
}, 60_000);
