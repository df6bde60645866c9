import { describe, expect, test } from 'vitest';
import { paymentLink } from '../../../actors/payment-link/payment-link.ts';
import { heldCount, heldMsMax, holdsSpanMs, recentMax } from '../../../actors/payment-link/holds.ts';
import { checkoutSession } from '../../../actors/checkout-session/session.ts';
import { hours, minutes } from '../../../src/kernel/time.ts';
import { given } from '../../support/simulated/test-runner.ts';
import { opened, orderOf, paid, reserved, sessionId, type LinkStory } from './selling.ts';

const codeOf = (story: LinkStory): string =>
  story.last.outcome.is === 'refused' ? story.last.outcome.code : story.last.outcome.is;

describe('a use is reserved', () => {
  test('by each running session, so that no more sessions run than uses are left', () => {
    const story = reserved(reserved(opened({ maxUses: 2 }), 1), 2);
    expect(codeOf(story)).toBe('ok');
    expect(codeOf(reserved(story, 3))).toBe('all_uses_reserved');
    expect(heldCount(story.state)).toBe(2);
  });

  test('until its session ends without money', () => {
    const story = reserved(opened({ maxUses: 1 }), 1);
    story.when('sessionOver', { held: orderOf(story).link.held });
    expect([heldCount(story.state), story.view['sequence']]).toEqual([0, 1]);
    expect(codeOf(reserved(story, 2))).toBe('ok');
  });

  test('until it succeeds: then it is used, and the link completed', () => {
    const story = reserved(opened({ maxUses: 1 }), 1);
    paid(story, orderOf(story).link.held);
    expect(story.state).toMatchObject({ status: 'completed', usedCount: 1, held: [] });
    expect(story.last.events).toMatchObject([
      { type: 'payment_link.paid', data: { status: 'completed', paymentId: 'pay_4t8z1m6q3x9k2v7b' } },
    ]);
    expect(codeOf(reserved(story, 2))).toBe('invalid_state');
  });

  test('until its session could not be opened', () => {
    const story = reserved(opened({ maxUses: 1 }), 1);
    story.refuse('openByLink', 'not_found');
    expect(heldCount(story.state)).toBe(0);
  });

  test('late money is counted above the limit, and takes no use of another session', () => {
    const story = reserved(opened({ maxUses: 1 }), 1);
    story.when('sessionOver', { held: orderOf(story).link.held });
    reserved(story, 2);
    paid(story, null);
    expect(story.state).toMatchObject({ status: 'completed', usedCount: 1 });
    expect(heldCount(story.state)).toBe(1);
    paid(story, orderOf(story).link.held);
    expect(story.state).toMatchObject({ status: 'completed', usedCount: 2, held: [] });
  });

  test('a limit that is lowered while buyers pay stops new ones; those who pay are all counted', () => {
    const story = reserved(reserved(opened({ maxUses: 3 }), 1), 2);
    const { held } = orderOf(story).link;
    story.when('change', { maxUses: 1 });
    expect(codeOf(reserved(story, 3))).toBe('all_uses_reserved');
    paid(paid(story, held), held);
    expect(story.state).toMatchObject({ status: 'completed', usedCount: 2, held: [] });
  });

  test('a form that is submitted twice reserves once, whatever the link has become', () => {
    const story = reserved(reserved(opened({ maxUses: 2 }), 1), 1);
    expect([codeOf(story), heldCount(story.state), story.last.tells.length]).toEqual(['ok', 1, 0]);
    expect(codeOf(reserved(story.when('change', { active: false }), 1))).toBe('ok');
    expect(codeOf(reserved(story, 2))).toBe('invalid_state');
  });

  test('a link that is switched off after its end stays so', () => {
    const story = opened({ expiresAt: opened().now + hours(1) }).wait(hours(1));
    expect(story.state.status).toBe('expired');
    story.when('change', { active: false }).wait(hours(1));
    expect([story.state.status, story.timer('expiry')]).toEqual(['inactive', null]);
  });

  test('a link whose time is over takes no buyer, even before its timer has fired', () => {
    const story = opened({ expiresAt: opened().now + hours(1) });
    story.now += hours(1);
    expect(codeOf(reserved(story, 1))).toBe('invalid_state');
  });
});

describe('the document of a link stays small', () => {
  test('however many sessions run: reservations are counted by the hour, and few sessions are remembered', () => {
    const story = opened();
    for (let n = 0; n < 200; n++) reserved(story, n);
    expect(story.state.held).toEqual([{ since: orderOf(story).link.held, count: 200 }]);
    expect(story.state.recent).toHaveLength(recentMax);
  });

  test('and what no session has reported within a day is free again', () => {
    const story = reserved(opened({ maxUses: 2 }), 1).wait(holdsSpanMs);
    reserved(story, 2);
    expect(codeOf(reserved(story, 3))).toBe('all_uses_reserved');
    story.wait(heldMsMax + minutes(1));
    expect(heldCount(story.state)).toBe(1);
    expect(codeOf(reserved(story, 3))).toBe('ok');
    story.wait(heldMsMax + 2 * holdsSpanMs);
    expect([story.state.held, story.timer('holds')]).toEqual([[], null]);
  });

  test('one entry for each hour, and never more than the time kept', () => {
    const story = opened();
    for (let hour = 0; hour < 100; hour++) reserved(story, hour).wait(holdsSpanMs);
    expect(story.state.held.length).toBeLessThanOrEqual(heldMsMax / holdsSpanMs + 1);
  });
});

describe('the amount', () => {
  const free = () => opened({ amount: null, minAmount: 10_000, maxAmount: 20_000 });

  test('is what the buyer enters, within the bounds', () => {
    expect(orderOf(reserved(free(), 1, 12_345)).amount).toBe(12_345);
    for (const wrong of [null, 9_999, 20_001])
      expect(codeOf(reserved(free(), 1, wrong))).toBe('amount_out_of_range');
  });

  test("of a fixed link is the link's, whatever is sent", () => {
    expect(orderOf(reserved(opened(), 1, 1)).amount).toBe(50_000);
  });
});

describe('its session', () => {
  const scope = opened().given.scope;
  const session = (story: LinkStory) =>
    given(checkoutSession, { id: sessionId(1), scope }).when('openByLink', {
      order: orderOf(story),
      lifeMs: minutes(30),
    });
  const reports = (of: ReturnType<typeof session>) =>
    of.tells.filter(({ to }) => to.startsWith(paymentLink.kind)).map(({ command }) => command);

  test('is opened with what the link says, and reports its end once', () => {
    const story = reserved(opened({ metadata: { course: 'pottery' }, collectAddress: true }), 1);
    const one = session(story);
    expect(one.view).toMatchObject({
      source: 'payment_link',
      amount: 50_000,
      description: 'Workshop seat',
      metadata: { course: 'pottery' },
      collectAddress: true,
      returnUrl: null,
    });
    one.wait(minutes(31));
    expect([one.state.status, reports(one)]).toEqual(['expired', ['sessionOver']]);
  });

  test('gives a use back that was reserved for it a second time', () => {
    const story = reserved(opened(), 1);
    const one = session(story).when('openByLink', { order: orderOf(story), lifeMs: minutes(30) });
    expect([one.state.status, one.view['sequence'], reports(one)]).toEqual(['pending', 1, ['sessionOver']]);
  });

  test('cannot be written for nodes that do not know links', () => {
    const state = session(reserved(opened(), 1)).state;
    for (const older of [1, 2, 3, 4]) expect(checkoutSession.downcast?.(state, older)).toBeNull();
  });
});
