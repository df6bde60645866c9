/** Direct-QR: every row of the outcomes of docs/reference/session-states.md, in every state it can happen in. */
import { describe, expect, test } from 'vitest';
import { checkoutSession } from '../../../actors/checkout-session/session.ts';
import {
  allEvents,
  lastEvents,
  lookupsInFlight,
  opened,
  pay,
  paymentIn,
  says,
  seconds,
  sessionId,
  sessionOf,
  type SessionStory,
} from './buyer.ts';
import {
  deadline,
  prn,
  socketUrl,
  at,
  shown,
  tells,
  polled,
  paid,
  atDeadline,
  status,
  log,
  logged,
} from './qr-code.ts';

describe('a scan', () => {
  test('makes the payment processing and is logged once', () => {
    const story = tells(shown().wait(seconds(1)), 'scan');
    expect([status(story), paymentIn(story).status]).toEqual(['initiated', 'processing']);
    const scannedAt = at(opened + seconds(1));
    expect(log(story)).toEqual([{ n: 1, event: 'qr.scanned', data: { sessionId, scannedAt } }]);
    expect(JSON.stringify(log(tells(story.wait(seconds(1)), 'scan')))).toBe(JSON.stringify(log(story)));
    expect(allEvents(story)).toEqual(['checkout.created']);
  });

  test('triggers a look-up at once, but not sooner than a second after the last one', () => {
    const story = tells(shown(), 'scan');
    expect(lookupsInFlight(story)).toHaveLength(1);
    tells(says(story, 'pending'), 'socket');
    expect(lookupsInFlight(story)).toHaveLength(0);
    expect(lookupsInFlight(story.wait(seconds(1)))).toHaveLength(1);
  });

  test('is not reported after the end', () => {
    const over = shown().when('expire', {});
    expect(logged(tells(over, 'scan'))).toEqual(['1 qr.expired']);
  });
});

describe('a look-up that says paid, equal', () => {
  test('makes the session a success, reported on the stream in the same commit as the event', () => {
    const story = polled(shown(), 'paid', paid);
    expect([status(story), paymentIn(story).status]).toEqual(['success', 'success']);
    expect(lastEvents(story)).toEqual(['payment.succeeded']);
    expect(JSON.stringify(log(story))).toBe(
      JSON.stringify([
        {
          n: 1,
          event: 'qr.paid',
          data: {
            paymentId: pay(1),
            sessionId,
            amount: 125050,
            currency: 'NPR',
            provider: 'qr_a',
            traceId: '128391',
          },
        },
      ]),
    );
    expect(story.doc?.timers).toEqual([]);
  });

  test('row 76: the stream event and the webhook event are committed in one document, so both exist or neither', () => {
    const story = polled(shown(), 'paid', paid);
    const { out = [], body } = story.doc ?? {};
    const told = out.flatMap((row) => (row.type === 'event' ? [row.event] : []));
    expect(told.filter((event) => event === 'payment.succeeded')).toHaveLength(1);
    expect(body).toMatchObject({ status: 'success', qrLog: [{ n: 1, event: 'qr.paid' }] });
  });

  test('is the second event after a scan', () => {
    const story = says(tells(shown(), 'scan'), 'paid', paid);
    expect(logged(story)).toEqual(['1 qr.scanned', '2 qr.paid']);
  });

  test('without an amount counts as paid, because the code fixed the amount; a missing trace id is null', () => {
    const story = polled(shown(), 'paid', { amountPaisa: null, providerRef: null, traceId: null });
    expect(status(story)).toBe('success');
    expect(log(story)[0]).toMatchObject({ event: 'qr.paid', data: { traceId: null } });
  });

  test('reported a second time, or by socket and poll at once, emits nothing more', () => {
    const story = tells(polled(shown(), 'paid', paid), 'socket').wait(seconds(1));
    says(story, 'paid', paid);
    expect(allEvents(story)).toEqual(['checkout.created', 'payment.succeeded']);
    expect(logged(story)).toEqual(['1 qr.paid']);
  });

  test('at the deadline is paid, not expired', () => {
    const story = says(atDeadline(), 'paid', paid);
    expect([status(story), sessionOf(story).status === 'success' && paymentIn(story).late]).toEqual([
      'success',
      false,
    ]);
    expect(logged(story)).toEqual(['1 qr.paid']);
  });
});

