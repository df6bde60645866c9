import { describe, expect, test } from 'vitest';
import {
  allEvents,
  comesBack,
  created,
  declines,
  inStatus,
  lastEvents,
  lookupsInFlight,
  minutes,
  opens,
  order,
  pay,
  paymentIn,
  pendingOf,
  picks,
  pidx,
  pollsNow,
  redirect,
  refusesStart,
  running,
  says,
  scope,
  seconds,
  sessionId,
  staysSilent,
} from './buyer.ts';

describe('a new session', () => {
  test('is pending, emits its event once, and expires at its time', () => {
    const story = created();
    expect(story.state.status).toBe('pending');
    expect(allEvents(story)).toEqual(['checkout.created']);
    expect(story.events[0]?.data).toEqual(story.view);
    expect(story.timer('expiry')).toBe(story.state.expiresAt);
    expect(story.view).toMatchObject({ provider: null, paymentId: null, attempts: 0, sequence: 1 });
  });

  test('is created once if opened twice', () => {
    const story = created().when('open', { order: { ...order, amount: 999_900 }, lifeMs: 0 });
    expect(story.last.outcome.is).toBe('ok');
    expect(story.state.order.amount).toBe(order.amount);
    expect(allEvents(story)).toEqual(['checkout.created']);
  });

  test('with a redirect flow has its provider from the beginning', () => {
    expect(created(redirect).view['provider']).toBe('wallet_b');
  });

  test('with a hosted flow does not show a preselected provider until the buyer starts', () => {
    const story = created({ preselected: 'wallet_b' });
    expect(story.view['provider']).toBeNull();
    expect(picks(story, 1).view['provider']).toBe('wallet_b');
  });

  test('of an invoice emits no checkout events, from creation to its end', () => {
    const story = running(created({ source: 'invoice' })).when('expire', {});
    expect(story.state.status).toBe('expired');
    expect(allEvents(story)).toEqual(['payment.failed', 'payment.cancelled']);
  });
});

describe('a buyer who picks a provider', () => {
  test('has a running attempt, and our start call is requested', () => {
    const story = picks(created(), 1);
    expect(story.last.outcome).toMatchObject({ is: 'ok', detail: { paymentId: pay(1) } });
    expect(story.view).toMatchObject({
      status: 'initiated',
      provider: 'wallet_b',
      paymentId: pay(1),
      attempts: 1,
      sequence: 2,
    });
    expect(paymentIn(story)).toMatchObject({
      status: 'pending',
      legs: [{ instructions: null }],
      sequence: 1,
    });
    expect(story.last.effects.map(({ kind }) => kind)).toEqual(['provider.start']);
    expect(pendingOf(story, 'provider.start')).toMatchObject({
      paymentId: pay(1),
      provider: 'wallet_b',
      amount: 125050,
    });
    expect(lastEvents(story)).toEqual([]);
  });

  test('gets instructions once the provider answers, and is polled from then on', () => {
    const story = running(created());
    expect(paymentIn(story)).toMatchObject({
      status: 'pending',
      legs: [{ lookupReference: pidx(pay(1)), instructions: { kind: 'redirect' } }],
      sequence: 1,
    });
    const first = (story.timer(`poll/${pay(1)}`) ?? 0) - story.now;
    expect(first).toBeGreaterThanOrEqual(seconds(3));
    expect(first).toBeLessThanOrEqual(seconds(3.3));
  });

  test('and sends the same start again still has one attempt', () => {
    for (const story of [picks(picks(created(), 1), 1), picks(running(created()), 1)]) {
      expect(story.last.outcome).toMatchObject({ is: 'ok', detail: { paymentId: pay(1) } });
      expect(story.view['attempts']).toBe(1);
      expect(story.last.effects).toEqual([]);
    }
  });

  test("that the redirect flow does not offer goes to the merchant's provider", () => {
    const story = picks(created(redirect), 1, 'wallet_a');
    expect(pendingOf(story, 'provider.start').provider).toBe('wallet_b');
  });

  test('may enter an address, which the session then shows', () => {
    const customerAddress = {
      line1: 'Lazimpat 5',
      line2: null,
      city: 'Kathmandu',
      state: null,
      postalCode: null,
      country: null,
    };
    const story = created({ collectAddress: true }).when('start', {
      paymentId: pay(1),
      provider: 'wallet_b',
      variant: null,
      customerAddress,
    });
    expect(story.view['customerAddress']).toEqual(customerAddress);
  });

  test('on an ended session is refused and nothing changes', () => {
    for (const status of ['success', 'failed', 'cancelled', 'expired'] as const) {
      const story = inStatus[status]();
      const before = story.state;
      picks(story, 2);
      expect(story.last.outcome).toMatchObject({ is: 'refused', code: 'invalid_state' });
      expect(story.state).toEqual(before);
    }
  });
});

