/** Statements and their rows in words. Pure. */
import { displayNpr } from '../../../../src/kernel/money.ts';
import type { Statement, StatementItem, StatementResult, StatementStatus } from '../wire/types.ts';
import { counted, countText } from './money.ts';
import { wordsOf, type StateWords } from './words.ts';

export const statementStates: Readonly<Record<StatementStatus, StateWords>> = {
  processing: { word: 'Comparing', tone: 'busy', sign: 'turn' },
  done: { word: 'Compared', tone: 'good', sign: 'check' },
  failed: { word: 'Not readable', tone: 'bad', sign: 'cross' },
};

export const resultStates: Readonly<Record<StatementResult, StateWords>> = {
  matched: { word: 'Matched', tone: 'good', sign: 'check' },
  amount_differs: { word: 'Amount differs', tone: 'warn', sign: 'eye' },
  unmatched_statement: { word: 'Not ours', tone: 'warn', sign: 'eye' },
  unmatched_payment: { word: 'Not in the file', tone: 'warn', sign: 'eye' },
};

/** With the number of each, in the order in which they are offered. */
export const resultCounts = (statement: Statement): readonly (readonly [StatementResult, number])[] => [
  ['amount_differs', statement.amountDiffers],
  ['unmatched_statement', statement.unmatchedStatement],
  ['unmatched_payment', statement.unmatchedPayment],
  ['matched', statement.matched],
];

/** The kind of mismatch to look at first; '' when there is none. */
export const firstMismatch = (statement: Statement): StatementResult | '' =>
  resultCounts(statement).find(([result, count]) => result !== 'matched' && count > 0)?.[0] ?? '';

/** Rows and payments that do not agree. */
const mismatchesOf = ({ amountDiffers, unmatchedStatement, unmatchedPayment }: Statement): number =>
  amountDiffers + unmatchedStatement + unmatchedPayment;

export const statementState = (statement: Statement): StateWords =>
  statement.status === 'done' && mismatchesOf(statement) > 0
    ? { word: 'Mismatches', tone: 'warn', sign: 'eye' }
    : wordsOf(statementStates, statement.status);

/** `120 rows, all agree`. */
export function outcomeText(statement: Statement): string {
  const { status, rows, failureReason } = statement;
  if (status === 'failed') return failureReason ?? 'It could not be read.';
  const compared = `${counted(rows, 'row')}${status === 'processing' ? ' so far' : ''}`;
  const mismatches = mismatchesOf(statement);
  if (mismatches > 0) return `${compared}, ${counted(mismatches, 'mismatch', 'mismatches')}`;
  return status === 'processing' || rows === 0 ? compared : `${compared}, all agree`;
}

/** Why a row is a mismatch, in one sentence; empty: it is none. */
export function reasonText(item: StatementItem): string {
  const { result, statementAmount, paymentAmount, paymentId } = item;
  const what = (paymentAmount ?? 0) < 0 ? 'refund' : 'payment';
  switch (result) {
    case 'matched':
      return '';
    case 'amount_differs':
      if (statementAmount === null) return 'The amount in the file cannot be read.';
      return `The file has ${displayNpr(Math.abs(statementAmount - (paymentAmount ?? 0)))} ${
        Math.abs(statementAmount) > Math.abs(paymentAmount ?? 0) ? 'more' : 'less'
      } than the ${what}.`;
    case 'unmatched_statement':
      return paymentId === null
        ? 'No payment has this reference.'
        : (statementAmount ?? 0) < 0
          ? 'This payment has no refund of that amount left.'
          : 'This payment has not succeeded, or another row has it already.';
    case 'unmatched_payment':
      return 'The payment succeeded in the days of the file, which has no row for it.';
  }
}

/** `today`, `1 day old`. */
export const ageText = (days: number): string =>
  days === 0 ? 'today' : `${countText(days)} ${days === 1 ? 'day' : 'days'} old`;

export const signedText = (paisa: number): string =>
  paisa < 0 ? `−${displayNpr(-paisa)}` : displayNpr(paisa);
