import { describe, expect, test } from 'vitest';
import {
  allEvents,
  comesBack,
  created,
  declines,
  inStatus,
  lastEvents,
  learns,
  minutes,
  pay,
  paymentIn,
  picks,
  pollsNow,
  redirect,
  running,
  says,
  seconds,
  staysSilent,
  type SessionStory,
} from './buyer.ts';

const nearly = (actual: number, wanted: number): void => {
  expect(Math.abs(actual - wanted)).toBeLessThanOrEqual(wanted / 10);
};

describe('money that arrives after the end', () => {
  test.each(['failed', 'cancelled', 'expired'] as const)(
    'makes a %s session success, late, once',
    (status) => {
      const story = learns(inStatus[status](), 1, 'paid');
      expect(story.view).toMatchObject({
        status: 'success',
        late: true,
        paymentId: pay(1),
        provider: 'wallet_b',
      });
      expect(paymentIn(story)).toMatchObject({
        status: 'success',
        late: true,
        duplicate: false,
        failure: null,
      });
      expect(lastEvents(story)).toEqual(['payment.succeeded']);
      expect(story.last.events[0]?.data).toMatchObject({ status: 'success', late: true, failureCode: null });
      expect(story.doc?.timers).toEqual([]);
    },
  );

  test('is found 2 min, 10 min, 60 min, 6 h or 24 h after it, and not looked up any more after that', () => {
    const story = inStatus.expired();
    const over = story.now;
    for (const wanted of [minutes(2), minutes(10), minutes(60), minutes(360), minutes(1440)]) {
      nearly((story.timer(`poll/${pay(1)}`) ?? 0) - over, wanted);
      learns(story, 1, 'pending');
    }
    expect(story.timer(`poll/${pay(1)}`)).toBeNull();
  });

  test('of a QR attempt is also looked up after 30 s', () => {
    const story = picks(created(), 1, 'qr_a');
    story
      .settle('provider.start', {
        paymentId: pay(1),
        durationMs: 10,
        answer: {
          outcome: 'started',
          lookupReference: 'ref',
          providerExpiresAt: null,
          instructions: { kind: 'qr', method: 'GET', url: '', fields: {} },
        },
      })
      .when('expire', {});
    nearly((story.timer(`poll/${pay(1)}`) ?? 0) - story.now, seconds(30));
  });

  test('is looked up for all attempts of the session', () => {
    const story = running(declines(running(created())), 2).when('expire', {});
    for (const n of [1, 2]) nearly((story.timer(`poll/${pay(n)}`) ?? 0) - story.now, minutes(2));
    expect(learns(story, 1, 'paid').view).toMatchObject({ status: 'success', paymentId: pay(1), late: true });
  });

  test("is looked up on the schedule of the session's end, although a hint arrived in between", () => {
    const story = inStatus.expired();
    const over = story.now;
    says(comesBack(story.wait(seconds(60))), 'pending');
    nearly((story.timer(`poll/${pay(1)}`) ?? 0) - over, minutes(2));
  });

  test('is looked up step by step when several look-ups are overdue', () => {
    const story = inStatus.expired();
    story.now += minutes(200);
    for (let late = 0; late < 3; late++) {
      expect(story.timer(`poll/${pay(1)}`)).toBeLessThanOrEqual(story.now);
      says(story.fire(`poll/${pay(1)}`), 'pending');
    }
    expect(story.timer(`poll/${pay(1)}`)).toBeGreaterThan(story.now);
  });
});

describe('money that comes twice', () => {
  const twicePaid = (): SessionStory => {
    const story = says(picks(running(created()), 2, 'qr_a'), 'pending');
    story.settle('provider.start', {
      paymentId: pay(2),
      durationMs: 10,
      answer: {
        outcome: 'started',
        lookupReference: 'second',
        providerExpiresAt: null,
        instructions: { kind: 'qr', method: 'GET', url: '', fields: {} },
      },
    });
    learns(story, 2, 'paid');
    return learns(story, 1, 'paid');
  };

  test('is a duplicate: reported once as such, the session unchanged', () => {
    const story = twicePaid();
    expect(lastEvents(story)).toEqual(['payment.duplicate', 'refund.created']);
    expect(story.view).toMatchObject({ status: 'success', paymentId: pay(2), late: false, provider: 'qr_a' });
    expect(paymentIn(story, 1)).toMatchObject({ status: 'success', duplicate: true, late: true });
    expect(paymentIn(story, 2)).toMatchObject({ status: 'success', duplicate: false });
    expect(allEvents(story)).toEqual([
      'checkout.created',
      'payment.succeeded',
      'payment.duplicate',
      'refund.created',
    ]);
  });

  test("does not change the session's sequence", () => {
    const story = twicePaid();
    const sequence = story.view['sequence'];
    says(comesBack(story.wait(seconds(2)), 1), 'paid');
    expect(story.view['sequence']).toBe(sequence);
    expect(lastEvents(story)).toEqual([]);
  });

  test('is looked up after a success: the other attempts have their late look-ups', () => {
    const story = learns(running(declines(running(created())), 2), 2, 'paid');
    expect(story.timer(`poll/${pay(2)}`)).toBeNull();
    nearly((story.timer(`poll/${pay(1)}`) ?? 0) - story.now, minutes(2));
    const before = story.view;
    for (const outcome of ['pending', 'not_found', 'failed'] as const) learns(story, 1, outcome);
    staysSilent(pollsNow(story));
    expect(story.view).toEqual(before);
    expect(lastEvents(learns(story, 1, 'paid'))).toEqual(['payment.duplicate', 'refund.created']);
    expect(paymentIn(story, 1).late).toBe(true);
  });

  test('for the same payment counts once', () => {
    const story = says(comesBack(inStatus.success().wait(seconds(2))), 'paid');
    expect(allEvents(story)).toEqual(['checkout.created', 'payment.succeeded']);
  });
});

test('a fifth attempt paid late is found: all five are looked up', () => {
  const story = created();
  for (let n = 1; n <= 5; n++) declines(running(story, n), n);
  expect(story.state.status).toBe('failed');
  expect(story.doc?.timers.map(({ name }) => name).sort()).toEqual(
    [1, 2, 3, 4, 5].map((n) => `poll/${pay(n)}`),
  );
  expect(learns(story, 3, 'paid').view).toMatchObject({ status: 'success', paymentId: pay(3), late: true });
});

test('a redirect session paid late shows its payment', () => {
  const story = learns(running(created(redirect)).when('expire', {}), 1, 'paid');
  expect(story.view).toMatchObject({ status: 'success', paymentId: pay(1), late: true });
});
