/** The tables of docs/reference/session-states.md about sessions of invoices, whose subscription decides what verified money
 *  pays: every cell, driven once. */
import { describe } from 'vitest';
import type { SessionState } from '../../../actors/checkout-session/state.ts';
import { comesBack, order, pay, picks, running, says, seconds, type SessionStory } from './buyer.ts';
import { claimAnswered, claimRefused, forInvoice } from './claiming.ts';
import { declined, drives, latestOf, looked, type Drive } from './session-drives.ts';

type Status = SessionState['status'];

/** Two attempts at least, all of them known to the provider. */
const sessions: { readonly [S in Status]: () => SessionStory } = {
  pending: () => declined(forInvoice(), 2),
  initiated: () => running(declined(forInvoice(), 1), 2),
  success: () => claimAnswered(says(looked(sessions.initiated(), 2), 'paid', {}, 2), 2),
  failed: () => declined(forInvoice(), 5),
  cancelled: () => sessions.initiated().when('cancel', {}),
  expired: () => sessions.initiated().when('expire', {}),
};

describe('verified money of an invoice', () => {
  const paid =
    (which: 'latest' | 'earlier'): Drive<Status> =>
    (status) => {
      const story = sessions[status]();
      const about = which === 'latest' ? latestOf(story) : 1;
      return { story: looked(story, about), about, trigger: () => says(story, 'paid', {}, about) };
    };

  drives<Status>('A session of an invoice', {
    'look-up of the latest attempt: paid': paid('latest'),
    'look-up of an earlier attempt: paid': paid('earlier'),
    'the invoice is paid by hand, voided, or paid by another session': (status) => {
      const story = sessions[status]();
      return { story, about: latestOf(story), trigger: () => story.when('expire', {}, { by: 'system' }) };
    },
  });
});

describe('a claim of the money', () => {
  type Column = Exclude<Status, 'success'> | 'initiated, of an earlier attempt';
  /** The session, and the attempt whose money is claimed. */
  function claiming(column: Column): readonly [SessionStory, number] {
    const isEarlier = column === 'initiated, of an earlier attempt';
    const story = sessions[isEarlier ? 'initiated' : column]();
    const about = isEarlier ? 1 : latestOf(story);
    return [says(looked(story, about), 'paid', {}, about), about];
  }
  const plain =
    (trigger: (story: SessionStory, about: number) => unknown): Drive<Column> =>
    (column) => {
      const [story, about] = claiming(column);
      return { story, about, trigger: () => trigger(story, about) };
    };
  /** A hint has caused one more look-up. */
  const look =
    (outcome: 'paid' | 'failed', change = {}): Drive<Column> =>
    (column) => {
      const [story, about] = claiming(column);
      comesBack(story.wait(seconds(2)), about);
      return { story, about, trigger: () => says(story, outcome, change, about) };
    };

  drives<Column>('While a claim is open', {
    'it pays the invoice': plain((story, about) => claimAnswered(story, about)),
    'the invoice was settled before': plain((story, about) => claimAnswered(story, about, 'duplicate')),
    'there is no such subscription': plain(claimRefused),
    'look-up of the same payment: paid': look('paid'),
    'look-up of the same payment: declined': look('failed'),
    'look-up of the same payment: paid, with another amount': look('paid', { amountPaisa: order.amount - 1 }),
    'the buyer starts an attempt': plain((story) => picks(story, 6, 'wallet_a')),
    'the buyer cancels on our page': plain((story) => story.when('cancel', {})),
    '`expires_at` is reached': plain((story) => story.when('expiryReached', { key: '' })),
    'the three minutes of a QR code are over': plain((story, about) =>
      story.when('attemptOver', { key: pay(about) }),
    ),
    'the invoice is paid by hand, voided, or paid by another session': plain((story) =>
      story.when('expire', {}, { by: 'system' }),
    ),
  });
});
