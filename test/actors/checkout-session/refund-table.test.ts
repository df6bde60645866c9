/** Both refund tables of docs/reference/api/refunds.md as data: refund x trigger, and what a look-up proves. */
import { describe, expect, test } from 'vitest';
import type { RefundShown } from '../../../actors/checkout-session/attempt.ts';
import { refundStatuses, type RefundStatus } from '../../../actors/checkout-session/refund.ts';
import { lastEvents, paymentIn, type SessionStory } from './buyer.ts';
import {
  amount,
  answers,
  asksRefund,
  ends,
  learnsByHint,
  paidBy,
  ref,
  refundIn,
  refundInStatus,
  refundTexts,
  waitsInVain,
} from './refunding.ts';

type Trigger = (story: SessionStory) => SessionStory;

/** A late answer about a refund whose call is over. */
const told =
  (outcome: 'done' | 'refused' | 'unknown'): Trigger =>
  (story) =>
    story.when('refundAnswered', {
      refundId: ref(1),
      answer: { outcome, providerRefundId: null, message: 'No.', httpStatus: 1, durationMs: 1, raw: null },
    });

const triggers: { readonly [name: string]: Trigger } = {
  'provider 2xx': told('done'),
  'provider 4xx': told('refused'),
  'timeout, 5xx, unreadable': told('unknown'),
  'lookup proves it': (story) => learnsByHint(story, 'refunded'),
  'lookup shows no change': (story) => learnsByHint(story, 'paid'),
  '72 h without proof': (story) => waitsInVain(story),
  complete: (story) => ends(story, 'complete'),
  cancel: (story) => ends(story, 'cancel'),
};

const same = 'same';
const no = '409';
/** processing, succeeded, failed, requires_action. `!`: and reconciliation.mismatch. */
const expected: { readonly [trigger: string]: readonly [string, string, string, string] } = {
  // the call of each of these is over: its answers are driven below, where it is still out
  'provider 2xx': [same, same, same, same],
  'provider 4xx': [same, same, same, same],
  'timeout, 5xx, unreadable': [same, same, same, same],
  'lookup proves it': ['succeeded', same, 'same !', 'succeeded'],
  'lookup shows no change': [same, same, same, same],
  '72 h without proof': [`requires_action: ${refundTexts.unconfirmed}`, same, same, same],
  complete: [no, no, no, 'succeeded'],
  cancel: [no, no, no, `failed: ${refundTexts.cancelled}`],
};

function resultOf(status: RefundStatus, trigger: Trigger): string {
  const story = refundInStatus[status]();
  expect(refundIn(story).status).toBe(status);
  const before = JSON.stringify(refundIn(story));
  const { sequence } = refundIn(story);
  trigger(story);
  if (story.last.outcome.is === 'refused') {
    expect(story.last.outcome).toMatchObject({ code: 'invalid_state', detail: { currentStatus: status } });
    expect(JSON.stringify(refundIn(story))).toBe(before);
    return no;
  }
  const { status: now, failureReason, sequence: after } = refundIn(story);
  const isMismatch = lastEvents(story).includes('reconciliation.mismatch') ? ' !' : '';
  if (now === status) {
    expect(after).toBe(sequence);
    return `${same}${isMismatch}`;
  }
  expect(after).toBe(sequence + 1);
  expect(lastEvents(story)[0]).toBe(`refund.${now}`);
  return `${now}${failureReason === null ? '' : `: ${failureReason}`}${isMismatch}`;
}

describe('row 33: every cell of the refund table', () => {
  for (const [name, trigger] of Object.entries(triggers)) {
    test.each(refundStatuses.map((status, at) => [status, expected[name]?.[at]] as const))(
      `${name}, when it is %s`,
      (status, wanted) => {
        expect(resultOf(status, trigger)).toBe(wanted);
      },
    );
  }

  test.each([
    ['2xx', 'done', 'succeeded'],
    ['4xx', 'refused', 'failed'],
    ['timeout, 5xx, unreadable', 'unknown', 'processing'],
  ] as const)('the answer %s to the call ends it as documented', (_name, outcome, status) => {
    expect(refundIn(answers(asksRefund(paidBy()), outcome)).status).toBe(status);
  });

  test.each([
    ['wallet_b', 'processing'],
    ['wallet_a', 'requires_action'],
    ['qr_a', 'requires_action'],
  ] as const)('one of %s begins as %s', (provider, status) => {
    expect(refundIn(asksRefund(paidBy(provider))).status).toBe(status);
  });
});

