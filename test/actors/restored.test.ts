/** What a restore changes for actors: what they count goes on higher, and what they derive is derived anew. */
import { describe, expect, test } from 'vitest';
import { firstGenerationIn } from '../../actors/checkout-session/keyed.ts';
import type { Looked } from '../../actors/checkout-session/looked.ts';
import { withRefundsChecked } from '../../actors/checkout-session/restored.ts';
import { eventLog } from '../../actors/event-log/event-log.ts';
import { invoiceBook } from '../../actors/invoice-book/invoice-book.ts';
import { given } from '../support/simulated/test-runner.ts';
import type { EraBegun } from '../../src/runtime/model/era.ts';
import { booked, goesToTheWeb, learns, webOpens } from './checkout-session/in-app.ts';
import { claimAnswered, forInvoice } from './checkout-session/claiming.ts';
import {
  comesBack,
  opens,
  paymentIn,
  picks,
  created,
  says,
  scope,
  seconds,
  sessionOf,
} from './checkout-session/buyer.ts';
import {
  amount,
  answers,
  asksRefund,
  ends,
  looks,
  paidBy,
  refundIn,
  refundTexts,
  waitsInVain,
} from './checkout-session/refunding.ts';

const era = (n: number, highest: EraBegun['highest'] = {}): EraBegun => ({
  era: n,
  backupAt: 0,
  restoredAt: 1,
  highest,
});
const restored = <Story extends { eras: readonly EraBegun[] }>(
  story: Story,
  ...eras: readonly EraBegun[]
): Story => Object.assign(story, { eras: eras.length === 0 ? [era(1)] : eras });
const kindsOf = ({ last }: ReturnType<typeof paidBy>): readonly string[] =>
  last.effects.map(({ kind }) => kind);

describe('numbers', () => {
  test('the sequence of a session and of its payment goes on a million higher, once for each restore', () => {
    const story = opens(picks(created(), 1, 'wallet_b'));
    const [session, payment] = [sessionOf(story).sequence, paymentIn(story).sequence];
    says(comesBack(restored(story)), 'paid');
    expect(sessionOf(story).sequence).toBeGreaterThan(1_000_000 + session);
    expect(paymentIn(story).sequence).toBeGreaterThan(1_000_000 + payment);
    const now = sessionOf(story).sequence;
    asksRefund(restored(story, era(1), era(2)), 1, 100);
    answers(looks(story, 'paid'), 'done');
    expect(sessionOf(story).sequence).toBeGreaterThanOrEqual(1_000_000 + now);
    expect(sessionOf(story).sequence).toBeLessThan(1_000_100 + now);
  });

  test('positions of events go on a million higher, also of a log that the backup does not know', () => {
    const log = given(eventLog, { id: scope, scope }).when('reserve', { count: 10 });
    restored(log).when('reserve', { count: 10 });
    expect(log.state.pos).toBe(1_000_020);
    log.when('reserve', { count: 10 });
    expect(log.state.pos).toBe(1_000_030);
    expect(restored(given(eventLog, { id: scope, scope })).when('reserve', { count: 10 }).state.pos).toBe(
      1_000_010,
    );
  });

  const assigned = (...eras: readonly EraBegun[]): readonly number[] => {
    const ask = { subscriptionId: 'sub_n5y5kc7txbgmy7rz22b0c1r5', invoiceId: 'inv_n5y5kc7txbgmy7rz22b0c1r5' };
    const book = given(invoiceBook, { id: scope, scope }).when('assign', ask);
    restored(book, ...eras)
      .when('assign', ask)
      .when('assign', ask);
    return book.tells.map(({ data }) => (data as { number: number }).number);
  };

  test('invoice numbers go on after a gap of 1,000, or behind the number that the operator names', () => {
    expect(assigned(era(1))).toEqual([1, 1002, 1003]);
    expect(assigned(era(1, { invoices: 40 }))).toEqual([1, 41, 42]);
    expect(assigned(era(1, { invoices: 40 }), era(2))).toEqual([1, 1041, 1042]);
    expect(assigned(era(1), era(2, { invoices: 40 }))).toEqual([1, 1002, 1003]);
  });

  test('the first use of a key has another number in each era', () => {
    expect([0, 1, 2].map(firstGenerationIn)).toEqual([1, 1_000_001, 2_000_001]);
  });
});

