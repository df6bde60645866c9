import { describe, expect, test } from 'vitest';
import {
  allEvents,
  comesBack,
  created,
  expiresAt,
  inStatus,
  lastEvents,
  learns,
  lookupsInFlight,
  minutes,
  pay,
  paymentIn,
  picks,
  redirect,
  running,
  says,
  seconds,
  staysSilent,
  type SessionStory,
} from './buyer.ts';

/** A running attempt that is answered `pending` at every look-up until the session's time is up. */
function untilExpiry(story: SessionStory): SessionStory {
  while (story.now < expiresAt) {
    const poll = story.timer(`poll/${pay(1)}`) ?? Infinity;
    if (poll >= expiresAt) return story.wait(expiresAt - story.now);
    learns(story, 1, 'pending');
  }
  return story;
}

describe('the merchant expires', () => {
  test('a pending session at once', () => {
    const story = created().when('expire', {});
    expect(story.view).toMatchObject({ status: 'expired', provider: null, sequence: 2 });
    expect(lastEvents(story)).toEqual(['checkout.expired']);
    expect(story.doc?.timers).toEqual([]);
  });

  test('an initiated session at once, and its attempt with it', () => {
    const story = running(created()).when('expire', {});
    expect(story.view).toMatchObject({ status: 'expired', provider: 'wallet_b', paymentId: null });
    expect(paymentIn(story)).toMatchObject({ status: 'cancelled', failure: { code: 'session_expired' } });
    expect(lastEvents(story)).toEqual(['payment.failed', 'payment.cancelled', 'checkout.expired']);
    expect(story.last.events.map(({ data }) => data.sequence)).toEqual([2, 2, 3]);
  });

  test.each(['success', 'failed', 'cancelled', 'expired'] as const)(
    'a session that is %s: the call succeeds and nothing changes',
    (status) => {
      const story = inStatus[status]();
      const before = story.state;
      story.when('expire', {});
      expect(story.last.outcome.is).toBe('ok');
      expect(story.state).toEqual(before);
      expect(lastEvents(story)).toEqual([]);
    },
  );

  test('a session during its last look-up at once', () => {
    const story = untilExpiry(running(created())).when('expire', {});
    expect(story.state.status).toBe('expired');
    expect(says(story, 'paid').view).toMatchObject({ status: 'success', late: true });
  });
});

describe('the buyer cancels', () => {
  test('a pending session', () => {
    const story = created().when('cancel', {});
    expect(story.state.status).toBe('cancelled');
    expect(lastEvents(story)).toEqual(['checkout.cancelled']);
  });

  test('an initiated session, and its attempt with it', () => {
    const story = running(created()).when('cancel', {});
    expect(story.state.status).toBe('cancelled');
    expect(paymentIn(story)).toMatchObject({ status: 'cancelled', failure: { code: 'user_cancelled' } });
    expect(lastEvents(story)).toEqual(['payment.failed', 'payment.cancelled', 'checkout.cancelled']);
  });

  test.each(['success', 'failed', 'cancelled', 'expired'] as const)(
    'but not a session that is %s',
    (status) => {
      const story = inStatus[status]();
      const before = story.state;
      story.when('cancel', {});
      expect(story.last.outcome).toMatchObject({ is: 'refused', code: 'invalid_state' });
      expect(story.state).toEqual(before);
    },
  );

  test('while a change of provider waits: the planned attempt never starts', () => {
    const story = picks(running(created()), 2, 'qr_a').when('cancel', {});
    expect(says(story, 'pending').view).toMatchObject({ status: 'cancelled', attempts: 1 });
  });
});