describe('what a look-up proves', () => {
  /** What the provider shows, and the word for it. */
  const words = { part: 'partially_refunded', whole: 'refunded' } as const;
  const part = 25_050;

  interface Row {
    readonly name: string;
    /** Amounts of the refunds that wait for proof. */
    readonly open: readonly number[];
    /** A refund that succeeded before. */
    readonly succeeded?: number;
    /** What the provider has shown before, without any of ours. */
    readonly shown?: RefundShown;
    readonly after: RefundShown;
    readonly proves: readonly number[] | 'outside';
  }

  const rows: readonly Row[] = [
    { name: 'paid, then part: the only open one', open: [part], after: 'part', proves: [part] },
    { name: 'paid, then part: neither of two', open: [part, 100], after: 'part', proves: [] },
    { name: 'paid, then part: not one of everything', open: [amount], after: 'part', proves: 'outside' },
    { name: 'paid, then whole: the one of everything', open: [amount], after: 'whole', proves: [amount] },
    {
      name: 'paid, then whole: all, if together they reach it',
      open: [part, amount - part],
      after: 'whole',
      proves: [part, amount - part],
    },
    { name: 'paid, then whole: none that falls short', open: [part, 100], after: 'whole', proves: 'outside' },
    {
      name: 'part of ours, then whole: the rest',
      succeeded: part,
      open: [amount - part],
      after: 'whole',
      proves: [amount - part],
    },
    {
      name: 'part of ours, then whole: not less than the rest',
      succeeded: part,
      open: [100],
      after: 'whole',
      proves: 'outside',
    },
    { name: 'part of ours, then part: nothing', succeeded: part, open: [100], after: 'part', proves: [] },
    { name: 'part before, then part: nothing', shown: 'part', open: [part], after: 'part', proves: [] },
    {
      name: 'part of ours, none open, then part: no news',
      succeeded: part,
      open: [],
      after: 'part',
      proves: [],
    },
    { name: 'all of ours, then whole: no news', succeeded: amount, open: [], after: 'whole', proves: [] },
    { name: 'none open, then part: outside', open: [], after: 'part', proves: 'outside' },
    { name: 'none open, then whole: outside', open: [], after: 'whole', proves: 'outside' },
    {
      name: 'part of ours, none open, then whole: outside',
      succeeded: part,
      open: [],
      after: 'whole',
      proves: 'outside',
    },
  ];

  const before = ({ succeeded, shown, open }: Row): SessionStory => {
    const story = paidBy();
    if (shown !== undefined) learnsByHint(story, words[shown]);
    let n = 0;
    if (succeeded !== undefined) answers(asksRefund(story, ++n, succeeded), 'done');
    for (const of of open) answers(asksRefund(story, ++n, of), 'unknown');
    return story;
  };

  test.each(rows.map((row) => [row.name, row] as const))('%s', (_name, row) => {
    const story = before(row);
    const { needsReview } = paymentIn(story);
    const processing = () =>
      story.state.refunds.filter(({ status }) => status === 'processing').map((refund) => refund.amount);
    expect(processing()).toEqual(row.open);
    learnsByHint(story, words[row.after]);
    const events = lastEvents(story);
    const proven = row.proves === 'outside' ? [] : row.proves;
    expect(processing()).toEqual(row.open.filter((of) => !proven.includes(of)));
    expect(events.filter((type) => type === 'payment.refunded')).toHaveLength(proven.length);
    expect(events.includes('reconciliation.mismatch')).toBe(row.proves === 'outside');
    expect(paymentIn(story).needsReview).toBe(row.proves === 'outside' || needsReview);
    expect(paymentIn(story).refundedAmount).toBe(
      (row.succeeded ?? 0) + proven.reduce((sum, of) => sum + of, 0),
    );
    // the same answer again is no news
    learnsByHint(story, words[row.after]);
    expect(lastEvents(story)).toEqual([]);
  });

  test('a refund outside is told with its data, and reviewed', () => {
    const story = learnsByHint(paidBy(), 'partially_refunded');
    expect(story.last.events.map(({ type, data }) => [type, data])).toEqual([
      [
        'reconciliation.mismatch',
        {
          paymentId: paymentIn(story).id,
          provider: 'wallet_b',
          field: 'status',
          ours: 'success',
          theirs: 'partially_refunded',
          amountOurs: amount,
          amountProvider: amount,
          source: 'lookup',
          detectedAt: new Date(story.now).toISOString(),
        },
      ],
    ]);
    expect(paymentIn(story)).toMatchObject({ status: 'success', needsReview: true, refundedAmount: 0 });
  });

  test('the rest returned outside is another difference, though the first is under review', () => {
    const story = learnsByHint(learnsByHint(paidBy(), 'partially_refunded'), 'refunded');
    expect(lastEvents(story)).toEqual(['reconciliation.mismatch']);
  });

  test.each(['failed', 'cancelled'] as const)(
    'a provider that says %s after success changed its mind',
    (word) => {
      const story = learnsByHint(paidBy(), word);
      expect(lastEvents(story)).toEqual(['reconciliation.mismatch']);
      expect(paymentIn(story)).toMatchObject({ status: 'success', needsReview: true });
    },
  );
});
