/** Payments found by their fields, and the same ones as a CSV file, read by a parser that is not ours. */
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import type { Answer, Body } from '../../src/cli/demo/api.ts';
import type { Merchant } from '../support/merchant.ts';
import { eventually } from '../support/eventually.ts';
import { describeModes } from '../support/modes.ts';
import { expectRefusal } from '../support/refusal.ts';

const asCsv = { headers: { accept: 'text/csv' } };
/** Everything that CSV and spreadsheets take for special. */
const hostile = '=HYPERLINK("http://x", "a,b")\r\nsecond line, with "quotes"';

interface Order {
  readonly amount: number;
  readonly metadata: object;
  readonly customer?: object;
}
const orders: readonly Order[] = [
  { amount: 100_000, metadata: { order_id: 'A-1', branch: 'Patan' } },
  { amount: 200_000, metadata: { orderId: 'A-1', branch: 'Thamel, "old"' } },
  { amount: 300_000, metadata: { order_id: 'A-2', branch: 'Patan' }, customer: { name: hostile } },
  { amount: 300_000, metadata: { order_id: 'A-3', branch: 7 } },
];

async function payments(shop: Merchant): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const order of orders) {
    const id = (await shop.checkout(order)).text('id');
    await shop.simulate(id, 'success');
    ids.push((await shop.untilStatus(id, 'success')).text('paymentId'));
  }
  return ids;
}

const rowsOf = ({ text }: Answer): readonly { readonly [name: string]: string }[] =>
  parse(text, { columns: true, record_delimiter: '\r\n' });

/** What a cell of our CSV says of a value. */
function cellOf(value: unknown): string {
  if (value === null) return '';
  if (typeof value === 'string') return /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return JSON.stringify(value);
}

const cellsOf = ({ value }: Body): object =>
  Object.fromEntries(Object.entries(value as object).map(([name, each]) => [name, cellOf(each)]));

