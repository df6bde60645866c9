/** Claims: verified money of an invoice's session, and what its subscription answers. Every cell is in claims-table.test.ts. */
import { describe, expect, test } from 'vitest';
import { checkoutSession } from '../../../actors/checkout-session/session.ts';
import type { AnyActor } from '../../../src/runtime/model/actor.ts';
import { lowered } from '../../../src/runtime/model/downcast.ts';
import {
  allEvents,
  comesBack,
  declines,
  expiresAt,
  hours,
  lastEvents,
  learns,
  minutes,
  order,
  pay,
  paymentIn,
  pollsNow,
  running,
  says,
  seconds,
  created,
} from './buyer.ts';
import { claimAnswered, claimRefused, forInvoice, invoice, told } from './claiming.ts';
import { learns as learnsOf, twoLegs } from './in-app.ts';

const session: AnyActor = checkoutSession;
const { invoiceId, subscriptionId } = invoice;
const sessionId = 'cs_n5y5kc7txbgmy7rz22b0c1r5';

describe('verified money of an invoice', () => {
  test('is claimed in the commit of its look-up, and only the answer makes it a success', () => {
    const story = learns(running(forInvoice()), 1, 'paid', { providerRef: 'TXN1', fee: 1000 });
    const foundAt = story.now;
    expect(story.last.tells).toMatchObject([
      {
        to: `subscription/${subscriptionId}`,
        command: 'claim',
        data: { invoiceId, sessionId, paymentId: pay(1), paidAt: foundAt },
      },
    ]);
    expect([story.state.status, paymentIn(story).status, lastEvents(story)]).toEqual([
      'initiated',
      'pending',
      [],
    ]);
    claimAnswered(story.wait(minutes(3)));
    expect(paymentIn(story)).toMatchObject({
      status: 'success',
      paidAt: foundAt,
      providerRef: 'TXN1',
      fee: 1000,
      late: false,
      duplicate: false,
    });
    expect(paymentIn(story)).not.toHaveProperty('claim');
    expect(lastEvents(story)).toEqual(['payment.succeeded']);
    expect(story.state).toMatchObject({ status: 'success', late: false });
  });

  test('its buyer is sent one receipt, when it is a success', () => {
    const story = learns(running(forInvoice()), 1, 'paid');
    const receipts = (): number => story.tells.filter(({ to }) => to.startsWith('message/')).length;
    expect(receipts()).toBe(0);
    claimAnswered(story);
    story.when('claimed', { paymentId: pay(1), duplicate: false });
    expect([receipts(), allEvents(story)]).toEqual([1, ['payment.succeeded']]);
  });

  test('a repeated answer, one about another payment and one without a claim change nothing', () => {
    const story = learns(running(forInvoice()), 1, 'paid');
    story.when('claimed', { paymentId: pay(9), duplicate: false });
    expect(story.state.status).toBe('initiated');
    claimAnswered(story);
    const { state } = story;
    story.when('claimed', { paymentId: pay(1), duplicate: true });
    expect(story.state).toEqual(state);
    const fresh = running(forInvoice()).when('claimed', { paymentId: pay(1), duplicate: false });
    expect([fresh.state.status, fresh.events]).toEqual(['initiated', []]);
  });

  test('waits for its answer past the end of the session, which does not expire meanwhile', () => {
    const story = learns(running(forInvoice()), 1, 'paid').wait(expiresAt);
    expect([story.state.status, story.pending]).toEqual(['initiated', []]);
    claimAnswered(story);
    expect(story.state).toMatchObject({ status: 'success', late: false });
    expect(told(story)).toEqual([`claim ${pay(1)}`]);
  });

  test('found by the last look-up at the end of the session, it is not late', () => {
    const story = running(forInvoice());
    while (story.state.status === 'initiated' && story.state.waiting === null) {
      if (story.pending.length > 0) says(story, 'pending');
      else story.wait(Math.min(...(story.doc?.timers ?? []).map(({ at }) => at)) - story.now);
    }
    says(story, 'paid');
    expect(story.state).toMatchObject({ status: 'initiated', waiting: null });
    expect(claimAnswered(story).state).toMatchObject({ status: 'success', late: false });
  });

  test('a person who accepts a review is named once it is paid', () => {
    const story = learns(running(forInvoice()), 1, 'ambiguous', { word: 'Perhaps' });
    story.when('endReview', { paymentId: pay(1), how: 'accept', reason: 'seen', who: 'asha@example.com' });
    says(story.wait(seconds(2)), 'paid');
    expect(paymentIn(story)).toMatchObject({ needsReview: true, status: 'pending' });
    claimAnswered(story);
    expect(paymentIn(story)).toMatchObject({
      needsReview: false,
      reviewed: { ended: { how: 'accepted', by: 'asha@example.com' } },
    });
  });

  test('by both legs of one payment: the first money is claimed, the second is a duplicate', () => {
    const story = learnsOf(twoLegs(invoice), 'intent', 'paid');
    expect(told(story)).toEqual([`claim ${pay(1)}`]);
    learnsOf(story, 'web', 'paid');
    expect(story.state.payments).toMatchObject([
      { legs: [{ name: 'intent' }] },
      { status: 'success', duplicate: true },
    ]);
    expect(story.state.refunds).toMatchObject([{ reason: 'duplicate', amount: order.amount }]);
    claimAnswered(story);
    expect(paymentIn(story)).toMatchObject({ status: 'success', duplicate: false });
    expect(told(story)).toEqual([`claim ${pay(1)}`]);
  });
});