describe('what is derived', () => {
  test('the refund of a duplicate has another id in each era', () => {
    const refunded = (...eras: readonly EraBegun[]): string => {
      const claims = says(comesBack(opens(picks(forInvoice(), 1, 'wallet_b'))), 'paid');
      return refundIn(claimAnswered(Object.assign(claims, { eras }), 1, 'duplicate')).id;
    };
    expect(new Set([refunded(), refunded(era(1)), refunded(era(1), era(2))]).size).toBe(3);
    expect(refunded(era(1))).toBe(refunded(era(1)));
  });

  test('the payment of a second leg has another id in each era', () => {
    const second = (...eras: readonly EraBegun[]): string | undefined => {
      const story = webOpens(learns(goesToTheWeb(booked()), 'intent', 'paid'));
      return learns(Object.assign(story, { eras }), 'web', 'paid').state.payments[1]?.id;
    };
    expect(second()).toMatch(/^pay_/);
    expect(new Set([second(), second(era(1)), second(era(1), era(2))]).size).toBe(3);
  });

  test('a payment that a run has looked up is looked up once more, if the service was restored since', () => {
    const run = Date.parse('2026-11-21T00:00:00Z');
    const asks = (story: ReturnType<typeof paidBy>) =>
      kindsOf(story.wait(seconds(10)).when('reconcile', { paymentId: paymentIn(story).id, run }));
    const story = paidBy();
    expect(asks(story)).toEqual(['provider.lookup']);
    says(story, 'paid');
    expect(asks(story)).toEqual([]);
    expect(asks(restored(story))).toEqual(['provider.lookup']);
  });
});

describe('a refund after a restore', () => {
  const asked = () => asksRefund(restored(paidBy().wait(seconds(10))), 1, amount);

  test('waits for a look-up, and is called when that shows no refund', () => {
    const story = asked();
    expect(kindsOf(story)).toEqual(['provider.lookup']);
    expect(refundIn(story)).toMatchObject({ status: 'processing', call: 'waits' });
    says(story, 'paid');
    expect(kindsOf(story)).toEqual(['provider.refund']);
    answers(story, 'done');
    expect(refundIn(story)).toMatchObject({ status: 'succeeded', providerRefundId: 'TXN7Q2M9-e1-r1' });
    // the next one needs no look-up any more
    expect(paymentIn(story).unchecked).toBeUndefined();
  });

  test.each(['refunded', 'partially_refunded'] as const)(
    'is never called when the provider shows it %s: a person decides',
    (outcome) => {
      const story = says(asked(), outcome);
      expect(story.pending.map(({ kind }) => kind)).not.toContain('provider.refund');
      expect(refundIn(story)).toMatchObject({ status: 'requires_action', failureReason: refundTexts.shown });
      expect(paymentIn(story).needsReview).toBe(true);
      ends(story, 'complete');
      expect(paymentIn(story)).toMatchObject({ status: 'refunded', refundedAmount: amount });
    },
  );

  test('does not end the doubt when the provider shows one: the next one needs a person, too', () => {
    const story = says(asksRefund(restored(paidBy().wait(seconds(10))), 1, 100), 'partially_refunded');
    ends(story, 'complete');
    asksRefund(story.wait(seconds(10)), 2, 200);
    expect(refundIn(story, 2)).toMatchObject({ call: 'waits' });
    says(story, 'partially_refunded');
    expect(refundIn(story, 2)).toMatchObject({ status: 'requires_action', call: 'none' });
  });

  test('is decided by the leg that was paid alone', () => {
    const session = sessionOf(asked());
    const [payment] = session.payments;
    const finding = { is: 'paid', summary: 'paid' } as const;
    const of = (decides: boolean) => ({ payment, decides, finding }) as unknown as Looked;
    expect(withRefundsChecked(session, of(false))).toBe(session);
    expect(withRefundsChecked(session, of(true)).refunds[0]?.call).toBe('asked');
  });

  test('waits on while the provider does not answer, 72 hours at most, and is never called then', () => {
    const story = says(asked(), 'pending');
    expect(refundIn(story)).toMatchObject({ status: 'processing', call: 'waits' });
    waitsInVain(story, 'pending');
    expect(refundIn(story)).toMatchObject({ status: 'requires_action', call: 'none' });
    says(comesBack(story.wait(seconds(2))), 'paid');
    expect(story.pending.map(({ kind }) => kind)).not.toContain('provider.refund');
  });

  test('of money that waited for its subscription at the backup waits for a look-up, too', () => {
    const claims = () => says(comesBack(opens(picks(forInvoice(), 1, 'wallet_b'))), 'paid').wait(seconds(10));
    // the answer was given in the lost time, too, and the duplicate was refunded then
    const story = claimAnswered(restored(claims()), 1, 'duplicate');
    expect(refundIn(story)).toMatchObject({ reason: 'duplicate', call: 'waits' });
    says(story, 'refunded');
    expect(story.pending.map(({ kind }) => kind)).not.toContain('provider.refund');
    expect(refundIn(story)).toMatchObject({ status: 'requires_action', failureReason: refundTexts.shown });
    const kept = asksRefund(claimAnswered(restored(claims())), 1, 100);
    expect(refundIn(kept)).toMatchObject({ call: 'waits' });
    says(kept, 'paid');
    expect(kindsOf(kept)).toEqual(['provider.refund']);
  });

  test('of a payment that was found paid since is called at once', () => {
    const story = says(comesBack(restored(opens(picks(created(), 1, 'wallet_b')))), 'paid');
    expect(kindsOf(asksRefund(story, 1, amount))).toEqual(['provider.refund']);
  });
});
