/** POST /v1/reconciliation/statements refuses what is no upload, and ends what is no statement as `failed`. */
import { beforeAll, describe, expect, test } from 'vitest';
import { statementAt, statementBlockKind } from '../../../actors/statement/messages.ts';
import { statementsProcessingMax } from '../../../gateways/http/routes/statements.ts';
import { statementBytesMax } from '../../../src/kernel/text-bounds.ts';
import { mintId } from '../../../src/kernel/id.ts';
import { scopeOf } from '../../../src/runtime/model/address.ts';
import { merchantWithLogin, Page } from '../../support/dashboard.ts';
import { eventually } from '../../support/eventually.ts';
import { gallaOfFile } from '../../support/of-file.ts';
import type { Merchant } from '../../support/merchant.ts';
import { expectRefusal } from '../../support/refusal.ts';
import {
  comparedFrom,
  itemsOf,
  paidPayment,
  statementNow,
  statementsPath,
  untilCompared,
  uploaded,
} from '../../support/statements.ts';

const galla = gallaOfFile();
let shop: Merchant;
beforeAll(async () => {
  shop = await galla.merchant();
});

const upload = (fields: object) =>
  shop.api.post(statementsPath, { provider: 'wallet_b', csv: 'reference,amount\n', ...fields });

describe('the body', () => {
  test.each<[object, string]>([
    [{ provider: undefined }, 'provider required'],
    [{ provider: 'wallet_z' }, 'provider not_in_enum'],
    [{ provider: 1 }, 'provider not_in_enum'],
    [{ csv: undefined }, 'csv required'],
    [{ csv: '' }, 'csv too_short'],
    [{ csv: ['reference,amount'] }, 'csv wrong_type'],
    [{ csv: null }, 'csv required'],
    [{ fileName: '' }, 'fileName too_short'],
    [{ fileName: 'x'.repeat(256) }, 'fileName too_long'],
    [{ fileName: 1 }, 'fileName wrong_type'],
    [{ mapping: 'reference' }, 'mapping wrong_type'],
    [{ mapping: [] }, 'mapping wrong_type'],
    [{ mapping: { reference: 1 } }, 'mapping.reference wrong_type'],
    [{ mapping: { amount: '' } }, 'mapping.amount too_short'],
    [{ mapping: { date: 'x'.repeat(101) } }, 'mapping.date too_long'],
    [{ mapping: { fee: {} } }, 'mapping.fee wrong_type'],
    [{ mapping: { unit: false } }, 'mapping.unit wrong_type'],
  ])('%j is refused: %s', async (fields, error) => {
    expectRefusal(await upload(fields), 'validation_failed', [error]);
  });

  test('what is not known is named, and null counts as not sent', async () => {
    const answer = await upload({ fileName: null, mapping: { reference: null, when: 'x' }, more: 1 });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('x-ignored-params')).toBe('mapping.when,more');
    expect(answer.body.at('fileName')).toBeNull();
  });

  test('may have 5 MiB here, and 64 KiB anywhere else', async () => {
    const csvOf = (bytes: number): string => `reference,amount\n${'x'.repeat(bytes)}`;
    const around = JSON.stringify({ provider: 'wallet_b', csv: csvOf(0) }).length;
    const whole = await upload({ csv: csvOf(statementBytesMax - around) });
    expect(whole.status).toBe(201);
    const over = await upload({ csv: csvOf(statementBytesMax - around + 1) });
    expectRefusal(over, 'request_too_large');
    expect(over.body.text('error.message')).toBe('The body is larger than 5120 KiB.');
    const chunked = new Blob([JSON.stringify({ provider: 'wallet_b', csv: csvOf(statementBytesMax) })]);
    const streamed = await fetch(galla.url + statementsPath, {
      method: 'POST',
      headers: { authorization: `Bearer ${shop.api.key}`, 'content-type': 'application/json' },
      body: chunked.stream(),
      duplex: 'half',
    } as RequestInit);
    expect(streamed.status).toBe(413);
    const elsewhere = { name: 'x', amount: 50_000, description: 'x'.repeat(70_000) };
    expectRefusal(await shop.api.post('/v1/payment-links', elsewhere), 'request_too_large');
  });
});

