/** A merchant uploads a provider's statement and reads which rows agree with the payments. */
import { expect, test } from 'vitest';
import type { Body } from '../../src/cli/demo/api.ts';
import { eventually } from '../support/eventually.ts';
import { describeModes } from '../support/modes.ts';
import { expectRefusal } from '../support/refusal.ts';
import {
  comparedFrom,
  itemsOf,
  paidPayment,
  statementNow,
  statementsPath,
  untilCompared,
} from '../support/statements.ts';

const dayOf = (payment: Body): string => payment.text('paidAt');

describeModes('statements', (galla) => {
  test('row 107: a file with one wrong amount and one unknown line reports both, and what it does not have', async () => {
    const shop = await galla().merchant();
    const [right, wrong, missing] = [
      await paidPayment(shop),
      await paidPayment(shop, 200_000),
      await paidPayment(shop, 300_000),
    ];
    const file = [
      'Reference,Amount,Date,Fee',
      `${right.text('providerRef')},"1,250.50",${dayOf(right)},12.50`,
      `${wrong.text('providerRef')},1999.00,${dayOf(wrong)},20`,
      `NOBODY-KNOWS,50,${dayOf(wrong)},`,
    ].join('\n');
    const { body, status } = await shop.api.post(statementsPath, {
      provider: 'wallet_b',
      fileName: 'november.csv',
      csv: file,
    });
    expect(status).toBe(201);
    expect(body.value).toMatchObject({
      livemode: false,
      provider: 'wallet_b',
      fileName: 'november.csv',
      rows: 0,
      unmatchedPayment: 0,
    });
    const done = await untilCompared(shop, body.text('id'));
    expect(done.value).toMatchObject({
      status: 'done',
      failureReason: null,
      rows: 3,
      matched: 1,
      amountDiffers: 1,
      unmatchedStatement: 1,
      unmatchedPayment: 1,
    });

    const differs = await itemsOf(shop, done, '&result=amount_differs');
    expect(differs.map(({ value }) => value)).toEqual([
      {
        line: 3,
        result: 'amount_differs',
        reference: wrong.text('providerRef'),
        statementAmount: 199_900,
        fee: 2000,
        paymentId: wrong.text('id'),
        paymentAmount: 200_000,
        date: wrong.text('paidAt'),
        ageDays: 0,
      },
    ]);
    const [unknown, ...others] = await itemsOf(shop, done, '&result=unmatched_statement');
    expect(others).toEqual([]);
    expect(unknown?.value).toMatchObject({ line: 4, reference: 'NOBODY-KNOWS', paymentId: null, ageDays: 0 });
    const [absent] = await itemsOf(shop, done, '&result=unmatched_payment');
    expect(absent?.value).toMatchObject({
      line: null,
      paymentId: missing.text('id'),
      paymentAmount: 300_000,
      reference: missing.text('providerRef'),
    });

    // the fee is stored, and nothing else of a payment changes
    const kept = await eventually(
      async () => {
        const payment = await shop.payment(right.text('id'));
        return payment.at('fee') === 1250 ? payment : null;
      },
      () => 'the fee of the matched payment',
    );
    expect(kept.value).toMatchObject({ status: 'success', sequence: Number(right.at('sequence')) + 1 });
    expect((await shop.payment(wrong.text('id'))).value).toEqual(wrong.value);
    // open differences get older
    await shop.advance(3 * 86_400);
    const [aged] = await itemsOf(shop, done, '&result=unmatched_statement');
    expect(aged?.at('ageDays')).toBe(3);
    expect((await statementNow(shop, done.text('id'))).value).toEqual(done.value);
  });

  test('the same file twice is two statements; the same Idempotency-Key is one', async () => {
    const shop = await galla().merchant();
    const body = { provider: 'wallet_b', csv: 'reference,amount\nX,1\n' };
    const [first, second] = [
      await shop.api.post(statementsPath, body),
      await shop.api.post(statementsPath, body),
    ];
    expect(first.body.text('id')).not.toBe(second.body.text('id'));
    const keyed = { idempotencyKey: 'november' };
    const [one, again] = [
      await shop.api.post(statementsPath, body, keyed),
      await shop.api.post(statementsPath, body, keyed),
    ];
    expect(again.text).toBe(one.text);
    const { body: all } = await shop.api.must('GET', `${statementsPath}?provider=wallet_b`);
    expect(all.list('data').map((each) => each.text('id'))).toEqual(
      [one, second, first].map((each) => each.body.text('id')),
    );
    for (const each of all.list('data')) await untilCompared(shop, each.text('id'));
    const failed = await shop.api.must('GET', `${statementsPath}?status=failed`);
    expect(failed.body.at('total')).toBe(0);
    expectRefusal(await shop.api.get(`${statementsPath}?status=open`), 'validation_failed', [
      'status not_in_enum',
    ]);
  });

  test('a large file is compared row by row', async () => {
    const shop = await galla().merchant();
    const paid = await paidPayment(shop);
    const unknown = Array.from({ length: 2_500 }, (_, at) => `NO-${at};10.00`);
    const csv = `reference;amount\r\n${unknown.join('\r\n')}\r\n${paid.text('providerRef')};1250.50\r\n`;
    const done = await comparedFrom(shop, csv);
    expect(done.value).toMatchObject({ rows: 2_501, matched: 1, unmatchedStatement: 2_500, dateFrom: null });
    const { body } = await shop.api.must(
      'GET',
      `${statementsPath}/${done.text('id')}/items?limit=50&page=51`,
    );
    expect(body.at('total')).toBe(2_501);
    expect(body.list('data').map((item) => item.at('line'))).toEqual([2_502]);
    const [matched] = await itemsOf(shop, done, '&result=matched');
    expect(matched?.value).toMatchObject({ line: 2_502, paymentId: paid.text('id') });
  });

  test('another project, and a read-only key, upload and see nothing', async () => {
    const [shop, other] = [await galla().merchant(), await galla().merchant()];
    const done = await comparedFrom(shop, 'reference,amount\nX,1\n');
    const path = `${statementsPath}/${done.text('id')}`;
    expectRefusal(await other.api.get(path), 'resource_not_found');
    expectRefusal(await other.api.get(`${path}/items`), 'resource_not_found');
    expectRefusal(await other.publishable.get(path), 'api_key_must_be_secret');
    const key = await galla().key(shop.projectId, { kind: 'secret', mode: 'sandbox', access: 'read' });
    const reader = galla().with(key);
    expect((await reader.get(path)).status).toBe(200);
    expectRefusal(await reader.post(statementsPath, {}), 'key_access_insufficient');
  });
});