describe('a start call the provider refuses', () => {
  test('fails the payment and gives the buyer another try', () => {
    const story = refusesStart(picks(created(), 1));
    expect(story.state.status).toBe('pending');
    expect(story.view).toMatchObject({ provider: null, paymentId: null, attempts: 1 });
    expect(paymentIn(story)).toMatchObject({
      status: 'failed',
      failure: { code: 'provider_error', reason: 'Invalid token.' },
      sequence: 2,
    });
    expect(lastEvents(story)).toEqual(['payment.failed']);
    expect(story.timer(`poll/${pay(1)}`)).toBeNull();
  });

  test('gives a redirect buyer another try too, with the same provider', () => {
    const story = refusesStart(picks(created(redirect), 1));
    expect(story.view).toMatchObject({ status: 'pending', provider: 'wallet_b' });
    expect(opens(picks(story, 2)).view).toMatchObject({ status: 'initiated', paymentId: pay(2) });
  });

  test('for the fifth time ends the session as failed', () => {
    const story = created();
    for (let n = 1; n <= 5; n++) refusesStart(picks(story, n));
    expect(story.view).toMatchObject({ status: 'failed', attempts: 5, provider: 'wallet_b' });
    expect(allEvents(story).filter((type) => type === 'payment.failed')).toHaveLength(5);
    expect(story.doc?.timers).toEqual([]);
  });

  test('whose outcome cannot be known counts as refused: no buyer has its instructions', () => {
    const story = picks(created(), 1);
    const unknown = story.actor.effects['provider.start'].unknown(pendingOf(story, 'provider.start'));
    story.settle('provider.start', unknown);
    expect(paymentIn(story)).toMatchObject({ status: 'failed', failure: { code: 'provider_error' } });
  });
});

describe('a buyer who picks the same provider again', () => {
  test('gets the same instructions before returning from the provider', () => {
    const story = picks(running(created()), 2);
    expect(story.last.outcome).toMatchObject({ is: 'ok', detail: { paymentId: pay(1) } });
    expect(story.view).toMatchObject({ attempts: 1, paymentId: pay(1) });
    expect(lookupsInFlight(story)).toEqual([]);
  });

  test('gets the attempt whose start call is still in flight', () => {
    expect(picks(picks(created(), 1), 2).last.outcome).toMatchObject({ detail: { paymentId: pay(1) } });
  });

  test('gets a new attempt after a return without a result', () => {
    const story = says(comesBack(running(created())), 'pending');
    picks(story, 2);
    expect(story.last.outcome).toMatchObject({ is: 'ok', detail: { paymentId: pay(2) } });
    expect(lookupsInFlight(story)).toMatchObject([{ paymentId: pay(1), cause: 'switch' }]);
    says(story, 'pending');
    expect(paymentIn(story, 1)).toMatchObject({ status: 'cancelled', failure: { code: 'superseded' } });
    expect(story.view).toMatchObject({ status: 'initiated', paymentId: pay(2), attempts: 2 });
  });

  test('in a redirect flow gets the same instructions whatever is sent, a new attempt after a return', () => {
    const story = picks(running(created(redirect)), 2, 'qr_a');
    expect(story.last.outcome).toMatchObject({ detail: { paymentId: pay(1) } });
    picks(says(comesBack(story), 'pending'), 3);
    says(story, 'pending');
    expect(story.view).toMatchObject({ provider: 'wallet_b', attempts: 2 });
  });
});

