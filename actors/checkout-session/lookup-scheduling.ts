/** Schedules the look-ups of a session's payments according to its state: which are requested now, and
 *  which later.
 *  1. At most one look-up of a leg of a payment is in flight; meanwhile its timer is not armed.
 *  2. A running payment whose start was answered always has one or the other.
 *  3. A payment that cannot be looked up (its start never returned a reference) has neither. */
import type { Instant } from '../../src/kernel/time.ts';
import type { Leg, LookupState, LookupPhase, LookupCause, Payment } from './attempt.ts';
import type { SessionState } from './state.ts';
import { looksBefore, lookupKey, withLegs } from './legs.ts';
import { isPaid } from './payment.ts';
import { hintGapMs, nextLookupAt } from './poll-schedule.ts';
import { runs } from './steps.ts';

/** The session with every payment's next look-up requested or planned. */
export function withLookupsScheduled<S extends SessionState>(session: S, now: Instant): S {
  return { ...session, payments: session.payments.map((payment) => scheduled(payment, session, now)) };
}

/** The look-up as requested now. */
export const requested = (look: LookupState, cause: LookupCause, now: Instant): LookupState => ({
  ...look,
  asked: cause,
  askedAt: now,
  count: look.count + 1,
  again: null,
  dueAt: null,
});

/** What its timer requests: the hint that had to wait, otherwise the next look-up of the schedule. */
export function requestedByTimer(look: LookupState, now: Instant): LookupState {
  if (look.again !== null) return requested(look, look.again, now);
  return requested({ ...look, step: look.step + 1 }, look.phase === 'running' ? 'poll' : 'late', now);
}

function scheduled(payment: Payment, session: SessionState, now: Instant): Payment {
  const isDone = isPaid(payment) || payment.claim !== undefined;
  return withLegs(payment, (leg, isOther) => {
    const look = nextLookup(
      { leg, isOther, isOver: isOther ? leg.settled === true : isDone },
      payment,
      session,
      now,
    );
    return look === leg.look ? leg : { ...leg, look };
  });
}

/** One leg of a payment. */
interface Followed {
  readonly leg: Leg;
  readonly isOther: boolean;
  /** Nothing more is expected of it; a hint is followed all the same. */
  readonly isOver: boolean;
}

function nextLookup(
  { leg, isOther, isOver }: Followed,
  payment: Payment,
  session: SessionState,
  now: Instant,
): LookupState {
  const look = inPhase(leg.look, phaseOf(payment, session), session, now);
  if (leg.lookupReference === null || look.asked !== null) return withoutDueTime(look);
  const wanted = isOver ? null : wantedNow(look, isOther, payment, session);
  if (wanted !== null) return requested(look, wanted, now);
  if (look.again !== null) {
    const at = look.askedAt === null ? now : look.askedAt + hintGapMs;
    return at <= now ? requested(look, look.again, now) : { ...look, dueAt: at };
  }
  if (isOver) return withoutDueTime(look);
  if (look.dueAt !== null) return look;
  const dueAt = nextLookupAt(look, payment.provider, lookupKey(payment.id, leg.name), now);
  return dueAt === null ? look : { ...look, dueAt };
}

const withoutDueTime = (look: LookupState): LookupState =>
  look.dueAt === null ? look : { ...look, dueAt: null };

/** The look-up a waiting session needs and has not requested since the wait began. */
function wantedNow(
  look: LookupState,
  isOther: boolean,
  payment: Payment,
  session: SessionState,
): LookupCause | null {
  if (!runs(session, payment)) return null;
  const { waiting } = session;
  return waiting !== null && look.count <= looksBefore(waiting, isOther) ? waiting.is : null;
}

function phaseOf(payment: Payment, session: SessionState): LookupPhase {
  if (session.status === 'pending') return 'closed';
  if (session.status === 'initiated') return runs(session, payment) ? 'running' : 'closed';
  return 'over';
}

/** Each phase starts its own schedule. */
function inPhase(look: LookupState, phase: LookupPhase, session: SessionState, now: Instant): LookupState {
  if (look.phase === phase) return look;
  const since = 'endedAt' in session ? session.endedAt : now;
  return { ...look, phase, since, step: 0, dueAt: null };
}
