import { describe, expect, test } from 'vitest';
import { lookupUnderWay, pageStatusOf, startProgressOf } from '../../../actors/checkout-session/page.ts';
import type { Order } from '../../../actors/checkout-session/order.ts';
import {
  comesBack,
  created,
  inStatus,
  opens,
  pay,
  pidx,
  picks,
  refusesStart,
  running,
  says,
  sessionId,
  type SessionStory,
  sessionOf,
} from './buyer.ts';

const next = (story: SessionStory): string | null => pageStatusOf(sessionOf(story), sessionId).next;

describe('the status body for the page', () => {
  test('of an open session has its status and no address to go to', () => {
    expect(pageStatusOf(sessionOf(running(created())), sessionId)).toEqual({
      status: 'initiated',
      provider: 'wallet_b',
      needsReview: false,
      expires_at: '2026-11-20T09:45:00.000Z',
      next: null,
    });
    expect(next(created())).toBeNull();
  });

  test.each(['success', 'failed', 'expired'] as const)(
    "of a session that is %s has the shop's return address",
    (status) => {
      expect(next(inStatus[status]())).toBe(
        `https://shop.example/return?session_id=${sessionId}&status=${status}`,
      );
    },
  );

  test('of a session that was not cancelled never has the cancel address', () => {
    for (const status of ['success', 'failed', 'expired'] as const) {
      expect(next(inStatus[status]({ cancelUrl: 'https://shop.example/basket' }))).toContain('/return?');
    }
  });

  test("of a cancelled session has the shop's cancel address unchanged", () => {
    expect(next(inStatus.cancelled({ cancelUrl: 'https://shop.example/basket?x=1' }))).toBe(
      'https://shop.example/basket?x=1',
    );
    expect(next(inStatus.cancelled())).toBe(
      `https://shop.example/return?session_id=${sessionId}&status=cancelled`,
    );
  });

  test.each([
    [
      'https://shop.example/r?order=5%20a&b',
      `https://shop.example/r?order=5%20a&b&session_id=${sessionId}&status=success`,
    ],
    [
      'https://shop.example/r#/done?x',
      `https://shop.example/r?session_id=${sessionId}&status=success#/done?x`,
    ],
    ['https://shop.example/r?', `https://shop.example/r?session_id=${sessionId}&status=success`],
    ['https://shop.example', `https://shop.example?session_id=${sessionId}&status=success`],
  ])('keeps query and fragment of %s', (returnUrl, back) => {
    expect(next(inStatus.success({ returnUrl } satisfies Partial<Order>))).toBe(back);
  });
});

describe('the progress of a start', () => {
  test('is under way, then has instructions', () => {
    const story = picks(created(), 1);
    expect(startProgressOf(sessionOf(story), pay(1))).toEqual({ is: 'under_way' });
    expect(startProgressOf(sessionOf(opens(story)), pay(1))).toEqual({
      is: 'instructions',
      provider: 'wallet_b',
      instructions: {
        kind: 'redirect',
        method: 'GET',
        url: `https://wallet-b.example/?pidx=${pidx(pay(1))}`,
        fields: {},
      },
    });
  });

  test('is under way during the look-up before a change of provider, and over when that look-up finds the money', () => {
    const story = picks(running(created()), 2, 'qr_a');
    expect(startProgressOf(sessionOf(story), pay(2))).toEqual({ is: 'under_way' });
    says(story, 'paid');
    expect(startProgressOf(sessionOf(story), pay(2))).toEqual({ is: 'over' });
  });

  test('reports that the provider did not open it', () => {
    const story = refusesStart(picks(created(), 1));
    expect(startProgressOf(sessionOf(story), pay(1))).toEqual({
      is: 'not_started',
      reason: 'Invalid token.',
    });
  });

  test('is over once the session has ended, its instructions with it', () => {
    expect(startProgressOf(sessionOf(running(created()).when('cancel', {})), pay(1))).toEqual({ is: 'over' });
  });
});

test('a return route sees whether its look-up is still under way', () => {
  const story = comesBack(running(created()));
  expect(lookupUnderWay(sessionOf(story), pay(1))).toBe(true);
  expect(lookupUnderWay(sessionOf(says(story, 'pending')), pay(1))).toBe(false);
  expect(lookupUnderWay(sessionOf(story), pay(2))).toBe(false);
});

test('a return from an attempt that was never opened waits for no look-up', () => {
  const story = comesBack(refusesStart(picks(created(), 1)));
  expect(story.last.outcome.is).toBe('ok');
  expect(lookupUnderWay(sessionOf(story), pay(1))).toBe(false);
});
