/** Turns a next state into a commit: what changed decides what follows. The only place where a session's
 *  events, effects and timers are made, so that no transition can forget one.
 *  1. A payment's success is announced once: as `payment.succeeded`, or as `payment.duplicate`.
 *  2. `sequence` grows by one exactly when the object's view changes.
 *  3. Every living session has its expiry armed, unless the last look-up at that expiry is under way. */
import type { Change, Json, Note, Turn } from '../../src/runtime/actor.ts';
import type { Instant } from '../../src/kernel/time.ts';
import { withLooksArranged } from './looks.ts';
import type { Payment } from './attempt.ts';
import type { CheckoutSession, SessionState } from './state.ts';
import { lastLookMsMax, qrLifeMs, switchLookMsMax } from './poll-schedule.ts';
import { isDirectQr, withStreamEnd } from './qr-log.ts';
import { paymentEventData, paymentMarks, sessionMarks, sessionView } from './view.ts';

/** What a transition says beside the next state. */
export interface Also {
  /** The command or look-up that led here; stands in the timeline. */
  readonly cause: string;
  /** What was heard, before the transitions it led to. */
  readonly notes?: readonly Note[];
  /** An event that no change of state shows. */
  readonly telling?: Telling | null;
  readonly answer?: { readonly [key: string]: Json };
}

/** An event about a payment whose data is not the payment. */
export interface Telling {
  readonly type: string;
  readonly paymentId: string;
  readonly data: object;
}

type Step = Change<CheckoutSession>;

/** The change from `before` (null at creation) to `next`, with everything that follows from it. */
export function settle(
  x: Turn<CheckoutSession>,
  before: SessionState | null,
  next: SessionState,
  also: Also,
): Step {
  const told = withStreamEnd(before, next, x.id);
  const after = withSequences(before, withLooksArranged(told, x.now), x.now);
  const { status, ...rest } = after;
  const step = x.become(status, rest);
  for (const note of also.notes ?? []) step.note(note);
  if (before !== null) addTransitions(step, x.id, before, after, also.cause);
  addEvents(step, before, after, x);
  addTelling(step, after, also.telling ?? null);
  addEffects(step, before, after);
  addTimers(step, before, after);
  return also.answer === undefined ? step : step.answer(also.answer);
}

/** An object whose view changed carries the next number and the time. */
function withSequences(before: SessionState | null, next: SessionState, now: Instant): SessionState {
  if (before === null) return next;
  const payments = next.payments.map((payment) => {
    const old = paymentIn(before, payment.id);
    if (old === null || alike(paymentMarks(old), paymentMarks(payment))) return payment;
    return { ...payment, sequence: old.sequence + 1, updatedAt: now };
  });
  if (alike(sessionMarks(before), sessionMarks(next))) return { ...next, payments };
  return { ...next, payments, sequence: before.sequence + 1, updatedAt: now };
}

function addTransitions(
  step: Step,
  id: string,
  before: SessionState,
  after: SessionState,
  cause: string,
): void {
  for (const [index, payment] of after.payments.entries()) {
    const { id: about, provider, status: to, failure, late, duplicate } = payment;
    const from = paymentIn(before, about)?.status ?? null;
    if (from === to) continue;
    const summary =
      from === null
        ? `Attempt ${index + 1} with ${provider}`
        : `Payment ${from} to ${to}${duplicate ? ', a duplicate' : ''}${late ? ', late' : ''}`;
    const detail = failure === null ? {} : { failureCode: failure.code };
    step.note({ about, kind: 'transition', summary, from, to, cause, detail });
  }
  if (before.status !== after.status) {
    const [from, to] = [before.status, after.status];
    step.note({ about: id, kind: 'transition', summary: `Session ${from} to ${to}`, from, to, cause });
  }
}

function addEvents(
  step: Step,
  before: SessionState | null,
  after: SessionState,
  x: Turn<CheckoutSession>,
): void {
  for (const payment of after.payments) {
    const from = before === null ? null : paymentIn(before, payment.id);
    if (from === null || from.status === payment.status) continue;
    const data = paymentEventData(payment, after, x);
    for (const type of paymentEvents(payment)) step.event(type, data);
  }
  // an invoice's session is not readable under /v1/checkout and is not spoken of (decisions 8.2)
  if (after.source === 'invoice' || before?.status === after.status) return;
  const type = sessionEvents[before === null ? 'created' : after.status];
  if (type !== undefined) step.event(type, sessionView(after, x));
}