describe('a file as the whole body', () => {
  const csv = 'Txn,Paid\nNOBODY-KNOWS,500\n';
  const query = 'provider=wallet_b&fileName=november.csv&mapping.reference=Txn&mapping.amount=Paid';
  const sent = (search: string, body: string | Uint8Array, key?: string) =>
    shop.api.send('POST', `${statementsPath}?${search}`, {
      body,
      headers: { 'content-type': 'text/csv; charset=utf-8' },
      ...(key === undefined ? {} : { idempotencyKey: key }),
    });

  test('is compared like the same file in JSON', async () => {
    const answer = await sent(query, csv);
    expect(answer.status).toBe(201);
    expect(answer.headers.get('x-ignored-params')).toBeNull();
    const compared = await untilCompared(shop, answer.body.text('id'));
    const mapping = { reference: 'Txn', amount: 'Paid' };
    const other = await comparedFrom(shop, csv, { fileName: 'november.csv', mapping });
    const { id, createdAt, updatedAt, ...same } = compared.value as { readonly [name: string]: unknown };
    expect([id, createdAt, updatedAt].every((each) => typeof each === 'string')).toBe(true);
    expect(other.value).toMatchObject(same);
    expect(same).toMatchObject({ status: 'done', rows: 1, fileName: 'november.csv' });
  });

  test.each([
    ['', csv, ['provider required']],
    ['provider=wallet_z', csv, ['provider not_in_enum']],
    ['provider=wallet_b&provider=wallet_b', csv, ['provider wrong_type']],
    ['provider=wallet_b&mapping.date=', csv, ['mapping.date too_short']],
    ['provider=wallet_b&mapping.date=a&mapping.date=b', csv, ['mapping.date wrong_type']],
    ['provider=wallet_b&mapping=Txn', csv, ['mapping wrong_type']],
    ['provider=wallet_b&csv=x', csv, ['csv wrong_type']],
    ['provider=wallet_b', '', ['csv required']],
    ['provider=wallet_b', Buffer.from('reference,amount\nA\xff,1\n', 'latin1'), ['csv invalid_format']],
  ])('with ?%s is refused by name', async (search, body, fields) => {
    expectRefusal(await sent(search, body), 'validation_failed', fields);
  });

  test('names that nobody knows are ignored and named, and another media type is refused', async () => {
    const answer = await sent('provider=wallet_b&mapping.when=x&more=1', csv);
    expect(answer.status).toBe(201);
    expect(answer.headers.get('x-ignored-params')).toBe('mapping.when,more');
    const plain = await shop.api.send('POST', `${statementsPath}?${query}`, {
      body: csv,
      headers: { 'content-type': 'text/plain' },
    });
    expect([plain.status, plain.body.text('error.message')]).toEqual([
      415,
      'Send application/json or text/csv.',
    ]);
    const elsewhere = await shop.api.send('POST', '/v1/payment-links?name=x&amount=50000', {
      body: csv,
      headers: { 'content-type': 'text/csv' },
    });
    expect([elsewhere.status, elsewhere.body.text('error.message')]).toEqual([415, 'Send application/json.']);
  });

  test('its key is of query and file together', async () => {
    const first = await sent(query, csv, 'one-file');
    expect(first.status).toBe(201);
    const again = await sent(query, csv, 'one-file');
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    for (const [search, body] of [
      [query, `${csv}A,1\n`],
      [query.replace('november', 'december'), csv],
      [`${query}&more=1`, csv],
    ] as const)
      expectRefusal(await sent(search, body, 'one-file'), 'idempotency_key_reused');
  });
});

test.each([
  ['no columns', 'hello', 'The file has no column "reference"; its columns are "hello".'],
  ['no amounts', 'reference,amount\nA,x\n', 'No row has an amount that can be read.'],
  ['a quote without end', 'reference,amount\nA,"1\n', 'A quoted text has no end: look at line 2.'],
])('what is no statement fails with a reason: %s', async (_what, csv, failureReason) => {
  const failed = await comparedFrom(shop, csv);
  expect(failed.value).toMatchObject({
    status: 'failed',
    failureReason,
    rows: 0,
    matched: 0,
    amountDiffers: 0,
    unmatchedStatement: 0,
    unmatchedPayment: 0,
    dateFrom: null,
  });
  expect(await itemsOf(shop, failed)).toEqual([]);
});

test('duplicates, refunds and our own references, as the guide says', async () => {
  const mine = await galla.merchant();
  const [first, second] = [await paidPayment(mine), await paidPayment(mine)];
  const refund = { paymentId: first.text('id'), amount: 25_050, reason: 'other' };
  await mine.api.must('POST', '/v1/refunds', refund);
  await mine.untilEvents(1, 'refund.succeeded');
  const own = second.text('id').replace('_', '-');
  const done = await comparedFrom(
    mine,
    [
      '\uFEFFTxn;Amount;Date',
      `${first.text('providerRef')};1250.50;${first.text('paidAt')}`,
      `${first.text('providerRef')};-250.50;${first.text('paidAt')}`,
      `${first.text('providerRef')};1250.50;${first.text('paidAt')}`,
      `${own};1250.50;20-11-2020 nonsense`,
    ].join('\r\n'),
    { mapping: { reference: 'txn' } },
  );
  const items = await itemsOf(mine, done);
  expect(items.map(({ value }) => value)).toMatchObject([
    { line: 2, result: 'matched', statementAmount: 125_050, paymentId: first.text('id') },
    { line: 3, result: 'matched', statementAmount: -25_050, paymentAmount: -25_050 },
    { line: 4, result: 'unmatched_statement', paymentId: first.text('id'), paymentAmount: null },
    { line: 5, result: 'matched', paymentId: second.text('id'), date: null, ageDays: null },
  ]);
  // a payment of another provider is not found
  const foreign = await comparedFrom(mine, `reference,amount\n${own},1250.50\n`, { provider: 'wallet_a' });
  expect(foreign.value).toMatchObject({ matched: 0, unmatchedStatement: 1 });
});