describeModes('payments, searched', (galla) => {
  test('row 13: by order, by metadata, by amount and as CSV, a merchant finds the same payments', async () => {
    const shop = await galla().merchant();
    const made = await payments(shop);
    const searches: readonly (readonly [query: string, found: readonly number[]])[] = [
      ['', [3, 2, 1, 0]],
      ['orderId=A-1', [1, 0]],
      ['metadata.branch=Patan', [2, 0]],
      [`metadata.branch=${encodeURIComponent('Thamel, "old"')}`, [1]],
      ['metadata.branch=7', [3]],
      ['metadata.branch=Patan&orderId=A-2', [2]],
      ['amountMin=200000', [3, 2, 1]],
      ['amountMin=200000&amountMax=200000', [1]],
      ['status=success&provider=wallet_b&limit=1&page=1', [3, 2, 1, 0]],
      ['orderId=nobody', []],
    ];
    for (const [query, found] of searches) {
      const json = await shop.api.must('GET', `/v1/payments?${query.replace('limit=1&', '')}`);
      const csv = await shop.api.must('GET', `/v1/payments?${query}`, undefined, asCsv);
      const wanted = found.map((n) => made[n]);
      expect(
        json.body.list('data').map((one) => one.at('id')),
        query,
      ).toEqual(wanted);
      expect(
        rowsOf(csv).map(({ id }) => id),
        query,
      ).toEqual(wanted);
      expect(csv.headers.get('x-total-count'), query).toBe(String(found.length));
      // every field of every payment
      expect(rowsOf(csv)).toEqual(json.body.list('data').map(cellsOf));
    }
  });

  test('refunds come as CSV, too: the same ones, with notes that run nothing', async () => {
    const shop = await galla().merchant();
    const [paymentId] = await payments(shop);
    for (const notes of [hostile, null]) {
      const body = { paymentId, amount: 1000, reason: 'customer_request', notes };
      await shop.api.must('POST', '/v1/refunds', body);
    }
    // a refund that is still on its way may change between the two reads
    await eventually(
      async () =>
        (await shop.api.must('GET', '/v1/refunds?status=processing')).body.at('total') === 0 || null,
      () => 'the refunds to end',
    );
    const json = await shop.api.must('GET', `/v1/refunds?paymentId=${paymentId}`);
    const csv = await shop.api.must('GET', `/v1/refunds?paymentId=${paymentId}`, undefined, asCsv);
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="refunds.csv"');
    expect(rowsOf(csv)).toEqual(json.body.list('data').map(cellsOf));
    expect(rowsOf(csv).map(({ notes }) => notes)).toEqual(['', `'${hostile}`]);
  });

  test('by words of what is known about it, and nobody else finds it', async () => {
    const [shop, stranger] = [await galla().merchant(), await galla().merchant()];
    const asha = {
      amount: 100_000,
      description: 'Cookbook, and an APRON',
      customer: { name: 'आशा Rai', email: 'Asha.Rai@example.com', phone: '+977 984-1234567' },
      metadata: { order_id: 'INV/2026-17' },
    };
    const bina = {
      amount: 100_000,
      description: 'Cookbook',
      customer: { name: 'Bina Rai', email: 'bina@example.com', phone: '9800000000' },
      metadata: { order_id: 'INV/2026-18' },
    };
    const id = (await shop.checkout(asha)).text('id');
    await shop.simulate(id, 'success');
    const paid = (await shop.untilStatus(id, 'success')).text('paymentId');
    for (const [owner, order] of [
      [shop, bina],
      [stranger, asha],
    ] as const) {
      const other = (await owner.checkout(order)).text('id');
      await owner.simulate(other, 'declined');
    }
    const providerRef = (await shop.payment(paid)).text('providerRef');
    const found = async (owner: Merchant, text: string, more = ''): Promise<readonly unknown[]> => {
      const query = `/v1/payments?search=${encodeURIComponent(text)}${more}`;
      const { body } = await owner.api.must('GET', query);
      const ids = body.list('data').map((one) => one.at('id'));
      expect(body.at('total'), text).toBe(ids.length);
      return ids;
    };
    for (const text of [
      'आशा',
      'asha.rai@EXAMPLE.com',
      '984 1234567',
      'apron',
      providerRef.toLowerCase(),
      'inv/2026-17',
      'rai cookbook 9841234567',
    ]) {
      expect(await found(shop, text), text).toEqual([paid]);
      const csv = await shop.api.must(
        'GET',
        `/v1/payments?search=${encodeURIComponent(text)}`,
        undefined,
        asCsv,
      );
      expect(rowsOf(csv).map((row) => row['id'])).toEqual([paid]);
    }
    expect(await found(stranger, providerRef)).toEqual([]);
    expect(await found(stranger, 'आशा')).toHaveLength(1);
    expect(await found(stranger, 'आशा')).not.toEqual([paid]);
    expect(await found(shop, 'rai')).toHaveLength(2);
    expect(await found(shop, 'rai', '&status=success')).toEqual([paid]);
    for (const text of ['ash', 'rai thapa', 'apron bina', '...']) expect(await found(shop, text)).toEqual([]);
    for (const [text, refused] of [
      ['', 'search too_short'],
      ['x'.repeat(121), 'search too_long'],
      [Array.from({ length: 13 }, (_, n) => `w${n}`).join(' '), 'search too_long'],
    ] as const) {
      const answer = await shop.api.get(`/v1/payments?search=${encodeURIComponent(text)}`);
      expectRefusal(answer, 'validation_failed', [refused]);
    }
  });

  test('a CSV file names its fields, runs no formula, and goes to the owner alone', async () => {
    const shop = await galla().merchant();
    const empty = await shop.api.must('GET', '/v1/payments', undefined, asCsv);
    const [made] = await payments(shop);
    const fields = Object.keys((await shop.payment(made ?? '')).value as object);
    expect(empty.text).toBe(`${fields.join(',')}\r\n`);
    const file = await shop.api.must('GET', '/v1/payments?orderId=A-2', undefined, asCsv);
    expect(file.headers.get('content-type')).toMatch(/^text\/csv; charset=utf-8/);
    expect(file.headers.get('x-request-id')).toMatch(/^req_/);
    expect(JSON.parse(rowsOf(file)[0]?.['customer'] ?? '')).toMatchObject({ name: hostile });
    for (const row of rowsOf(file)) {
      for (const cell of Object.values(row)) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
    }
    const stranger = await galla().merchant();
    expect(rowsOf(await stranger.api.must('GET', '/v1/payments', undefined, asCsv))).toEqual([]);
    expectRefusal(await shop.publishable.get('/v1/payments', asCsv), 'api_key_must_be_secret');
    expectRefusal(await shop.api.get('/v1/payments?status=paid', asCsv), 'validation_failed', [
      'status not_in_enum',
    ]);
    // a client that would rather have JSON gets it
    const json = await shop.api.get('/v1/payments', {
      headers: { accept: 'application/json, text/csv;q=0.5' },
    });
    expect(json.headers.get('content-type')).toMatch(/^application\/json/);
  });
});
