/** Direct-QR before and after its provider's answer: hidden, then visible, or deleted. */
import { describe, expect, test } from 'vitest';
import type { Order } from '../../../actors/checkout-session/order.ts';
import { checkoutSession } from '../../../actors/checkout-session/session.ts';
import { given } from '../../support/simulated/test-runner.ts';
import {
  allEvents,
  lookupsInFlight,
  minutes,
  opened,
  order,
  pay,
  paymentIn,
  pendingOf,
  says,
  scope,
  seconds,
  sessionId,
  sessionOf,
  picks,
  created,
  type SessionStory,
} from './buyer.ts';
import {
  directQr,
  lifeMs,
  deadline,
  prn,
  socketUrl,
  at,
  asked,
  answer,
  shown,
  refused,
  tells,
  polled,
  paid,
  status,
} from './qr-code.ts';

describe('hidden until the provider has answered', () => {
  test('it is invisible: no source to list it by, no event, no payment row, no timer', () => {
    const story = asked();
    expect(status(story)).toBe('hidden');
    expect(story.state.source).toBeNull();
    expect(story.view).toEqual({ id: sessionId });
    expect(story.rows('payment')).toEqual([]);
    expect(story.rows('hidden_payment')).toMatchObject([{ id: pay(1), provider: 'qr_a', sessionId }]);
    expect([story.events, story.notes, story.doc?.timers]).toEqual([[], [], []]);
  });

  test.each(['expire', 'cancel'] as const)('it refuses the command %s', (command) => {
    const story = asked().when(command, {});
    expect(story.last.outcome).toMatchObject({ is: 'refused', code: 'not_found' });
  });

  test('a hint or a start does not change it', () => {
    expect(tells(asked(), 'scan').last.outcome).toMatchObject({ is: 'refused', code: 'not_found' });
    const start = { paymentId: pay(2), provider: 'qr_a', variant: null } as const;
    expect(asked().when('start', start).last.outcome).toMatchObject({ is: 'refused' });
  });

  test('a repeated request returns the same session', () => {
    const again = { order: directQr, paymentId: pay(2), lifeMs };
    const story = asked().when('openDirectQr', again);
    expect(story.last.outcome.is).toBe('ok');
    expect(story.pending).toHaveLength(1);
  });

  test('when the provider answers, session and payment become visible together, with one event', () => {
    const story = shown();
    expect(story.view).toMatchObject({
      status: 'initiated',
      source: 'direct_qr',
      flow: 'redirect',
      provider: 'qr_a',
      checkout_url: null,
      returnUrl: null,
      paymentId: pay(1),
      attempts: 1,
      sequence: 1,
      expires_at: at(deadline),
    });
    expect(story.rows('payment')).toMatchObject([{ id: pay(1), status: 'pending', sequence: 1 }]);
    expect(story.rows('hidden_payment')).toEqual([]);
    expect(allEvents(story)).toEqual(['checkout.created']);
    expect(sessionOf(story)).toMatchObject({ qrMessage: '000201', qrLog: [] });
    expect(pendingOf(story, 'provider.listen')).toEqual({
      paymentId: pay(1),
      provider: 'qr_a',
      lookupReference: prn,
      socketUrl,
    });
    expect(story.timer('expiry')).toBe(deadline);
  });

  test('when the provider refuses, only a tombstone is kept, which answers "not found"', () => {
    const story = refused();
    expect(story.doc?.gone).toBe(true);
    expect([story.events, story.notes, story.pending]).toEqual([[], [], []]);
    story.when('openDirectQr', { order: directQr, paymentId: pay(1), lifeMs });
    expect(story.last.outcome).toMatchObject({ is: 'refused', code: 'not_found' });
    expect(story.pending).toEqual([]);
  });

  test('when the provider refuses our credentials, that is kept for a minute, for whoever asked', () => {
    const story = asked().settle('provider.start', {
      paymentId: pay(1),
      durationMs: 90,
      answer: { outcome: 'failed', message: 'Invalid Merchant Code', refused: true },
    });
    expect(story.state).toMatchObject({ status: 'hidden', startRefused: true });
    expect(story.view).toEqual({ id: sessionId });
    expect([story.events, story.notes, story.pending]).toEqual([[], [], []]);
    story.when('openDirectQr', { order: directQr, paymentId: pay(1), lifeMs });
    expect([story.last.outcome.is, story.pending]).toEqual(['ok', []]);
    expect(story.wait(minutes(1)).doc?.gone).toBe(true);
  });

  test('a code that arrives after its own deadline is not kept, because no buyer saw it', () => {
    const story = asked();
    story.now = deadline;
    expect(story.settle('provider.start', answer).doc?.gone).toBe(true);
  });
});