test('pages of compared rows', async () => {
  const rows = Array.from({ length: 230 }, (_, at) => `N${at},1`).join('\n');
  const done = await comparedFrom(shop, `reference,amount\n${rows}\n`);
  const page = async (query: string) => {
    const { body } = await shop.api.must('GET', `${statementsPath}/${done.text('id')}/items?${query}`);
    return [body.at('total'), body.list('data').map((item) => item.at('line'))];
  };
  expect(await page('page=3&limit=100')).toEqual([230, Array.from({ length: 30 }, (_, at) => 202 + at)]);
  expect(await page('page=5&limit=30')).toEqual([230, Array.from({ length: 30 }, (_, at) => 122 + at)]);
  expect(await page('page=2&limit=70&result=unmatched_statement')).toEqual([
    230,
    Array.from({ length: 70 }, (_, at) => 72 + at),
  ]);
  expect(await page('result=matched')).toEqual([0, []]);
  expect(await page('page=4&limit=100')).toEqual([230, []]);
  expectRefusal(
    await shop.api.get(`${statementsPath}/${done.text('id')}/items?page=5001&limit=100`),
    'page_too_deep',
  );
  expectRefusal(
    await shop.api.get(`${statementsPath}/${done.text('id')}/items?result=x`),
    'validation_failed',
    ['result not_in_enum'],
  );
  for (const id of ['rst_000000000000000000000000', 'nonsense'])
    expectRefusal(await shop.api.get(`${statementsPath}/${id}/items`), 'resource_not_found');
});

test('a compared statement keeps no text', async () => {
  const done = await comparedFrom(shop, 'reference,amount\nX,1\n');
  const scope = scopeOf(shop.projectId, 'sandbox');
  const textLeft = () => galla.node.client.list({ kind: 'statement_part', scope, page: 1, limit: 1 });
  await eventually(
    async () => ((await textLeft()).total === 0 ? true : null),
    () => 'the text to be removed',
  );
  const rows = await galla.node.client.listRows({ kind: statementBlockKind, scope, page: 1, limit: 1 });
  expect(rows.items[0]?.owner.id).toBe(done.text('id'));
});

test('the dashboard uploads and reads them with a login', async () => {
  const person = await merchantWithLogin(galla.admin, { email: 'books@example.com' });
  const page = new Page(galla.url);
  await page.logIn(person);
  const base = `/dashboard/api/${person.projectId}/sandbox/reconciliation/statements`;
  const csv = `reference,amount\n${'N,1\n'.repeat(20_000)}`;
  const made = await page.post(base, { provider: 'wallet_b', csv });
  expect(made.status).toBe(201);
  const id = made.body.text('id');
  expect((await page.get(`${base}/${id}`)).body.at('id')).toBe(id);
  expect((await page.get(base)).body.at('total')).toBe(1);
  expect((await page.get(`${base}/${id}/items`)).status).toBe(200);
  const other = `/dashboard/api/${shop.projectId}/sandbox/reconciliation/statements`;
  expect((await page.get(other)).status).toBe(404);
});

test('only so many of a project are processed at once, and they keep no other project waiting', async () => {
  const busy = await galla.merchant();
  const csv = `reference,amount\n${'N,1\n'.repeat(15_000)}`;
  const made = await Promise.all(Array.from({ length: statementsProcessingMax }, () => uploaded(busy, csv)));
  const refused = await busy.api.post(statementsPath, { provider: 'wallet_b', csv: 'reference,amount\n' });
  expectRefusal(refused, 'statement_limit_reached');
  expect((await comparedFrom(shop, 'reference,amount\nX,1\n')).at('status')).toBe('done');
  const last = await statementNow(busy, made.at(-1)?.text('id') ?? '');
  expect(last.at('status')).toBe('processing');
});

test('uploads that come together are counted together', async () => {
  const busy = await galla.merchant();
  const csv = `reference,amount\n${'N,1\n'.repeat(15_000)}`;
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => busy.api.post(statementsPath, { provider: 'wallet_b', csv })),
  );
  const made = answers.filter(({ status }) => status === 201);
  expect(made.length).toBeGreaterThan(0);
  expect(made.length).toBeLessThanOrEqual(statementsProcessingMax);
  for (const other of answers.filter((each) => !made.includes(each)))
    expectRefusal(other, 'statement_limit_reached');
});

test('a statement whose text is missing fails at once', async () => {
  const scope = scopeOf(shop.projectId, 'sandbox');
  const id = mintId('rst');
  const opening = { provider: 'wallet_b', fileName: null, mapping: {}, parts: 1 } as const;
  await galla.node.client.ask(statementAt(id), 'open', opening, { by: 'merchant', scope });
  expect((await untilCompared(shop, id)).at('failureReason')).toContain('is missing');
});
