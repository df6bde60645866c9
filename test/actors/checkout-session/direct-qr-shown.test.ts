/** Direct-QR before and after its provider's answer: seen by nobody, then by everybody, or by nobody ever. */
import { describe, expect, test } from 'vitest';
import type { Order } from '../../../actors/checkout-session/messages.ts';
import { checkoutSession } from '../../../actors/checkout-session/session.ts';
import { given } from '../../../src/runtime/test-runner.ts';
import {
  allEvents,
  minutes,
  opened,
  order,
  pay,
  paymentIn,
  pendingOf,
  says,
  scope,
  sessionId,
  sessionOf,
  picks,
  created,
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
  test('nobody sees it: no source to list it by, no event, no payment row, no timer', () => {
    const story = asked();
    expect(status(story)).toBe('hidden');
    expect(story.state.source).toBeNull();
    expect(story.view).toEqual({ id: sessionId });
    expect(story.rows('payment')).toEqual([]);
    expect(story.rows('hidden_payment')).toMatchObject([{ id: pay(1), provider: 'qr_a', sessionId }]);
    expect([story.events, story.notes, story.doc?.timers]).toEqual([[], [], []]);
  });

  test.each(['expire', 'cancel'] as const)('it cannot be told to %s', (command) => {
    const story = asked().when(command, {});
    expect(story.last.outcome).toMatchObject({ is: 'refused', code: 'not_found' });
  });

  test('no hint and no start reaches it', () => {
    expect(tells(asked(), 'scan').last.outcome).toMatchObject({ is: 'refused', code: 'not_found' });
    const start = { paymentId: pay(2), provider: 'qr_a', variant: null } as const;
    expect(asked().when('start', start).last.outcome).toMatchObject({ is: 'refused' });
  });

  test('asked for again it is the same one', () => {
    const again = { order: directQr, paymentId: pay(2), lifeMs };
    const story = asked().when('openDirectQr', again);
    expect(story.last.outcome.is).toBe('ok');
    expect(story.pending).toHaveLength(1);
  });

  test('answered, session and payment are there together, with one event', () => {
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

  test('refused, nothing is kept but a tombstone that answers nobody', () => {
    const story = refused();
    expect(story.doc?.gone).toBe(true);
    expect([story.events, story.notes, story.pending]).toEqual([[], [], []]);
    story.when('openDirectQr', { order: directQr, paymentId: pay(1), lifeMs });
    expect(story.last.outcome).toMatchObject({ is: 'refused', code: 'not_found' });
    expect(story.pending).toEqual([]);
  });

  test('a code that comes after its own deadline was seen by nobody and is not kept', () => {
    const story = asked();
    story.now = deadline;
    expect(story.settle('provider.start', answer).doc?.gone).toBe(true);
  });
});

describe('a QR attempt on the hosted page', () => {
  const picked = (change: Partial<Order> = {}) =>
    picks(created({ ...change }), 1, 'qr_a').settle('provider.start', answer);

  test('has three minutes of its own; then the buyer chooses again, and late money still counts', () => {
    const story = picked();
    expect(story.timer(`attempt/${pay(1)}`)).toBe(opened + minutes(3));
    story.wait(minutes(3));
    expect(story.view).toMatchObject({ status: 'pending', provider: null });
    expect(paymentIn(story)).toMatchObject({ status: 'cancelled', failure: { code: 'attempt_expired' } });
    expect(sessionOf(story).qrLog).toEqual([]);
    says(story, 'paid', paid);
    expect(story.view).toMatchObject({ status: 'success', late: false });
  });

  test('of a redirect ends the session with it', () => {
    const story = picked({ flow: 'redirect', preselected: 'qr_a' }).wait(minutes(3));
    expect(story.view).toMatchObject({ status: 'expired' });
  });

  test('ends no later than its session', () => {
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

  test('a provider that declines leads back to the chooser at once', () => {
    expect(polled(picked(), 'failed').view).toMatchObject({ status: 'pending' });
  });
});