describe('a QR attempt on the hosted page', () => {
  const picked = (change: Partial<Order> = {}) =>
    picks(created({ ...change }), 1, 'qr_a').settle('provider.start', answer);

  /** Its three minutes are over, every look-up so far was answered, and the last one is under way. */
  const over = (change: Partial<Order> = {}) => {
    const story = polled(picked(change), 'pending');
    expect(story.timer(`attempt/${pay(1)}`)).toBe(opened + minutes(3));
    story.now = opened + minutes(3);
    return story.when('attemptOver', { key: pay(1) });
  };

  test('lasts three minutes and gets one last look-up; then the buyer chooses again, and late money still counts', () => {
    const story = over();
    expect(story.view).toMatchObject({ status: 'initiated' });
    expect(lookupsInFlight(story)).toMatchObject([{ cause: 'attemptEnd' }]);
    says(story, 'pending');
    expect(story.view).toMatchObject({ status: 'pending', provider: null });
    expect(paymentIn(story)).toMatchObject({ status: 'cancelled', failure: { code: 'attempt_expired' } });
    expect(sessionOf(story).qrLog).toEqual([]);
    says(story.wait(seconds(30)), 'paid', paid);
    expect(story.view).toMatchObject({ status: 'success', late: false });
  });

  test('when the last look-up finds it paid, no failure is reported and no other choice is offered', () => {
    const story = over();
    says(story, 'paid', paid);
    expect(story.view).toMatchObject({ status: 'success', late: false });
    expect(allEvents(story)).toEqual(['checkout.created', 'payment.succeeded']);
  });

  test('the wait for the last look-up ends after 10 s', () => {
    const story = over();
    expect(story.timer('lookOver')).toBe(opened + minutes(3) + seconds(10));
    story.wait(seconds(10));
    expect(story.view).toMatchObject({ status: 'pending', provider: null });
  });

  test('a look-up requested before the end does not count as the last one', () => {
    const story = picked().wait(seconds(3));
    expect(lookupsInFlight(story)).toMatchObject([{ cause: 'poll' }]);
    story.now = opened + minutes(3);
    story.when('attemptOver', { key: pay(1) });
    says(story, 'pending');
    expect(story.view).toMatchObject({ status: 'initiated' });
    expect(lookupsInFlight(story)).toMatchObject([{ cause: 'attemptEnd' }]);
  });

  test('a buyer who picks another provider during the last look-up gets it right after that', () => {
    const story = picks(over(), 2);
    expect(lookupsInFlight(story)).toHaveLength(1);
    expect(story.view).toMatchObject({ status: 'initiated', provider: 'qr_a' });
    says(story, 'pending');
    expect(story.view).toMatchObject({ status: 'initiated', provider: 'wallet_b' });
    expect(paymentIn(story)).toMatchObject({ failure: { code: 'superseded' } });
  });

  test('a buyer who requests the same code during the last look-up waits for its result', () => {
    const story = picks(over(), 2, 'qr_a');
    expect(lookupsInFlight(story)).toHaveLength(1);
    says(story, 'pending');
    expect(story.view).toMatchObject({ status: 'pending', attempts: 1 });
  });

  test('in a redirect session ends the session when it ends', () => {
    const story = over({ flow: 'redirect', preselected: 'qr_a' });
    says(story, 'pending');
    expect(story.view).toMatchObject({ status: 'expired' });
  });

  test('never outlives its session', () => {
    const story = given(checkoutSession, { id: sessionId, scope, now: opened }).when('open', {
      order,
      lifeMs: minutes(2),
    });
    expect(
      picks(story, 1, 'qr_a')
        .settle('provider.start', answer)
        .timer(`attempt/${pay(1)}`),
    ).toBeNull();
  });

  const poor = { failureCode: 'insufficient_funds' } as const;

  test('that the provider calls failed goes on until its three minutes are over: the buyer may scan again', () => {
    const story = polled(polled(picked(), 'failed', poor), 'failed');
    expect(story.view).toMatchObject({ status: 'initiated', provider: 'qr_a' });
    expect(paymentIn(story)).toMatchObject({ status: 'pending', failure: null });
    expect(allEvents(story)).toEqual(['checkout.created']);
    says(story.wait(seconds(3)), 'paid', paid);
    expect(story.view).toMatchObject({ status: 'success', late: false });
  });

  test('that was refused fails at its end with the code that was told last, whatever the last look-up says', () => {
    const ended = (last: (story: SessionStory) => void): SessionStory => {
      const story = polled(polled(picked(), 'failed'), 'failed', poor);
      story.now = opened + minutes(3);
      story.when('attemptOver', { key: pay(1) });
      last(story);
      return story;
    };
    const ends = [
      ended((story) => says(story, 'pending')),
      ended((story) => says(story, 'pending', { answered: false })),
      ended((story) => void story.wait(seconds(10))),
      ended((story) => says(story, 'failed', poor)),
    ];
    for (const story of ends) {
      expect(story.view).toMatchObject({ status: 'pending', provider: null });
      expect(paymentIn(story)).toMatchObject({ status: 'failed', failure: { code: 'insufficient_funds' } });
    }
    expect(ended((story) => says(story, 'failed')).view).toMatchObject({ status: 'pending' });
    // money still counts afterwards
    const late = ended((story) => says(story, 'pending'));
    says(late.wait(seconds(30)), 'paid', paid);
    expect(late.view).toMatchObject({ status: 'success' });
  });

  test('that was refused ends a redirect session as failed, at its end', () => {
    const story = over({ flow: 'redirect', preselected: 'qr_a' });
    says(story, 'failed');
    expect(story.view).toMatchObject({ status: 'failed' });
  });

  test('that was refused makes room for another provider when the buyer picks one', () => {
    const story = picks(polled(picked(), 'failed'), 2);
    says(story, 'failed');
    expect(story.view).toMatchObject({ status: 'initiated', provider: 'wallet_b' });
    expect(paymentIn(story)).toMatchObject({ status: 'cancelled', failure: { code: 'superseded' } });
  });
});
