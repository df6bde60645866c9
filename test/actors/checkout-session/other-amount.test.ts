/** Money of another amount: a person keeps it or refunds it, after one more look-up that says the same. */
import { describe, expect, test } from 'vitest';
import type { SessionCommands } from '../../../actors/checkout-session/commands.ts';
import { waysOut } from '../../../actors/checkout-session/other-amount.ts';
import { checkoutSession } from '../../../actors/checkout-session/session.ts';
import { paymentView } from '../../../actors/checkout-session/view.ts';
import type { AnyActor } from '../../../src/runtime/model/actor.ts';
import { lowered } from '../../../src/runtime/model/downcast.ts';
import type { LookupOutcome } from '../../../src/providers/answers.ts';
import {
  legIn,
  allEvents,
  comesBack,
  created,
  declines,
  expiresAt,
  inStatus,
  lastEvents,
  learns,
  lookupsInFlight,
  order,
  pay,
  paymentIn,
  picks,
  running,
  says,
  scope,
  seconds,
  sessionId,
  sessionOf,
  staysSilent,
  type SessionStory,
} from './buyer.ts';
import { claimAnswered, forInvoice, told } from './claiming.ts';
import { callback, learns as learnsOf, twoLegs } from './in-app.ts';
import { endsReview, otherAmount } from './reviewing.ts';

const amount = otherAmount;
const less = { amountPaisa: amount };
const more = { amountPaisa: order.amount + 5000 };
const later = (story: SessionStory): SessionStory => story.wait(seconds(2));
/** Attempt n is under review: its provider reports another amount. */
const doubted = (story: SessionStory, n = 1, change = less): SessionStory =>
  later(learns(story, n, 'paid', change));
const ends = (story: SessionStory, how: 'keep' | 'refund', of = amount): SessionStory =>
  endsReview(story, 1, how, of);
const view = (story: SessionStory, n = 1) =>
  paymentView(paymentIn(story, n), sessionOf(story), { id: sessionId, scope });
const ways = (story: SessionStory, n = 1) => waysOut(sessionOf(story), paymentIn(story, n));
const open = (): SessionStory => doubted(running(created()));
const over = (): SessionStory => doubted(inStatus.expired());

describe('what is offered', () => {
  test('keep and refund only where the look-up has found another amount under our reference', () => {
    expect(ways(open())).toEqual(['accept', 'keep', 'refund', 'dismiss']);
    const others: readonly (readonly [LookupOutcome, object])[] = [
      ['paid', { reference: 'somebody-elses', ...less }],
      ['paid', { reference: null, ...less }],
      ['paid', { amountPaisa: null }],
      ['ambiguous', less],
      ['refunded', less],
    ];
    for (const [outcome, change] of others)
      expect(ways(learns(running(created()), 1, outcome, change))).toEqual(['accept', 'dismiss']);
    expect(ways(running(created()))).toEqual([]);
  });

  test('no longer when a later answer has found something else, still when it has found nothing', () => {
    expect(ways(learns(open(), 1, 'ambiguous'))).toEqual(['accept', 'dismiss']);
    expect(ways(learns(open(), 1, 'pending'))).toContain('keep');
  });

  test('not for money that is taken already, whatever its provider says later', () => {
    const story = later(says(comesBack(later(inStatus.success())), 'paid', less));
    expect(ways(story)).toEqual(['accept', 'dismiss']);
    for (const how of ['keep', 'refund'] as const)
      expect(ends(story, how).last.outcome).toMatchObject({ is: 'refused', code: 'invalid_state' });
  });

  test('an invoice takes more, and no less than it asks for', () => {
    expect(ways(doubted(running(forInvoice())))).toEqual(['accept', 'refund', 'dismiss']);
    expect(ways(doubted(running(forInvoice()), 1, more))).toContain('keep');
  });
});