describe('a buyer who picks another provider', () => {
  test('waits for one look-up of the running attempt', () => {
    const story = picks(running(created()), 2, 'qr_a');
    expect(story.last.outcome).toMatchObject({ detail: { paymentId: pay(2) } });
    expect(lookupsInFlight(story)).toMatchObject([{ paymentId: pay(1), cause: 'switch' }]);
    expect(story.timer('lookOver')).toBe(story.now + seconds(3));
    expect(story.view).toMatchObject({ status: 'initiated', paymentId: pay(1), attempts: 1 });
  });

  test('is paid instead when that look-up finds the money', () => {
    const story = says(picks(running(created()), 2, 'qr_a'), 'paid');
    expect(story.view).toMatchObject({
      status: 'success',
      paymentId: pay(1),
      attempts: 1,
      provider: 'wallet_b',
    });
    expect(lastEvents(story)).toEqual(['payment.succeeded']);
    expect(story.pending).toEqual([]);
  });

  test('leaves the old attempt superseded, without an event to the shop', () => {
    const story = says(picks(running(created()), 2, 'qr_a'), 'pending');
    expect(paymentIn(story, 1)).toMatchObject({ status: 'cancelled', failure: { code: 'superseded' } });
    expect(story.view).toMatchObject({ status: 'initiated', provider: 'qr_a', paymentId: pay(2) });
    expect(lastEvents(story)).toEqual([]);
    expect(pendingOf(story, 'provider.start')).toMatchObject({ paymentId: pay(2), provider: 'qr_a' });
    expect(story.timer('lookOver')).toBeNull();
  });

  test('continues after three seconds without an answer', () => {
    const story = picks(running(created()), 2, 'qr_a').wait(seconds(3));
    expect(story.view).toMatchObject({ provider: 'qr_a', paymentId: pay(2) });
    expect(says(story, 'paid').view).toMatchObject({ status: 'success', paymentId: pay(1) });
    expect(paymentIn(story, 2)).toMatchObject({ status: 'cancelled', failure: { code: 'superseded' } });
    expect(allEvents(story)).toEqual(['checkout.created', 'payment.succeeded']);
  });

  test("also gets the old attempt's failure when the look-up finds one", () => {
    const story = says(picks(running(created()), 2, 'qr_a'), 'cancelled');
    expect(paymentIn(story, 1)).toMatchObject({ status: 'cancelled', failure: { code: 'user_cancelled' } });
    expect(lastEvents(story)).toEqual(['payment.failed', 'payment.cancelled']);
    expect(story.view).toMatchObject({ status: 'initiated', paymentId: pay(2) });
  });

  test('switches and leaves the old attempt under review when its money does not match', () => {
    const story = says(picks(running(created()), 2, 'qr_a'), 'paid', { amountPaisa: 124950 });
    expect(paymentIn(story, 1)).toMatchObject({ status: 'cancelled', needsReview: true });
    expect(story.view).toMatchObject({ status: 'initiated', paymentId: pay(2), needsReview: true });
  });

  test('and clicks twice has one new attempt, with the newest choice', () => {
    const story = picks(picks(running(created()), 2, 'qr_a'), 3, 'wallet_a');
    expect(story.last.outcome).toMatchObject({ detail: { paymentId: pay(2) } });
    says(story, 'pending');
    expect(story.view).toMatchObject({ attempts: 2, provider: 'wallet_a', paymentId: pay(2) });
  });

  test('and changes back at once keeps the running attempt', () => {
    const story = picks(picks(running(created()), 2, 'qr_a'), 3, 'wallet_b');
    expect(story.last.outcome).toMatchObject({ detail: { paymentId: pay(1) } });
    says(story, 'pending');
    expect(story.view).toMatchObject({ attempts: 1, paymentId: pay(1), provider: 'wallet_b' });
    expect(story.timer('lookOver')).toBeNull();
  });

  test('does not wait for an attempt whose start call is in flight; its late start is still followed up', () => {
    const story = picks(picks(created(), 1), 2, 'qr_a');
    expect(story.view).toMatchObject({ paymentId: pay(2), attempts: 2 });
    opens(story);
    expect(paymentIn(story, 1)).toMatchObject({
      status: 'cancelled',
      legs: [{ instructions: null, lookupReference: pidx(pay(1)) }],
    });
    expect(story.timer(`poll/${pay(1)}`)).toBe(story.now + seconds(30));
  });

  test('while a poll is in flight gets a fresh look-up if that poll has no result', () => {
    const story = pollsNow(running(created())).wait(100);
    picks(story, 2, 'qr_a');
    expect(lookupsInFlight(story)).toMatchObject([{ cause: 'poll' }]);
    says(story, 'pending');
    expect(lookupsInFlight(story)).toMatchObject([{ paymentId: pay(1), cause: 'switch' }]);
    says(story, 'pending');
    expect(story.view).toMatchObject({ paymentId: pay(2), attempts: 2 });
  });
});

