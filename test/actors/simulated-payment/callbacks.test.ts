/** The calls of a simulated provider's server: state x command. */
import { describe, expect, test } from 'vitest';
import { callbackTriesMax, callbackWaitMs } from '../../../actors/simulated-payment/callbacks.ts';
import type { SimulatedPaymentTypes } from '../../../actors/simulated-payment/messages.ts';
import { simulatedPayment } from '../../../actors/simulated-payment/simulated-payment.ts';
import { given, type Story } from '../../support/simulated/test-runner.ts';

type T = Story<SimulatedPaymentTypes>;
const fields = {
  provider: 'wallet_c',
  sessionId: 'cs_4t',
  amount: 125_050,
  handle: 'SESS-4t',
  returnUrl: 'https://pay.example/return',
  title: 'Order 1001',
  lifeEndsAt: null,
} as const;
const created = (callbackUrl?: string): T =>
  given(simulatedPayment, { id: 'pay_4t8z1m6q3x9k2v7b', scope: 'prj_abcd:sandbox' }).when(
    'register',
    callbackUrl === undefined ? fields : { ...fields, callbackUrl },
  );
const called = (): T => created('https://pay.example/callback/wallet_c');
const sent = (story: T): readonly unknown[] =>
  story.pending.filter(({ kind }) => kind === 'callback.send').map(({ data }) => data);

describe('the end of an attempt', () => {
  test.each(['pay', 'decline', 'cancel'] as const)('by %s is announced once', (command) => {
    expect(sent(called().when('open', {}).when(command, {}))).toEqual([
      { paymentId: 'pay_4t8z1m6q3x9k2v7b', call: 1, held: false },
    ]);
  });
  test('is not announced where the provider has no address, and nothing else is', () => {
    expect(sent(created().when('pay', {}))).toEqual([]);
    expect(sent(called().when('open', {}))).toEqual([]);
    expect(sent(called().when('pay', {}).when('refund', { amount: null }))).toHaveLength(1);
  });
});

describe('a call', () => {
  test('that is taken, or never sent, is over', () => {
    for (const how of ['taken', 'never'] as const) {
      const story = called().when('pay', {}).when('calledBack', { call: 1, how });
      expect(story.state).not.toHaveProperty('callback');
      expect(sent(story.wait(callbackWaitMs))).toHaveLength(1);
    }
  });
  test('that is refused is tried again three times, ten seconds apart', () => {
    let story = called().when('pay', {});
    for (let tries = 1; tries < callbackTriesMax; tries++) {
      story = story.when('calledBack', { call: 1, how: 'refused' });
      expect(sent(story.wait(callbackWaitMs - 1))).toHaveLength(tries);
      expect(sent(story.wait(1))).toHaveLength(tries + 1);
    }
    story = story.when('calledBack', { call: 1, how: 'refused' }).wait(10 * callbackWaitMs);
    expect(sent(story)).toHaveLength(callbackTriesMax);
    expect(story.state).not.toHaveProperty('callback');
  });
  test('that is held back is sent after its time, and not held again', () => {
    const story = called()
      .when('pay', {})
      .when('calledBack', { call: 1, how: 'later', waitMs: 5000 })
      .wait(5000);
    expect(sent(story).at(-1)).toEqual({ paymentId: 'pay_4t8z1m6q3x9k2v7b', call: 1, held: true });
  });
  test('that a newer one has replaced changes nothing', () => {
    const story = called().when('decline', {}).when('pay', {}, { by: 'merchant' });
    expect(sent(story)).toHaveLength(2);
    const late = story.when('calledBack', { call: 1, how: 'refused' });
    expect(late.state).toMatchObject({ callback: { number: 2, tries: 0 } });
    expect(sent(late.wait(callbackWaitMs))).toHaveLength(2);
  });
});