describe('kept', () => {
  test.each(['open', 'over'] as const)('it pays the session, with the amount that was paid: %s', (which) => {
    const story = which === 'open' ? open() : over();
    ends(story, 'keep');
    expect(story.last.outcome).toMatchObject({
      is: 'ok',
      detail: { lookupCount: legIn(story).look.count },
    });
    expect(lookupsInFlight(story)).toMatchObject([{ cause: 'operator', amount: order.amount }]);
    expect(paymentIn(story).needsReview).toBe(true);
    says(story, 'paid', less);
    expect(view(story)).toMatchObject({
      status: 'success',
      amount,
      amountExpected: order.amount,
      failureCode: null,
      needsReview: false,
      duplicate: false,
      late: which === 'over',
    });
    expect(story.view).toMatchObject({ status: 'success', amount: order.amount, needsReview: false });
    expect(lastEvents(story)).toEqual(['payment.succeeded']);
    expect(story.last.events[0]?.data).toMatchObject({ amount, amountExpected: order.amount });
    expect(paymentIn(story).reviewed?.ended).toMatchObject({ how: 'kept', by: 'operator' });
  });

  test('said again it changes nothing, and neither does another way out', () => {
    const story = says(ends(open(), 'keep'), 'paid', less);
    const { doc } = story;
    expect(ends(story, 'keep').last.outcome).toMatchObject({ is: 'ok', detail: {} });
    expect(ends(story, 'keep', amount - 1).last.outcome).toMatchObject({ code: 'invalid_state' });
    expect(ends(story, 'refund').last.outcome).toMatchObject({ code: 'invalid_state' });
    expect(story.doc).toEqual(doc);
  });

  test('its amount is what can be refunded, what its provider confirms, and what a receipt names', () => {
    const story = says(ends(open(), 'keep'), 'paid', less);
    const receipt = story.tells.find(({ command, to }) => command === 'open' && to.startsWith('message/'));
    expect(receipt?.data).toMatchObject({ notice: { is: 'receipt', amount } });
    says(comesBack(later(story)), 'paid', less);
    expect(paymentIn(story)).toMatchObject({ needsReview: false, amountPaid: amount });
    const refund: SessionCommands['refund'] = {
      id: 'ref_1',
      paymentId: pay(1),
      amount: order.amount,
      reason: 'other',
      notes: null,
      mobileNumber: null,
    };
    expect(story.when('refund', refund).last.outcome).toMatchObject({ detail: { remaining: amount } });
    story.when('refund', { ...refund, amount });
    const call = story.pending.find(({ kind }) => kind === 'provider.refund');
    expect(call?.data).toMatchObject({ amount, full: true });
    story.settle('provider.refund', {
      refundId: 'ref_1',
      answer: {
        outcome: 'done',
        providerRefundId: null,
        message: null,
        httpStatus: 200,
        durationMs: 1,
        raw: null,
      },
    });
    expect(view(story)).toMatchObject({ status: 'refunded', refundedAmount: amount, amount });
  });

  test('of a session that is paid already it is a duplicate, and refunded', () => {
    const story = declines(running(created()));
    learns(running(story, 2), 2, 'paid');
    doubted(story);
    says(ends(story, 'keep'), 'paid', less);
    expect(view(story)).toMatchObject({ status: 'success', duplicate: true, amount });
    expect(lastEvents(story)).toContain('payment.duplicate');
    expect(sessionOf(story).refunds).toMatchObject([{ paymentId: pay(1), amount, reason: 'duplicate' }]);
    expect(allEvents(story).filter((type) => type === 'payment.succeeded')).toHaveLength(1);
  });
});

describe('refunded', () => {
  test.each(['pending', 'initiated', 'cancelled', 'expired'] as const)(
    'it is a duplicate with a refund of all of it, and the session stays %s',
    (status) => {
      const story = doubted(inStatus[status]());
      says(ends(story, 'refund'), 'paid', less);
      expect(view(story)).toMatchObject({
        status: 'success',
        duplicate: true,
        amount,
        amountExpected: order.amount,
        needsReview: false,
      });
      expect(story.view).toMatchObject({ status, amount: order.amount, needsReview: false });
      expect(lastEvents(story)).toEqual(['payment.duplicate', 'refund.created']);
      expect(allEvents(story)).not.toContain('payment.succeeded');
      expect(sessionOf(story).refunds).toMatchObject([
        { paymentId: pay(1), amount, reason: 'duplicate', status: 'processing' },
      ]);
      expect(paymentIn(story).reviewed?.ended).toMatchObject({ how: 'refunded' });
    },
  );

  test('an open session can be paid by another attempt at once, with the same provider too, or runs out', () => {
    const story = says(ends(open(), 'refund'), 'paid', less);
    learns(running(story, 2), 2, 'paid');
    expect(story.view).toMatchObject({ status: 'success', paymentId: pay(2) });
    expect(allEvents(story).filter((type) => type === 'payment.succeeded')).toHaveLength(1);
    const unpaid = says(ends(open(), 'refund'), 'paid', less);
    unpaid.wait(expiresAt - unpaid.now);
    expect(unpaid.view['status']).toBe('expired');
    expect(paymentIn(unpaid).status).toBe('success');
  });

  test('a code whose money is refunded is not ended again by its own time', () => {
    const story = doubted(picksCode(created()));
    says(ends(story, 'refund'), 'paid', less);
    story.wait(expiresAt - story.now);
    expect(view(story)).toMatchObject({ status: 'success', duplicate: true, needsReview: false });
    expect(story.view['status']).toBe('expired');
  });
});

const picksCode = (story: SessionStory): SessionStory => {
  picks(story, 1, 'qr_a');
  return story.settle('provider.start', {
    paymentId: pay(1),
    durationMs: 1,
    answer: {
      outcome: 'started',
      lookupReference: `px_${pay(1)}`,
      providerExpiresAt: null,
      instructions: { kind: 'qr', method: 'GET', url: '', fields: {} },
    },
  });
};