describe('a provider that says no', () => {
  test.each(['failed', 'cancelled', 'expired'] as const)(
    '%s before the deadline changes nothing: the buyer may scan again',
    (outcome) => {
      const story = shown();
      const before = JSON.stringify([story.view, story.rows('payment')]);
      polled(story, outcome);
      expect(JSON.stringify([story.view, story.rows('payment')])).toBe(before);
      expect([log(story), lastEvents(story)]).toEqual([[], []]);
      // and polling goes on
      expect(status(polled(story, 'paid', paid))).toBe('success');
    },
  );

  test('at the deadline the payment failed, the session is expired', () => {
    const story = says(atDeadline(), 'failed');
    expect([status(story), paymentIn(story).status, paymentIn(story).failure?.code]).toEqual([
      'expired',
      'failed',
      'declined',
    ]);
    expect(lastEvents(story)).toEqual(['payment.failed', 'checkout.expired']);
    expect(log(story)).toEqual([{ n: 1, event: 'qr.expired', data: { sessionId, expiredAt: at(deadline) } }]);
  });

  test('a refusal before the deadline is not final', () => {
    const story = shown();
    while (story.now < deadline - seconds(1)) {
      story.wait(Math.min(seconds(3), deadline - seconds(1) - story.now));
      if (lookupsInFlight(story).length > 0 && story.now < deadline - seconds(4)) says(story, 'pending');
    }
    expect(lookupsInFlight(story)).toHaveLength(1);
    story.wait(seconds(2));
    says(story, 'failed');
    expect([status(story), lookupsInFlight(story).map(({ cause }) => cause)]).toEqual([
      'initiated',
      ['lastLook'],
    ]);
    expect(status(says(story, 'paid', paid))).toBe('success');
  });
});

describe('the deadline', () => {
  test.each([
    ['pending', {}],
    ['not_found', {}],
    ['pending', { answered: false }],
    ['ambiguous', {}],
  ] as const)('whose last look-up says %s %o expires it at that instant', (outcome, change) => {
    const story = atDeadline();
    story.wait(seconds(2));
    says(story, outcome, change);
    expect([status(story), paymentIn(story).status, paymentIn(story).closedFor?.code]).toEqual([
      'expired',
      'cancelled',
      'session_expired',
    ]);
    expect(lastEvents(story)).toEqual(['payment.failed', 'payment.cancelled', 'checkout.expired']);
    expect(log(story)).toEqual([{ n: 1, event: 'qr.expired', data: { sessionId, expiredAt: at(deadline) } }]);
  });

  test('waits ten seconds for the last look-up and no longer', () => {
    const story = atDeadline();
    expect(status(story.wait(seconds(10) - 1))).toBe('initiated');
    expect(status(story.wait(1))).toBe('expired');
    expect(log(story)).toMatchObject([{ event: 'qr.expired', data: { expiredAt: at(deadline) } }]);
  });

  test('never changes: polls are three seconds apart and the expiry stays', () => {
    const story = shown();
    const gaps = new Set<number>();
    for (let polls = 0; polls < 50; polls++) {
      const from = story.now;
      story.wait((story.timer(`poll/${pay(1)}`) ?? 0) - from);
      gaps.add(story.now - from);
      says(story, 'pending');
      expect(story.timer('expiry')).toBe(deadline);
    }
    expect([...gaps]).toEqual([seconds(3)]);
  });
});

