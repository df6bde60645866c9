/** A statement's file before it is uploaded, and its rows in words. */
import { describe, expect, test } from 'vitest';
import {
  guessed,
  isTakenAnyway,
  mappingOf,
  previewOf,
  readStatementFile,
  sizeText,
  type StatementFile,
} from '../../../../gateways/dashboard/web/screens/reconciliation/statement-file.ts';
import type { Statement, StatementItem } from '../../../../gateways/dashboard/web/wire/types.ts';
import { ageText, outcomeText, reasonText } from '../../../../gateways/dashboard/web/words/statements.ts';

const fileOf = (text: string | Uint8Array<ArrayBuffer>): File => new File([text], 'november.csv');
async function read(text: string): Promise<StatementFile> {
  const file = await readStatementFile(fileOf(text));
  if (typeof file === 'string') throw new Error(file);
  return file;
}

describe('a file', () => {
  test.each([
    ['commas', 'Txn,Amount\nA,"1,250.50"\n'],
    ['semicolons, CRLF and a byte order mark', '\uFEFFTxn;Amount\r\nA;1,250.50\r\n'],
    ['tabs', 'Txn\tAmount\nA\t1,250.50\n'],
    ['quoted names', '"Txn","Amount"\n"A","1,250.50"\n'],
  ])('with %s', async (_what, text) => {
    const file = await read(text);
    expect([file.columns, file.rows]).toEqual([['Txn', 'Amount'], [['A', '1,250.50']]]);
    const chosen = guessed(file.columns);
    expect(mappingOf(chosen)).toEqual({ reference: 'Txn', amount: 'Amount', unit: 'rupees' });
    expect(previewOf(file, chosen)).toMatchObject([{ reference: 'A', amount: 125_050, date: null }]);
    expect(previewOf(file, { ...chosen, unit: 'paisa' })).toMatchObject([
      { amountText: '1,250.50', amount: null },
    ]);
  });

  test('only its first rows are shown', async () => {
    expect((await read(`Reference,Amount\n${'A,1\n'.repeat(50)}`)).rows).toHaveLength(5);
  });

  test.each([
    ['', 'The file is empty.'],
    ['no columns here', 'does not name any columns'],
    [new Uint8Array([0xff, 0xfe, 0x41]), 'not text in UTF-8'],
    ['a,b\n'.repeat(2_000_000), 'The file has 7.6 MiB; at most 5 MiB are accepted.'],
  ])('that is no statement is refused with a reason', async (text, reason) => {
    expect(await readStatementFile(fileOf(text))).toContain(reason);
  });

  test('the service’s own names come first, and a fee is not taken for the amount', () => {
    expect(guessed(['Ref no', 'reference', 'Fee amount', 'Net amount', 'Value date'])).toEqual({
      reference: 'reference',
      amount: 'Net amount',
      date: 'Value date',
      fee: 'Fee amount',
      unit: 'rupees',
    });
    expect([isTakenAnyway(['DATE'], 'date'), isTakenAnyway(['Value date'], 'date')]).toEqual([true, false]);
    expect([sizeText(900), sizeText(1_258_291)]).toEqual(['1 KiB', '1.2 MiB']);
  });
});

const statement: Statement = {
  livemode: false,
  id: 'rst_0xjxhv9kw4538wnjv2j2e340',
  provider: 'wallet_a',
  fileName: 'november.csv',
  status: 'done',
  failureReason: null,
  rows: 120,
  matched: 117,
  amountDiffers: 1,
  unmatchedStatement: 2,
  unmatchedPayment: 0,
  dateFrom: null,
  dateTo: null,
  createdAt: '2026-12-01T04:00:00.000Z',
  updatedAt: '2026-12-01T04:00:03.000Z',
};
const item: StatementItem = {
  line: 14,
  result: 'amount_differs',
  reference: '000AWEO',
  statementAmount: 125_000,
  fee: 1250,
  paymentId: 'pay_4t8z1m6q3x9k2v7b',
  paymentAmount: 125_050,
  date: '2026-11-20T09:16:40.000Z',
  ageDays: 11,
};

test('what came out of a statement', () => {
  expect(outcomeText(statement)).toBe('120 rows, 3 mismatches');
  expect(outcomeText({ ...statement, amountDiffers: 0, unmatchedStatement: 0 })).toBe('120 rows, all agree');
  expect(outcomeText({ ...statement, status: 'processing', amountDiffers: 0, unmatchedStatement: 0 })).toBe(
    '120 rows so far',
  );
  expect(outcomeText({ ...statement, status: 'failed', failureReason: 'The file is empty.' })).toBe(
    'The file is empty.',
  );
});

test.each<[string, Partial<StatementItem>]>([
  ['The file has NPR 0.50 less than the payment.', {}],
  ['The file has NPR 0.50 more than the payment.', { statementAmount: 125_100 }],
  ['The file has NPR 0.50 more than the refund.', { statementAmount: -5_050, paymentAmount: -5_000 }],
  ['The amount in the file cannot be read.', { statementAmount: null }],
  ['No payment has this reference.', { result: 'unmatched_statement', paymentId: null, paymentAmount: null }],
  [
    'This payment has not succeeded, or another row has it already.',
    { result: 'unmatched_statement', paymentAmount: null },
  ],
  [
    'This payment has no refund of that amount left.',
    { result: 'unmatched_statement', statementAmount: -5_000, paymentAmount: null },
  ],
  [
    'The payment succeeded in the days of the file, which has no row for it.',
    { result: 'unmatched_payment', line: null, statementAmount: null },
  ],
  ['', { result: 'matched', paymentAmount: 125_000 }],
])('%s', (reason, fields) => {
  expect(reasonText({ ...item, ...fields })).toBe(reason);
});

test('the age of a row', () => {
  expect([0, 1, 11].map(ageText)).toEqual(['today', '1 day old', '11 days old']);
});