describe('when the time is up', () => {
  test('a pending session expires at its instant', () => {
    const story = created().wait(minutes(30));
    expect(story.view).toMatchObject({ status: 'expired', updatedAt: '2026-11-20T09:45:00.000Z' });
    expect(lastEvents(story)).toEqual(['checkout.expired']);
  });

  test('an attempt that the provider never opened is not looked up', () => {
    const story = picks(created(), 1).wait(minutes(30));
    expect(story.state.status).toBe('expired');
    expect(paymentIn(story)).toMatchObject({ status: 'cancelled', failure: { code: 'session_expired' } });
  });

  test('a running attempt is looked up one last time', () => {
    const story = untilExpiry(running(created()));
    expect(story.state.status).toBe('initiated');
    expect(lookupsInFlight(story)).toMatchObject([{ paymentId: pay(1), cause: 'lastLook' }]);
    expect(story.timer('lookOver')).toBe(expiresAt + seconds(10));
    expect(story.timer('expiry')).toBeNull();
  });

  test('money found by the last look-up is in time', () => {
    const story = says(untilExpiry(running(created())), 'paid');
    expect(story.view).toMatchObject({ status: 'success', late: false });
    expect(paymentIn(story).late).toBe(false);
  });

  test.each(['pending', 'not_found', 'ambiguous', 'refunded'] as const)(
    'a last look-up that says %s expires it',
    (outcome) => {
      const story = says(untilExpiry(running(created())), outcome);
      expect(story.state.status).toBe('expired');
      expect(paymentIn(story)).toMatchObject({ status: 'cancelled', failure: { code: 'session_expired' } });
      expect(lastEvents(story)).toEqual(['payment.failed', 'payment.cancelled', 'checkout.expired']);
      expect(story.view['needsReview']).toBe(outcome === 'ambiguous' || outcome === 'refunded');
    },
  );

  test('a last look-up that says declined fails the payment and expires the session', () => {
    const story = says(untilExpiry(running(created())), 'failed');
    expect(story.state.status).toBe('expired');
    expect(paymentIn(story)).toMatchObject({ status: 'failed', failure: { code: 'declined' } });
    expect(lastEvents(story)).toEqual(['payment.failed', 'checkout.expired']);
  });

  test('without an answer it expires after ten seconds at the latest', () => {
    expect(staysSilent(untilExpiry(running(created()))).state.status).toBe('expired');
    const hung = untilExpiry(running(created())).wait(seconds(10));
    expect(hung.state.status).toBe('expired');
    expect(hung.view['updatedAt']).toBe('2026-11-20T09:45:10.000Z');
  });

  test('an answer that arrives after that is treated as late money', () => {
    const story = says(untilExpiry(running(created())).wait(seconds(10)), 'paid');
    expect(story.view).toMatchObject({ status: 'success', late: true });
    expect(paymentIn(story).late).toBe(true);
  });

  test('a start during the last look-up is refused, as on an ended session', () => {
    const story = picks(untilExpiry(running(created())), 2, 'qr_a');
    expect(story.last.outcome).toMatchObject({ is: 'refused', code: 'invalid_state' });
    expect(story.view['attempts']).toBe(1);
  });

  test('cancelling during the last look-up acts at once', () => {
    const story = untilExpiry(running(created())).when('cancel', {});
    expect(story.state.status).toBe('cancelled');
    expect(paymentIn(story).failure?.code).toBe('user_cancelled');
  });

  test('a look-up already in flight does not count as the last one: a fresh one follows', () => {
    const story = running(created()).wait(minutes(30) - 10);
    says(comesBack(story), 'pending', {}, 1);
    const late = comesBack(story.wait(0)).wait(10);
    expect(late.now).toBe(expiresAt);
    says(late, 'pending');
    expect(lookupsInFlight(late)).toMatchObject([{ cause: 'lastLook' }]);
    expect(says(late, 'pending').state.status).toBe('expired');
  });

  test('a pending change of provider is dropped for the last look-up', () => {
    const story = running(created());
    while ((story.timer(`poll/${pay(1)}`) ?? Infinity) < expiresAt) learns(story, 1, 'pending');
    picks(story.wait(expiresAt - story.now - seconds(1)), 2, 'qr_a').wait(seconds(1));
    says(story, 'pending');
    says(story, 'pending');
    expect(story.view).toMatchObject({ status: 'expired', attempts: 1 });
  });

  test('a redirect session expires like a hosted one', () => {
    expect(says(untilExpiry(running(created(redirect))), 'pending').state.status).toBe('expired');
  });

  test.each(['success', 'failed', 'cancelled', 'expired'] as const)(
    'nothing happens to a session that is %s',
    (status) => {
      const story = inStatus[status]();
      const before = story.state;
      story.when('expiryReached', { key: '' }).when('lookupTimedOut', { key: '' });
      expect(story.state).toEqual(before);
    },
  );

  test('a timeout of a wait that has ended changes nothing', () => {
    for (const story of [created(), running(created())]) {
      const before = story.state;
      story.when('lookupTimedOut', { key: '' });
      expect(story.state).toEqual(before);
    }
    const waiting = untilExpiry(running(created()));
    const before = waiting.state;
    waiting.when('expiryReached', { key: '' });
    expect(waiting.state).toEqual(before);
  });
});

test('checkout.expired is emitted once, whatever follows', () => {
  const story = created().when('expire', {}).when('expire', {}).wait(minutes(60));
  expect(allEvents(story)).toEqual(['checkout.created', 'checkout.expired']);
});