describe('late money of an invoice', () => {
  const late = () => says(pollsNow(running(forInvoice()).when('expire', {})), 'paid');

  test('is claimed by a session that has ended', () => {
    const story = late();
    expect(told(story)).toEqual(['sessionOver', `claim ${pay(1)}`]);
    expect(claimAnswered(story).state).toMatchObject({ status: 'success', late: true });
    expect(allEvents(story).filter((type) => type === 'payment.succeeded')).toHaveLength(1);
  });

  test('pays it also where the last attempt fails at the provider before the answer', () => {
    const story = running(forInvoice());
    for (let n = 1; n <= 4; n++) running(declines(story, n), n + 1);
    says(comesBack(story, 1).wait(seconds(2)), 'paid', {}, 1);
    declines(story, 5);
    expect([story.state.status, told(story)]).toEqual(['failed', [`claim ${pay(1)}`, 'sessionOver']]);
    expect(claimAnswered(story).state).toMatchObject({ status: 'success', paidBy: pay(1), late: true });
    expect(allEvents(story).filter((type) => type === 'payment.succeeded')).toHaveLength(1);
  });

  test('as a duplicate it is refunded in full, and the session stays as it ended', () => {
    const story = claimAnswered(late(), 1, 'duplicate');
    expect(lastEvents(story)).toEqual(['payment.duplicate', 'refund.created']);
    expect(story.state).toMatchObject({ status: 'expired', refunds: [{ reason: 'duplicate' }] });
    // a later look-up finds it paid again, which pays no session
    says(comesBack(story.wait(hours(1))), 'paid');
    expect([story.state.status, story.events.length]).toEqual([
      'expired',
      allEvents(story).indexOf('refund.created') + 1,
    ]);
  });
});

test('without its subscription the money counts, and a person looks at it', () => {
  const story = claimRefused(learns(running(forInvoice()), 1, 'paid'));
  expect(story.state).toMatchObject({ status: 'success', refunds: [] });
  expect(paymentIn(story)).toMatchObject({
    status: 'success',
    needsReview: true,
    review: { doubt: 'paid, but the subscription of its invoice is not known' },
  });
  expect(lastEvents(story)).toEqual(['payment.succeeded']);
});

test('opened again for its invoice after its end, it tells so', () => {
  const story = running(forInvoice());
  const again = { order: { ...order, ...invoice }, lifeMs: 1 };
  story.when('open', again, { by: 'system' });
  expect(told(story)).toEqual([]);
  story.when('expire', {}, { by: 'system' }).when('open', again, { by: 'system' });
  expect(told(story)).toEqual(['sessionOver', 'sessionOver']);
});

describe('the session of an invoice in schema 6, which knew no subscription', () => {
  test('is read, and its money is a success at once', () => {
    const { subscriptionId: _later, ...before } = invoice;
    const story = running(created(before));
    const low = lowered(session, story.state as never, 6);
    expect(low).toEqual(lowered(session, story.state as never, 9));
    expect(session.upcast?.(low as never, 6)).toEqual(story.state);
    expect(learns(story, 1, 'paid').state.status).toBe('success');
    expect(lowered(session, created(before).state as never, 5)).toBeNull();
  });

  test('cannot be written with one: an older node would not ask it', () => {
    expect(lowered(session, forInvoice().state as never, 6)).toBeNull();
  });
});