describe('expired by the merchant', () => {
  test('ends at once, and the stream reports the time of the call', () => {
    const story = shown().wait(seconds(20)).when('expire', {});
    expect([status(story), paymentIn(story).failure?.code]).toEqual(['expired', 'session_expired']);
    expect(lastEvents(story)).toEqual(['payment.failed', 'payment.cancelled', 'checkout.expired']);
    const expiredAt = at(opened + seconds(20));
    expect(log(story)).toEqual([{ n: 1, event: 'qr.expired', data: { sessionId, expiredAt } }]);
  });

  test('a second time emits nothing more', () => {
    const story = shown().when('expire', {}).when('expire', {});
    expect([story.last.outcome.is, logged(story)]).toEqual(['ok', ['1 qr.expired']]);
  });
});

describe('money found later', () => {
  const over = (): SessionStory => says(atDeadline(), 'pending');

  test('makes it a success, late, and the stream log continues', () => {
    const story = over().wait(seconds(40));
    expect(lookupsInFlight(story).map(({ cause }) => cause)).toEqual(['late']);
    expect(lookupsInFlight(story)[0]).not.toHaveProperty('socketUrl');
    says(story, 'paid', paid);
    expect(story.view).toMatchObject({ status: 'success', late: true });
    expect(paymentIn(story).late).toBe(true);
    expect(lastEvents(story)).toEqual(['payment.succeeded']);
    expect(logged(story)).toEqual(['1 qr.expired', '2 qr.paid']);
  });

  test('is looked for at 30 s, 2 and 10 min, 1, 6 and 24 h', () => {
    const story = over();
    const looks: number[] = [];
    for (let n = 0; n < 6; n++) {
      story.wait((story.timer(`poll/${pay(1)}`) ?? 0) - story.now);
      looks.push(Math.round((story.now - deadline) / seconds(30)));
      says(story, 'pending');
    }
    const near = [1, 4, 20, 120, 720, 2880];
    for (const [n, half] of near.entries())
      expect(Math.abs((looks[n] ?? 0) - half)).toBeLessThanOrEqual(half / 10);
    expect(story.timer(`poll/${pay(1)}`)).toBeNull();
  });
});

describe('paid, but another amount', () => {
  test('changes nothing except that the payment needs review', () => {
    const story = polled(shown(), 'paid', { ...paid, amountPaisa: 124950 });
    expect(story.view).toMatchObject({ status: 'initiated', needsReview: true });
    expect(paymentIn(story).failure?.code).toBe('amount_mismatch');
    expect(log(story)).toEqual([]);
  });

  test('at the deadline it expires like any other, the review stays', () => {
    const story = says(atDeadline(), 'paid', { ...paid, amountPaisa: 124950 });
    expect(story.view).toMatchObject({ status: 'expired', needsReview: true });
    expect(lastEvents(story)).toEqual(['payment.failed', 'payment.cancelled', 'checkout.expired']);
    expect(logged(story)).toEqual(['1 qr.expired']);
  });
});

test("every poll of a running code carries its socket's address, so that a successor listens too", () => {
  const story = shown().wait(seconds(3));
  expect(lookupsInFlight(story)).toMatchObject([{ socketUrl, lookupReference: prn }]);
});

test('a session stored before Direct-QR existed is read with an empty log', () => {
  const { upcast } = checkoutSession;
  const old = { status: 'pending', payments: [{ id: pay(1) }] };
  expect(upcast?.(old, 1)).toMatchObject({ qrMessage: null, qrLog: [], payments: [{ socketUrl: null }] });
});

test('a code that the provider called failed ends at its deadline as any other, and keeps nothing of it', () => {
  const story = polled(shown(), 'failed');
  expect(JSON.stringify(story.state)).not.toContain('refusedFor');
  says(atDeadline(story), 'pending');
  expect([status(story), paymentIn(story).failure?.code]).toEqual(['expired', 'session_expired']);
});
