/** A session driven by the actions of a buyer, for the tests beside this file. */
import type { CheckoutSession, SessionState } from '../../../actors/checkout-session/state.ts';
import type { Leg, Payment } from '../../../actors/checkout-session/attempt.ts';
import type { SessionCommands, SessionEffects } from '../../../actors/checkout-session/commands.ts';
import type { Order } from '../../../actors/checkout-session/order.ts';
import type { LookupAnswer, LookupOutcome } from '../../../src/providers/answers.ts';
import { checkoutSession } from '../../../actors/checkout-session/session.ts';
import { given, type Story } from '../../support/simulated/test-runner.ts';
import { hours, minutes, seconds } from '../../../src/kernel/time.ts';
import { plainOrder } from '../../support/order.ts';

export type SessionStory = Story<CheckoutSession>;

export const sessionId = 'cs_n5y5kc7txbgmy7rz22b0c1r5';
export const scope = 'prj_pjc0e83mhrawse3s6h8bhrbw:sandbox' as const;
export const opened = Date.parse('2026-11-20T09:15:00.000Z');
export const expiresAt = opened + minutes(30);
/** The id of the n-th attempt. */
export const pay = (n: number): string => `pay_n5z1m6q3x9k2v7b${n}`;
export const pidx = (paymentId: string): string => `px_${paymentId}`;

export const order: Order = {
  ...plainOrder,
  customer: { name: 'Asha Rai', email: 'asha@example.com', phone: '9800000000', address: null },
  metadata: { order_id: '1001' },
  referenceId: 'A-1001',
  checkoutUrl: `https://pay.example/pay/${sessionId}`,
};
export const redirect: Partial<Order> = { flow: 'redirect', preselected: 'wallet_b' };

/** A session as the merchant has just created it. */
export const created = (change: Partial<Order> = {}): SessionStory =>
  given(checkoutSession, { id: sessionId, scope, now: opened }).when('open', {
    order: { ...order, ...change },
    lifeMs: expiresAt - opened,
  });

/** The buyer picks a provider; our start call is on its way. */
export const picks = (
  story: SessionStory,
  n: number,
  provider: Order['preselected'] = 'wallet_b',
): SessionStory =>
  story.when('start', { paymentId: pay(n), provider: provider ?? 'wallet_b', variant: null });

/** The provider opens the attempt. */
export function opens(story: SessionStory): SessionStory {
  const { paymentId } = pendingOf(story, 'provider.start');
  return story.settle('provider.start', {
    paymentId,
    durationMs: 120,
    answer: {
      outcome: 'started',
      lookupReference: pidx(paymentId),
      providerExpiresAt: story.now + minutes(30),
      instructions: {
        kind: 'redirect',
        method: 'GET',
        url: `https://wallet-b.example/?pidx=${pidx(paymentId)}`,
        fields: {},
      },
    },
  } satisfies SessionCommands['startAnswered']);
}

/** The provider refuses to open it, or does not answer. */
export function refusesStart(story: SessionStory): SessionStory {
  const { paymentId } = pendingOf(story, 'provider.start');
  const answer = { outcome: 'failed', message: 'Invalid token.' } as const;
  return story.settle('provider.start', {
    paymentId,
    durationMs: 80,
    answer,
  } satisfies SessionCommands['startAnswered']);
}

/** Attempt n runs and its instructions are out. */
export const running = (story: SessionStory, n = 1): SessionStory => opens(picks(story, n));

export const saying = (
  outcome: LookupOutcome,
  reference: string,
  change: Partial<LookupAnswer> = {},
): LookupAnswer => ({
  outcome,
  answered: true,
  amountPaisa: order.amount,
  reference,
  providerRef: outcome === 'paid' ? 'TXN7Q2M9' : null,
  traceId: null,
  failureCode: null,
  fee: outcome === 'paid' ? 0 : null,
  httpStatus: 200,
  durationMs: 214,
  raw: '{}',
  ...change,
});

