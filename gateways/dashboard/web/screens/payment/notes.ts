/** What is unusual about a payment, and what that means for the shop. Pure. */
import { displayNpr } from '../../../../../src/kernel/money.ts';
import type { Payment } from '../../wire/types.ts';
import { failureWord } from '../../words/words.ts';

export interface Note {
  readonly title: string;
  readonly text: string;
}

export type Noted = Pick<
  Payment,
  'needsReview' | 'duplicate' | 'late' | 'failureCode' | 'status' | 'amountExpected'
>;

export function notesOn({
  needsReview,
  duplicate,
  late,
  failureCode,
  status,
  amountExpected,
}: Noted): readonly Note[] {
  const notes: Note[] = [];
  if (needsReview) {
    const why =
      failureCode === null || status === 'failed'
        ? 'The provider’s answer is not clear'
        : failureWord(failureCode);
    notes.push({
      title: 'A person should look at this',
      text: `${why}. We keep asking; it is never taken as paid by guess.`,
    });
  }
  if (amountExpected !== null)
    notes.push({
      title: 'Another amount was paid',
      text: duplicate
        ? `${displayNpr(amountExpected)} was asked for. A refund of what was paid was opened; see Refunds below.`
        : `${displayNpr(amountExpected)} was asked for. What was paid was kept.`,
    });
  else if (duplicate) {
    notes.push({
      title: 'Paid twice',
      text: 'The buyer had paid this order already. A refund of this payment was opened by itself; see Refunds below.',
    });
  }
  if (late) {
    notes.push({
      title: 'Paid late',
      text: 'The money came after the session had ended. Your server was notified as usual.',
    });
  }
  return notes;
}
