/** A simulated buyer's interrupted plays continue, and end. */
import { describe, expect, test } from 'vitest';
import type {
  Played,
  SandboxOutcome,
  SimulatedPaymentTypes,
} from '../../../actors/simulated-payment/messages.ts';
import { playMsMax, playsMax, waitAfter } from '../../../actors/simulated-payment/plays.ts';
import { simulatedPayment } from '../../../actors/simulated-payment/simulated-payment.ts';
import { given, type Story } from '../../support/simulated/test-runner.ts';

type T = Story<SimulatedPaymentTypes>;
const id = 'pay_4t8z1m6q3x9k2v7b';

function registered(outcome?: SandboxOutcome): T {
  const story = given(simulatedPayment, { id, scope: 'prj_abcd:sandbox' });
  return story.when('register', {
    provider: 'wallet_b',
    sessionId: 'cs_4t',
    amount: 125050,
    handle: 'px4t',
    returnUrl: 'https://pay.example/return',
    title: 'Order 1001',
    lifeEndsAt: story.now + 1_800_000,
    ...(outcome === undefined ? {} : { outcome }),
  });
}

const planned = (outcome: SandboxOutcome = 'success', story = registered()): T =>
  story.when('plan', { outcome, at: story.now });
const settled = (story: T, how: Played, play = 1): T => story.settle('buyer.play', { how, play });
const playing = (story: T): readonly unknown[] => story.pending.map(({ data }) => data);

describe('a play that was interrupted', () => {
  test('continues after a second, marked as interrupted', () => {
    const story = settled(planned(), 'interrupted');
    expect(playing(story)).toEqual([]);
    story.wait(waitAfter(1, id) - 1);
    expect(playing(story)).toEqual([]);
    story.wait(1);
    expect(playing(story)).toMatchObject([{ outcome: 'success', play: 1, interruptions: 1, newest: true }]);
  });

  test('continues repeatedly, with growing delays up to about a minute, until it is played', () => {
    const story = planned();
    const waits: number[] = [];
    for (let n = 0; n < 12; n++) {
      const from = story.now;
      settled(story, 'interrupted');
      const due = story.timer('playAgain/1') ?? 0;
      waits.push(due - from);
      story.wait(due - from);
    }
    expect(waits.slice(0, 6)).toEqual(waits.slice(0, 6).toSorted((a, b) => a - b));
    expect(waits[0]).toBeLessThanOrEqual(1100);
    expect(Math.max(...waits)).toBeLessThanOrEqual(66_000);
    settled(story, 'played');
    expect(story.wait(playMsMax).pending).toEqual([]);
    expect(story.state.plays).toEqual([]);
  });

  test('continues even if its runner kept throwing', () => {
    const story = planned();
    const [effect] = story.pending;
    const data = effect?.data as never;
    story.settle('buyer.play', simulatedPayment.effects['buyer.play'].unknown(data));
    expect(story.wait(2000).pending).toHaveLength(1);
  });

  test('continues whatever state the payment has, because it is unknown how far the buyer came', () => {
    const story = settled(planned().when('pay', {}), 'interrupted');
    expect(story.wait(2000).pending).toHaveLength(1);
  });

  test('is given up a day after it began', () => {
    const story = planned();
    story.now += playMsMax - 1;
    settled(story, 'interrupted').wait(1_000_000);
    expect(story.pending).toHaveLength(1);
    settled(story, 'interrupted').wait(playMsMax);
    expect(story.pending).toEqual([]);
    expect(story.state.plays).toEqual([]);
  });

  test('of a reset project is deleted', () => {
    const story = settled(planned(), 'interrupted').when('forget', {});
    expect(story.wait(playMsMax).pending).toEqual([]);
  });
});

test.each(['played', 'not_possible'] as const)('a play that ended as %s is over', (how) => {
  const story = settled(planned(), how);
  expect(story.wait(playMsMax).pending).toEqual([]);
  expect(story.state.plays).toEqual([]);
});

describe('two outcomes of one payment', () => {
  const both = (): T => planned('refund_rejected', planned('success'));

  test('are two plays, and the faults of the later one count', () => {
    const story = settled(both(), 'interrupted', 1);
    settled(story, 'interrupted', 2);
    story.wait(2000);
    expect(playing(story)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ outcome: 'success', play: 1, newest: false }),
        expect.objectContaining({ outcome: 'refund_rejected', play: 2, newest: true }),
      ]),
    );
  });

  test('end independently', () => {
    const story = settled(both(), 'played', 2);
    expect(story.state.plays).toMatchObject([{ outcome: 'success' }]);
    settled(story, 'interrupted', 1).wait(2000);
    expect(playing(story)).toMatchObject([{ outcome: 'success' }]);
  });

  test('a late result of a play that is over changes no other play', () => {
    const story = settled(settled(both(), 'played', 1), 'interrupted', 1);
    expect(story.state.plays).toMatchObject([{ outcome: 'refund_rejected', interruptions: 0 }]);
  });

  test('are limited in number at once', () => {
    const story = registered();
    for (let n = 0; n < playsMax; n++) planned('never', story);
    for (const at of [story.now, story.now + 60_000]) {
      story.when('plan', { outcome: 'success', at });
      expect(story.last.outcome).toMatchObject({ is: 'refused', code: 'too_many_plays' });
    }
    settled(story, 'played', 1);
    expect(planned('success', story).last.outcome.is).toBe('ok');
  });
});

describe('an outcome that its session requests', () => {
  test('is played from the start that makes the payment known, in the same commit', () => {
    const story = registered('success');
    expect(playing(story)).toMatchObject([{ outcome: 'success', play: 1 }]);
    expect(story.state.plays).toHaveLength(1);
  });

  test('is not played again by a start that is repeated', () => {
    const story = registered('success');
    story.when('register', { ...story.state, outcome: 'success' });
    expect(story.pending).toHaveLength(1);
  });
});
