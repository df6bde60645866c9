/** How a session and its attempts start (open, start, the answer of our start call).
 *  1. One attempt runs at a time; before another starts, the running one is looked up once, if its provider
 *     can be asked about it.
 *  2. An attempt's instructions are given out only while it runs.
 *  3. A failed start has given instructions to no buyer, so no payment can follow it. */
import type { Turn, Verdict } from '../../src/runtime/model/actor.ts';
import { minutes, type DurationMs, type Instant } from '../../src/kernel/time.ts';
import { paymentLinkAt } from '../payment-link/messages.ts';
import { subscriptionAt } from '../subscription/messages.ts';
import type { Leg, Payment } from './attempt.ts';
import type { SessionCommands, SessionEffects } from './commands.ts';
import type {
  CheckoutSession,
  InitiatedSession,
  LivingSession,
  PendingSession,
  SessionState,
} from './state.ts';
import type { Booking, Provider, StartAnswer } from '../../src/providers/answers.ts';
import { isPayableBy } from './payable.ts';
import { backInTheApp, canBeLookedUp, legNamed, onTheWeb, withLegs, withSeen } from './legs.ts';
import { withoutDecision } from './other-amount.ts';
import { isPaid, paymentAfter } from './payment.ts';
import { transition } from './transition.ts';
import {
  afterAttempt,
  attemptsMax,
  paymentOf,
  runningOf,
  runs,
  switched,
  waitOf,
  withAttempt,
  withPayment,
} from './steps.ts';

type X = Turn<CheckoutSession>;
type Start = SessionCommands['start'];
type Answered = SessionCommands['startAnswered'];

export const open = (command: SessionCommands['open' | 'openByLink'], x: X): Verdict =>
  transition(x, null, opened(command, x), { cause: 'open' });

/** A session as it begins. */
export function opened(
  { order, lifeMs }: Pick<SessionCommands['open'], 'order' | 'lifeMs'>,
  x: X,
): PendingSession {
  const provider = order.flow === 'redirect' ? order.preselected : null;
  return {
    status: 'pending',
    order,
    source: order.source,
    provider,
    payments: [],
    refunds: [],
    expiresAt: x.now + lifeMs,
    customerAddress: null,
    qrMessage: null,
    qrLog: [],
    sequence: 1,
    createdAt: x.now,
    updatedAt: x.now,
  };
}

/** The subscription has opened it again for its invoice: it learns what has become of it. */
export function openAgain(session: SessionState, { order }: SessionCommands['open'], x: X): Verdict {
  const { invoiceId, subscriptionId } = order;
  const isOver = 'endedAt' in session && session.status !== 'success';
  if (!isOver || invoiceId === undefined || subscriptionId === undefined) return x.ok();
  return x.stay().tell(subscriptionAt(subscriptionId), 'sessionOver', { invoiceId, sessionId: x.id });
}

/** The link has reserved another use for a session that is open already, or has been. */
export const openAgainByLink = (
  _session: SessionState,
  { order: { link } }: SessionCommands['openByLink'],
  x: X,
): Verdict => x.stay().tell(paymentLinkAt(link.id), 'sessionOver', { held: link.held });

/** Answers the id of the attempt to watch. */
export function start(session: PendingSession, command: Start, x: X): Verdict {
  if (x.now >= session.expiresAt) return x.refuse('invalid_state');
  if (paymentOf(session, command.paymentId) !== null) return x.ok({ paymentId: command.paymentId });
  if (session.payments.length >= attemptsMax) return x.refuse('attempts_exhausted');
  const { paymentId } = command;
  const attempt = { paymentId, provider: providerOf(session, command), ...wayOf(command) };
  if (!isPayableBy(session.order, attempt.provider)) return x.refuse('provider_not_offered');
  const next = withAttempt(withBuyer(session, command), attempt, x.now);
  return transition(x, session, next, { cause: 'start', answer: { paymentId } });
}

/** A start while an attempt runs: the same attempt again, or one look-up of it and then a new one. */
export function startAgain(session: InitiatedSession, command: Start, x: X): Verdict {
  const { waiting } = session;
  if (waiting?.is === 'lastLook' || x.now >= session.expiresAt) return x.refuse('invalid_state');
  if (paymentOf(session, command.paymentId) !== null) return x.ok({ paymentId: command.paymentId });
  const running = runningOf(session);
  const provider = providerOf(session, command);
  if (!isPayableBy(session.order, provider)) return x.refuse('provider_not_offered');
  const addressed = withBuyer(session, command);
  const go = (next: InitiatedSession, paymentId: string): Verdict =>
    next === session
      ? x.ok({ paymentId })
      : transition(x, session, next, { cause: 'start', answer: { paymentId } });

  const isInTheApp = running.legs[0].name === 'intent' && !isPaid(running);
  if (command.variant === 'web' && provider === running.provider && isInTheApp) {
    // a start on the web that fails leads back to the app: each is a call to the provider
    if ((running.webStarts ?? 0) >= attemptsMax) return x.refuse('attempts_exhausted');
    return go(
      withPayment({ ...addressed, waiting: null }, onTheWeb(withoutDecision(running), x.now)),
      running.id,
    );
  }
  // its money was refunded at once: it is nobody's to go on with
  const isOver = isPaid(running);
  if (!isOver && !running.returned && (provider === running.provider || session.order.flow === 'redirect')) {
    return go(waiting?.is === 'switch' ? { ...addressed, waiting: null } : addressed, running.id);
  }
  if (session.payments.length >= attemptsMax) return x.refuse('attempts_exhausted');
  // a second click while the look-up is in flight: the latest choice counts, both wait for the same attempt
  if (waiting?.is === 'switch') {
    const { webOnly: _before, ...wait } = waiting;
    return go({ ...addressed, waiting: { ...wait, provider, ...wayOf(command) } }, wait.paymentId);
  }
  const attempt = { paymentId: command.paymentId, provider, ...wayOf(command) };
  if (isOver || !canBeLookedUp(running)) return go(switched(addressed, attempt, x.now), attempt.paymentId);
  // the last look-up of an attempt whose time is up also serves the start of the next one
  const { is: _is, ...began } = waiting ?? { is: null, ...waitOf(running, x.now) };
  const wait = { is: 'switch', ...began, ...attempt } as const;
  return go({ ...addressed, waiting: wait }, attempt.paymentId);
}