/** The oldest look-up in flight (of attempt n, when named) brings this. */
export function says(
  story: SessionStory,
  outcome: LookupOutcome,
  change: Partial<LookupAnswer> = {},
  n: number | null = null,
): SessionStory {
  if (n !== null) bringForward(story, n);
  const { paymentId, leg, cause, lookupReference } = pendingOf(story, 'provider.lookup');
  return story.settle('provider.lookup', {
    paymentId,
    ...(leg === undefined ? {} : { leg }),
    cause,
    answer: saying(outcome, lookupReference, change),
  } satisfies SessionCommands['lookupAnswered']);
}

/** The look-up of attempt n is the first to be answered. */
function bringForward(story: SessionStory, n: number): void {
  const isIts = ({ kind, data }: (typeof story.pending)[number]): boolean =>
    kind === 'provider.lookup' && (data as { paymentId?: string }).paymentId === pay(n);
  story.pending = [...story.pending.filter(isIts), ...story.pending.filter((effect) => !isIts(effect))];
}

/** The look-up brings nothing readable. */
export const staysSilent = (story: SessionStory): SessionStory =>
  says(story, 'pending', { answered: false, amountPaisa: null, reference: null, httpStatus: 500 });

/** The buyer comes back from attempt n. Unsigned, so worth a look and nothing more. */
export const comesBack = (
  story: SessionStory,
  n = 1,
  says: SessionCommands['hint']['says'] = 'unknown',
): SessionStory =>
  story.when('hint', {
    paymentId: pay(n),
    from: 'return',
    says,
    verified: false,
    summary: 'The buyer came back from wallet_b',
  });

/** The next look-up of attempt n falls due and is asked. */
export function pollsNow(story: SessionStory, n = 1): SessionStory {
  const at = story.timer(`poll/${pay(n)}`);
  if (at === null) throw new Error(`attempt ${n} has no look-up planned`);
  return story.wait(at - story.now);
}

/** The next look-up of attempt n says this. */
export const learns = (
  story: SessionStory,
  n: number,
  outcome: LookupOutcome,
  change: Partial<LookupAnswer> = {},
): SessionStory => says(pollsNow(story, n), outcome, change, n);

/** Attempt n fails for good: the provider declines it. */
export const declines = (story: SessionStory, n = 1): SessionStory => learns(story, n, 'failed');

/** The session in each status, after one attempt unless it says otherwise. */
export const inStatus: { readonly [S in SessionState['status']]: (change?: Partial<Order>) => SessionStory } =
  {
    pending: (change) => declines(running(created(change))),
    initiated: (change) => running(created(change)),
    success: (change) => learns(running(created(change)), 1, 'paid'),
    failed: (change) => declines(running(created({ ...redirect, ...change }))),
    cancelled: (change) => running(created(change)).when('cancel', {}),
    expired: (change) => running(created(change)).when('expire', {}),
  };

/** The session as outsiders see it. */
export function sessionOf({ state }: SessionStory): SessionState {
  if (state.status === 'hidden') throw new Error('nobody sees this session');
  return state;
}

export function paymentIn(story: SessionStory, n = 1): Payment {
  const payment = story.state.payments[n - 1];
  if (payment === undefined) throw new Error(`there is no attempt ${n}`);
  return payment;
}

/** The leg of attempt n that decides. */
export const legIn = (story: SessionStory, n = 1): Leg => paymentIn(story, n).legs[0];

/** Kinds of the events of the latest command. */
export const lastEvents = (story: SessionStory): readonly string[] =>
  story.last.events.map(({ type }) => type);
export const allEvents = (story: SessionStory): readonly string[] => story.events.map(({ type }) => type);
export const lookupsInFlight = (story: SessionStory): readonly SessionEffects['provider.lookup'][] =>
  story.pending
    .filter(({ kind }) => kind === 'provider.lookup')
    .map(({ data }) => data as unknown as SessionEffects['provider.lookup']);

/** The data of the oldest effect of this kind in flight. */
export function pendingOf<K extends keyof SessionEffects>(story: SessionStory, kind: K): SessionEffects[K] {
  const row = story.pending.find((effect) => effect.kind === kind);
  if (row === undefined) throw new Error(`no ${kind} is in flight`);
  return row.data as unknown as SessionEffects[K];
}

export { hours, minutes, seconds };
