/** What a trigger did to a session, in the words of docs/reference/session-states.md. */
import { expect } from 'vitest';
import type { Payment } from '../../../actors/checkout-session/attempt.ts';
import type { SessionState } from '../../../actors/checkout-session/state.ts';
import { sessionOf, type SessionStory } from './buyer.ts';

/** Runs the trigger and says what it changed. `about`: the attempt it is about, from 1. */
export function cellOf(
  story: SessionStory,
  about: number,
  trigger: (story: SessionStory) => unknown,
): string {
  if (story.state.status === 'hidden') return hiddenCellOf(story, trigger);
  const before = sessionOf(story);
  const eventsBefore = story.events.length;
  trigger(story);
  const events = story.events.slice(eventsBefore).map(({ type }) => type);
  const after = sessionOf(story);
  if (story.last.outcome.is === 'refused') {
    expect(['invalid_state', 'attempts_exhausted']).toContain(story.last.outcome.code);
    expect([after, events]).toEqual([before, []]);
    return '409';
  }
  expectRules(before, after, events);
  expect(story.events.filter(({ type }) => type === 'payment.succeeded').length).toBe(
    after.status === 'success' ? 1 : 0,
  );
  const [old, now] = [paymentAt(before, about), paymentAt(after, about)];
  const more = after.payments.length > before.payments.length;
  return [
    after.status === before.status ? 'unchanged' : `\`${after.status}\``,
    ...legWords(old, now),
    ...paymentWords(before, after, old, now),
    ...otherWords(before, after, about),
    ...(more ? ['new payment'] : []),
    ...(more && after.payments.at(-1)?.duplicate === true ? ['duplicate'] : []),
    ...refundWords(before, after),
    ...(now.claim !== undefined && old.claim === undefined ? ['claim'] : []),
    ...(lookupsOf(after) > lookupsOf(before) ? ['look-up'] : []),
    ...(now.needsReview && !old.needsReview ? ['review'] : []),
    ...events.filter((type) => type === 'reconciliation.mismatch').map((type) => `\`${type}\``),
  ].join(', ');
}

/** A Direct-QR session that its provider has not opened yet. */
function hiddenCellOf(story: SessionStory, trigger: (story: SessionStory) => unknown): string {
  trigger(story);
  expect(story.events).toEqual([]);
  return story.doc?.body === null ? 'nothing is kept' : `\`${story.state.status}\``;
}

/** What the page says of every cell at once. */
function expectRules(before: SessionState, after: SessionState, events: readonly string[]): void {
  const entered = after.status === before.status ? null : after.status;
  const success = 'payment.succeeded';
  const told: { readonly [status: string]: string } =
    after.source === 'invoice'
      ? { success }
      : { expired: 'checkout.expired', cancelled: 'checkout.cancelled', success };
  const expected = Object.entries(told).flatMap(([status, type]) => (status === entered ? [type] : []));
  expect(events.filter((type) => Object.values(told).includes(type))).toEqual(expected);
  if (entered === 'success') {
    expect(after).toMatchObject({ late: ['failed', 'cancelled', 'expired'].includes(before.status) });
  }
  if (after.status === 'initiated') {
    const isFollowed = after.payments.some(
      ({ id, start, legs: [{ look }], claim, status }) =>
        id === after.running &&
        (start === 'asked' ||
          look.asked !== null ||
          look.dueAt !== null ||
          claim !== undefined ||
          status === 'success'),
    );
    expect(isFollowed, 'the running attempt is looked up, or was found paid').toBe(true);
  }
}

function paymentWords(
  before: SessionState,
  after: SessionState,
  old: Payment,
  now: Payment,
): readonly string[] {
  const isPaid = now.status === 'success' && old.status !== 'success';
  const isSaid =
    now.status === old.status || (isPaid && after.status === 'success' && before.status !== after.status);
  return [
    ...(isSaid ? [] : [`payment ${statusOf(now)}`]),
    ...(isPaid && now.late ? ['late'] : []),
    ...(isPaid && now.duplicate ? ['duplicate'] : []),
  ];
}

function refundWords(before: SessionState, after: SessionState): readonly string[] {
  if (after.refunds.length === before.refunds.length) return [];
  const refund = after.refunds.at(-1);
  const payment = after.payments.find(({ id }) => id === refund?.paymentId);
  const amount = payment?.amountPaid ?? after.order.amount;
  expect(refund).toMatchObject({ reason: 'duplicate', amount });
  return ['refund opened'];
}

/** The leg that decides has changed. */
const legWords = (old: Payment, now: Payment): readonly string[] =>
  old.legs[0].name === now.legs[0].name ? [] : [now.legs[0].name === 'intent' ? 'in the app' : 'on the web'];

/** No attempt changes but the one the trigger is about, and the one that was running. */
function otherWords(before: SessionState, after: SessionState, about: number): readonly string[] {
  return before.payments.flatMap((old, at) => {
    const now = paymentAt(after, at + 1);
    if (at + 1 === about || now.status === old.status) return [];
    expect(before).toMatchObject({ running: old.id });
    return [`other payment ${statusOf(now)}`];
  });
}

const statusOf = ({ status, failure }: Payment): string =>
  `\`${status}\`${failure === null ? '' : ` (\`${failure.code}\`)`}`;

const lookupsOf = ({ payments }: SessionState): number =>
  payments.flatMap(({ legs }) => legs).reduce((sum, { look }) => sum + look.count, 0);

function paymentAt({ payments }: SessionState, n: number): Payment {
  const payment = payments[n - 1];
  if (payment === undefined) throw new Error(`there is no attempt ${n}`);
  return payment;
}