describe('five attempts', () => {
  test('are the limit: a sixth start is refused and changes nothing', () => {
    const story = created();
    for (let n = 1; n <= 4; n++) declines(running(story, n), n);
    running(story, 5);
    const before = story.state;
    picks(story, 6, 'qr_a');
    expect(story.last.outcome).toMatchObject({ is: 'refused', code: 'attempts_exhausted' });
    expect(story.state).toEqual(before);
  });

  test('that all fail end a hosted session as failed', () => {
    const story = created();
    for (let n = 1; n <= 5; n++) declines(running(story, n), n);
    expect(story.view).toMatchObject({ status: 'failed', attempts: 5 });
    expect(allEvents(story)).toEqual(['checkout.created', ...Array<string>(5).fill('payment.failed')]);
  });
});

test('a start at the instant of the expiry is refused, although the timer has not fired yet', () => {
  for (const story of [created(), running(created())]) {
    story.now = story.state.expiresAt;
    const before = story.state;
    picks(story, 2, 'qr_a');
    expect(story.last.outcome).toMatchObject({ is: 'refused', code: 'invalid_state' });
    expect(story.state).toEqual(before);
  }
});

test('answers to a start that is not expected change nothing', () => {
  const story = running(created());
  const before = story.state;
  const answer = { outcome: 'failed', message: 'late' } as const;
  story.when('startAnswered', { paymentId: pay(1), answer, durationMs: 1 });
  story.when('startAnswered', { paymentId: pay(9), answer, durationMs: 1 });
  expect(story.state).toEqual(before);
});

test('an attempt opened after its session ended is looked up, and its instructions are given to nobody', () => {
  const story = opens(picks(created(), 1).when('cancel', {}));
  expect(paymentIn(story)).toMatchObject({ status: 'cancelled', legs: [{ instructions: null }] });
  const due = (story.timer(`poll/${pay(1)}`) ?? 0) - story.now;
  expect(Math.abs(due - minutes(2))).toBeLessThanOrEqual(seconds(12));
});

test('a start that fails after its session ended changes only the record', () => {
  const story = refusesStart(picks(created(), 1).when('cancel', {}));
  expect(paymentIn(story)).toMatchObject({ status: 'cancelled', failure: { code: 'user_cancelled' } });
  expect(lastEvents(story)).toEqual([]);
  expect(story.doc?.timers).toEqual([]);
});

test('a command from another scope does not find the session', () => {
  const story = created();
  const foreign = 'prj_pjc0e83mhrawse3s6h8bhrbw:live';
  expect(scope).not.toBe(foreign);
  story.when('expire', {}, { scope: foreign });
  expect(story.last.outcome).toMatchObject({ is: 'refused', code: 'not_found' });
  expect(story.given.id).toBe(sessionId);
});

test('a look-up without an answer leaves a first attempt pending', () => {
  const story = staysSilent(pollsNow(running(created())));
  expect(paymentIn(story).status).toBe('pending');
});