/** Stands in the log under the payment's id and sequence, with data of its own. */
function addTelling(step: Step, after: SessionState, telling: Telling | null): void {
  if (telling === null) return;
  const { type, paymentId, data } = telling;
  const sequence = paymentIn(after, paymentId)?.sequence ?? 1;
  // its text is `data` alone: id and sequence are the log's and the envelope's
  const object = { id: paymentId, sequence, toJSON: () => data };
  step.event(type, object);
}

/** Events of a payment that has just entered its status (decisions 14). */
function paymentEvents({ status, duplicate, failure }: Payment): readonly string[] {
  if (status === 'success') return [duplicate ? 'payment.duplicate' : 'payment.succeeded'];
  if (status === 'failed') return ['payment.failed'];
  if (status !== 'cancelled' || failure?.code === 'superseded') return [];
  return ['payment.failed', 'payment.cancelled'];
}

const sessionEvents: { readonly [entered in SessionState['status'] | 'created']?: string } = {
  created: 'checkout.created',
  cancelled: 'checkout.cancelled',
  expired: 'checkout.expired',
};

function addEffects(step: Step, before: SessionState | null, after: SessionState): void {
  const { order } = after;
  const running = after.status === 'initiated' ? after.running : null;
  for (const payment of after.payments) {
    const { id: paymentId, provider, start, look, lookupReference, providerExpiresAt, seen } = payment;
    const old = before === null ? null : paymentIn(before, paymentId);
    if (old === null && start === 'asked')
      step.effect('provider.start', { paymentId, provider, amount: order.amount, order });
    const socketUrl = paymentId === running ? payment.socketUrl : null;
    if (socketUrl !== null && lookupReference !== null && (old?.socketUrl ?? null) === null)
      step.effect('provider.listen', { paymentId, provider, lookupReference, socketUrl });
    if (look.asked === null || lookupReference === null || look.count === (old?.look.count ?? 0)) continue;
    step.effect('provider.lookup', {
      paymentId,
      provider,
      amount: order.amount,
      lookupReference,
      providerExpiresAt,
      ...(seen === undefined ? {} : { seen }),
      cause: look.asked,
      ...(socketUrl === null ? {} : { socketUrl }),
    });
  }
}

function addTimers(step: Step, before: SessionState | null, after: SessionState): void {
  const old = before === null ? noTimers : timersOf(before);
  const now = timersOf(after);
  for (const [name, at] of now) if (old.get(name) !== at) step.timer(name, at);
  for (const name of old.keys()) if (!now.has(name)) step.noTimer(name);
}

const noTimers: ReadonlyMap<string, Instant> = new Map();

/** The timers a state asks for: `expiry`, `lookOver`, `attempt/<payment>` of a running QR, and `poll/<payment>` each
 *  (at most eight). */
export function timersOf(session: SessionState): ReadonlyMap<string, Instant> {
  const timers = new Map<string, Instant>();
  const waiting = session.status === 'initiated' ? session.waiting : null;
  if (!('endedAt' in session) && waiting?.is !== 'lastLook') timers.set('expiry', session.expiresAt);
  if (waiting !== null) timers.set('lookOver', waiting.since + waitMsMax[waiting.is]);
  const ends = attemptEnd(session);
  if (ends !== null) timers.set(`attempt/${ends.id}`, ends.at);
  for (const { id, look } of session.payments) if (look.dueAt !== null) timers.set(`poll/${id}`, look.dueAt);
  return timers;
}

/** When we end the running attempt ourselves; null when its session or its provider does. */
function attemptEnd(session: SessionState): { readonly id: string; readonly at: Instant } | null {
  if (session.status !== 'initiated' || isDirectQr(session) || session.waiting !== null) return null;
  const running = paymentIn(session, session.running);
  if (running?.provider !== 'qr_a' || running.start !== 'answered') return null;
  const at = running.createdAt + qrLifeMs;
  return at < session.expiresAt ? { id: running.id, at } : null;
}

const waitMsMax = { lastLook: lastLookMsMax, attemptEnd: lastLookMsMax, switch: switchLookMsMax };

const paymentIn = (session: SessionState, id: string): Payment | null =>
  session.payments.find((payment) => payment.id === id) ?? null;

const alike = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.every((value, i) => Object.is(value, b[i]));
