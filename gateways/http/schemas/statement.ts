/** The Statement object, and the rows that it was compared by. */
import { Type } from 'typebox';
import { itemResults, statementStatuses } from '../../../actors/statement/messages.ts';
import { providerNames } from '../../../src/providers/catalog.ts';
import { shown } from '../route/description.ts';
import { flag, integer, integerOrNull, object, oneOf, text, textOrNull, time, timeOrNull } from './parts.ts';

const schema = object('Statement', "A provider's list of payments, compared with yours.", {
  id: text('Id of the statement, `rst_...`.'),
  livemode: flag('Whether it was compared with live payments: false in the sandbox.'),
  provider: oneOf(providerNames, 'Whose list it is.'),
  fileName: textOrNull('The name you gave it.'),
  status: oneOf(
    statementStatuses,
    '`processing`: rows are still being compared, and the counts grow. `done`: all are. `failed`: the file ' +
      'is no statement that can be read; `failureReason` says why, and all counts are 0.',
  ),
  failureReason: textOrNull('Why it has failed, in a sentence. null: it has not.'),
  rows: integer('Rows of the file that were compared.'),
  matched: integer('Rows that agree with a payment, or with a refund of it.'),
  amountDiffers: integer('Rows whose payment or refund has another amount.'),
  unmatchedStatement: integer('Rows for which you have no successful payment.'),
  unmatchedPayment: integer('Successful payments of these days that the file does not have.'),
  dateFrom: timeOrNull(
    'The beginning of the first day of its dates, in Asia/Kathmandu. null: it has no dates.',
  ),
  dateTo: timeOrNull('The end of the last day of its dates, exclusive. null: it has no dates.'),
  createdAt: time('When you uploaded it.'),
  updatedAt: time('When it last changed.'),
});

const done = {
  id: 'rst_0xjxhv9kw4538wnjv2j2e340',
  livemode: false,
  provider: 'wallet_b',
  fileName: 'november.csv',
  status: 'done',
  failureReason: null,
  rows: 2,
  matched: 0,
  amountDiffers: 1,
  unmatchedStatement: 1,
  unmatchedPayment: 0,
  dateFrom: '2026-11-20T18:15:00.000Z',
  dateTo: '2026-11-21T18:15:00.000Z',
  createdAt: '2026-11-21T15:33:10.858Z',
  updatedAt: '2026-11-21T15:33:10.858Z',
} as const;

/** Compared. */
export const statement = shown(schema, done);

/** Just uploaded. */
export const newStatement = shown(schema, {
  ...done,
  status: 'processing',
  rows: 0,
  amountDiffers: 0,
  unmatchedStatement: 0,
  dateFrom: null,
  dateTo: null,
});

const amountOrNull = (description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], description });

export const statementItem = shown(
  object(
    'StatementItem',
    'A row of the file beside your payment, or a payment that the file does not have.',
    {
      line: integerOrNull('The line of the file, from 1: the header is the first. null: a payment of yours.'),
      result: oneOf(
        itemResults,
        '`matched`: both sides agree. `amount_differs`: the same payment with another amount. ' +
          '`unmatched_statement`: you have no successful payment for this row. `unmatched_payment`: the file ' +
          'does not have this payment.',
      ),
      reference: textOrNull('As the file has it; of a payment: the reference of its provider, else ours.'),
      statementAmount: amountOrNull(
        'In paisa, as the file has it; negative: a refund. null: it cannot be read, or there is no row.',
      ),
      fee: amountOrNull('In paisa, as the file has it. null: it says none.'),
      paymentId: textOrNull('Your payment. null: none has this reference.'),
      paymentAmount: amountOrNull(
        'In paisa, as we have it; of a refund negative. null: there is no payment, or it did not succeed.',
      ),
      date: timeOrNull('Of the row; of a payment: when it was paid. null: the row has no readable date.'),
      ageDays: integerOrNull('Days since then, in Asia/Kathmandu. null: without a date.'),
    },
  ),
  {
    line: 2,
    result: 'amount_differs',
    reference: 'TXSVKQ0H2F4C8M6P',
    statementAmount: 125_000,
    fee: null,
    paymentId: 'pay_4t8z1m6q3x9k2v7b',
    paymentAmount: 125_050,
    date: '2026-11-21T15:33:10.000Z',
    ageDays: 0,
  },
);

/** The second row of the example. */
export const unknownItem = {
  line: 3,
  result: 'unmatched_statement',
  reference: 'NOBODY-KNOWS',
  statementAmount: 50_000,
  fee: null,
  paymentId: null,
  paymentAmount: null,
  date: '2026-11-21T15:33:10.000Z',
  ageDays: 0,
} as const;