/** The provider answered our start call, or could not be reached. Handled once per attempt. */
export function startAnswered(session: SessionState, command: Answered, x: X): Verdict {
  const payment = paymentOf(session, command.paymentId);
  if (payment === null || payment.start !== 'asked') return x.ok();
  const { answer, durationMs } = command;
  const call = { about: payment.id, kind: 'provider_call', cause: 'start', durationMs } as const;
  const cause = 'provider_start';
  if (answer.outcome === 'started') {
    const note = { ...call, summary: `Start: ${payment.provider} has opened the attempt`, detail: hasOpened };
    return transition(x, session, started(session, payment, answer, x.now), { cause, notes: [note] });
  }
  const { message } = answer;
  const summary = `Start: ${payment.provider} has not opened the attempt`;
  const note = { ...call, summary, detail: { outcome: 'failed', message } };
  return transition(x, session, notStarted(session, payment, message, x.now), { cause, notes: [note] });
}

/** The booking of a leg that the buyer has left: what became of it, only look-ups tell. */
export function bookingCancelled(
  session: SessionState,
  { paymentId: about, done, durationMs }: SessionCommands['bookingCancelled'],
  x: X,
): Verdict {
  const payment = paymentOf(session, about);
  if (payment === null) return x.ok();
  const summary = `Cancel: ${payment.provider} has ${done ? '' : 'not '}cancelled the booking in its app`;
  const note = {
    about,
    kind: 'provider_call',
    summary,
    cause: 'start',
    durationMs,
    detail: { done },
  } as const;
  return transition(x, session, session, { cause: 'start', notes: [note] });
}

/** A start call whose outcome cannot be known: the attempt is given up, because no buyer has its
 *  instructions. */
export const unansweredStart = ({ paymentId }: SessionEffects['provider.start']): Answered => ({
  paymentId,
  answer: { outcome: 'failed', message: 'The provider did not answer the start of this attempt.' },
  durationMs: 0,
});

const hasOpened = { outcome: 'started' };

type Started = Extract<StartAnswer, { outcome: 'started' }>;

function started(session: SessionState, payment: Payment, answer: Started, now: Instant): SessionState {
  const { instructions, lookupReference, providerExpiresAt, socketUrl = null, booking } = answer;
  const isRunning = runs(session, payment);
  const entersApp = isRunning && booking !== undefined;
  const living = entersApp ? { ...session, expiresAt: now + appIntentLifeMs } : session;
  const its = legStarted(payment);
  const leg: Leg = {
    ...its,
    ...(booking === undefined ? {} : inTheApp(payment, its, booking)),
    lookupReference,
    providerExpiresAt,
    instructions: isRunning ? instructions : null,
  };
  return withPayment(living, {
    ...withLegs(payment, (one) => (one === its ? leg : one)),
    ...(booking === undefined ? {} : { booking }),
    start: 'answered',
    socketUrl,
  });
}

/** The amount of a callback that came before this answer counts, if it was about this booking. */
function inTheApp({ toldEarly }: Payment, leg: Leg, { correlationId }: Booking): Leg {
  const isIts = toldEarly !== undefined && toldEarly.reference === correlationId;
  return { ...(isIts ? withSeen(leg, { toldAmount: toldEarly.amountPaisa }) : leg), name: 'intent' };
}

/** The leg that a start call is about: the app may have brought its money while the web was started. */
const legStarted = (payment: Payment): Leg => legNamed(payment, 'web') ?? payment.legs[0];

function notStarted(session: SessionState, payment: Payment, reason: string, now: Instant): SessionState {
  if (payment.legs[0].name === 'intent') {
    const after = withLegs(payment, (leg, isOther) => (isOther ? { ...leg, settled: true } : leg));
    return withPayment(session, { ...after, start: 'answered' });
  }
  const back = backInTheApp(payment);
  if (back !== null) return withPayment(session, back);
  const why = { code: 'provider_error', reason } as const;
  const failed = paymentAfter({ ...payment, start: 'failed' }, 'startFailed', why);
  const next = withPayment(session, failed);
  if (!runs(next, payment)) return next;
  return afterAttempt(next, 'failed', ['hosted', 'redirect'], now);
}

/** How long a session lives from the moment in which its buyer enters the provider's app. */
const appIntentLifeMs: DurationMs = minutes(30);

const wayOf = ({ variant }: Start): { readonly webOnly?: true } =>
  variant === 'web' ? { webOnly: true } : {};

/** A redirect session uses the merchant's provider, whatever the page sends. */
const providerOf = ({ order }: LivingSession, { provider }: Start): Provider =>
  order.flow === 'redirect' ? (order.preselected ?? provider) : provider;

/** What the buyer's browser told: an address, a language. The same session when that is nothing new. */
function withBuyer<S extends LivingSession>(session: S, { customerAddress, language }: Start): S {
  const addressed =
    customerAddress === undefined || customerAddress === null ? session : { ...session, customerAddress };
  return language === undefined || language === session.language ? addressed : { ...addressed, language };
}