describe('changes nothing', () => {
  const answers: readonly (readonly [string, LookupOutcome, object])[] = [
    ['yet another amount', 'paid', { amountPaisa: amount - 1 }],
    ['no amount', 'paid', { amountPaisa: null }],
    ['another reference', 'paid', { reference: 'somebody-elses', ...less }],
    ['a word that is not clear', 'ambiguous', less],
    ['that it is refunded', 'refunded', less],
    ['nothing readable', 'pending', { answered: false, amountPaisa: null, reference: null }],
  ];
  for (const how of ['keep', 'refund'] as const)
    test.each(answers)(`${how}, when the look-up brings %s`, (_what, outcome, change) => {
      const story = says(ends(open(), how), outcome, change);
      expect(view(story)).toMatchObject({ status: 'pending', needsReview: true, amountExpected: null });
      expect(sessionOf(story).refunds).toEqual([]);
      // nor does a later look-up that nobody has asked to decide
      learns(later(story), 1, 'paid', less);
      expect(view(story)).toMatchObject({ status: 'pending', needsReview: true });
      expect(story.view['status']).toBe('initiated');
    });

  test('the look-up that was under way before the decision', () => {
    const story = ends(comesBack(open()), 'keep');
    says(story, 'paid', less);
    expect(paymentIn(story)).toMatchObject({ status: 'processing', needsReview: true });
    says(later(story), 'paid', less);
    expect(paymentIn(story).status).toBe('success');
  });

  test('an answer equal to ours is paid as asked, and the review was ended by nobody', () => {
    for (const how of ['keep', 'refund'] as const) {
      const story = says(ends(open(), how), 'paid');
      expect(view(story)).toMatchObject({ status: 'success', duplicate: false, amountExpected: null });
      expect(paymentIn(story).reviewed?.ended).toMatchObject({ how: 'answered' });
    }
  });

  test('a decision about a review that was dismissed meanwhile', () => {
    const story = ends(open(), 'keep');
    story.when('endReview', { paymentId: pay(1), how: 'dismiss', reason: 'A mistake.' });
    says(story, 'paid', less);
    expect(view(story)).toMatchObject({ status: 'pending', needsReview: false });
  });

  test('an answer that never comes', () => {
    const story = staysSilent(ends(open(), 'keep'));
    expect(view(story)).toMatchObject({ status: 'pending', needsReview: true });
  });
});

describe('of an invoice', () => {
  test('more than it asks for is claimed with its amount, and pays it', () => {
    const story = doubted(running(forInvoice()), 1, more);
    says(ends(story, 'keep', more.amountPaisa), 'paid', more);
    expect(story.last.tells).toMatchObject([{ command: 'claim', data: { amount: more.amountPaisa } }]);
    claimAnswered(story);
    expect(view(story)).toMatchObject({
      amount: more.amountPaisa,
      amountExpected: order.amount,
      duplicate: false,
    });
    expect(paymentIn(story).reviewed?.ended).toMatchObject({ how: 'kept' });
  });

  test('one that is paid already makes it a duplicate', () => {
    const story = doubted(running(forInvoice()), 1, more);
    claimAnswered(says(ends(story, 'keep', more.amountPaisa), 'paid', more), 1, 'duplicate');
    expect(view(story)).toMatchObject({ amount: more.amountPaisa, duplicate: true });
    expect(sessionOf(story).refunds).toMatchObject([{ amount: more.amountPaisa }]);
  });

  test('less than it asks for cannot be kept, and is refunded without asking the subscription', () => {
    const story = doubted(running(forInvoice()));
    expect(ends(story, 'keep').last.outcome).toMatchObject({ is: 'refused', code: 'review_changed' });
    says(ends(story, 'refund'), 'paid', less);
    expect(view(story)).toMatchObject({ status: 'success', duplicate: true });
    expect(told(story)).toEqual([]);
  });
});

describe('of two legs', () => {
  test('the leg that brought the money is the one that decides, and the other may still be paid as asked', () => {
    const story = callback(twoLegs(), amount);
    learnsOf(story, 'intent', 'paid', less);
    expect(ways(story)).toContain('keep');
    ends(later(story), 'keep');
    learnsOf(story, 'web', 'not_found');
    learnsOf(story, 'intent', 'paid', less);
    expect(view(story)).toMatchObject({ status: 'success', amount, duplicate: false });
    learnsOf(later(story), 'web', 'paid');
    expect(view(story, 1)).toMatchObject({ amount, amountExpected: order.amount });
    expect(view(story, 2)).toMatchObject({ amount: order.amount, amountExpected: null, duplicate: true });
  });
});

test('a node that knows no other amount does not get such a session', () => {
  const session: AnyActor = checkoutSession;
  const story = ends(open(), 'keep');
  expect(lowered(session, story.state as never, 7)).toBeNull();
  expect(lowered(session, says(story, 'paid', less).state as never, 7)).toBeNull();
  expect(lowered(session, open().state as never, 7)).not.toBeNull();
});
