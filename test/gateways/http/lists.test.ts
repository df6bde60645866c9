import { beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../../../src/cli/demo/api.ts';
import { gallaOfFile } from '../../support/of-file.ts';
import type { Merchant } from '../../support/merchant.ts';
import { expectRefusal } from '../../support/refusal.ts';

const galla = gallaOfFile();

const ids = ({ body }: Answer): readonly unknown[] => body.list('data').map((one) => one.at('id'));

describe('lists', () => {
  let mine: Merchant;
  let made: readonly string[];
  beforeAll(async () => {
    mine = await galla.merchant();
    const sessions: string[] = [];
    for (const n of [0, 1, 2, 3, 4]) {
      const metadata = { order_id: `o-${n}`, lane: n % 2 === 0 ? 'even' : 'odd', $where: n, 'a.b': true };
      sessions.push((await mine.checkout({ metadata })).text('id'));
    }
    made = sessions;
    await mine.api.must('POST', `/v1/checkout/${made[4]}/expire`);
  });
  const list = (query: string): Promise<Answer> => mine.api.must('GET', `/v1/checkout?${query}`);

  test('are newest first, in pages with an exact total', async () => {
    const newestFirst = made.toReversed();
    expect(ids(await list(''))).toEqual(newestFirst);
    const page = await list('page=2&limit=2');
    expect(ids(page)).toEqual(newestFirst.slice(2, 4));
    expect([page.body.at('total'), page.body.at('page'), page.body.at('limit')]).toEqual([5, 2, 2]);
    expect(ids(await list('page=9'))).toEqual([]);
  });

  test('of sessions are filtered by status, order, source and metadata', async () => {
    expect(ids(await list('status=expired'))).toEqual([made[4]]);
    expect(ids(await list('orderId=o-2'))).toEqual([made[2]]);
    expect(ids(await list('metadata.lane=odd'))).toEqual([made[3], made[1]]);
    expect(ids(await list('metadata.lane=odd&metadata.$where=1&metadata.a.b=true'))).toEqual([made[1]]);
    expect(ids(await list('metadata.lane=odd&orderId=o-2'))).toEqual([]);
    expect(ids(await list('source=checkout&limit=1'))).toEqual([made[4]]);
    expect(ids(await list('source=payment_link'))).toEqual([]);
    expect(ids(await list('source=invoice'))).toEqual([]);
    expect(ids(await list('provider=wallet_b'))).toEqual([]);
  });

  test('are limited by time: from inclusive, to exclusive', async () => {
    const at = (await mine.session(made[2] ?? '')).text('createdAt');
    expect(ids(await list(`createdTo=${at}`))).toEqual([made[1], made[0]]);
    expect(ids(await list(`createdFrom=${at}`))).toEqual([made[4], made[3], made[2]]);
  });

  test.each([
    ['page=0', ['page too_small']],
    ['page=1.5', ['page wrong_type']],
    ['page=one', ['page wrong_type']],
    ['limit=101&page=0', ['page too_small', 'limit too_large']],
    ['limit=', ['limit wrong_type']],
    ['status=paid', ['status not_in_enum']],
    ['createdFrom=2026-11-20', ['createdFrom invalid_format']],
    ['page=1&page=2', ['page wrong_type']],
    ['metadata.a=1&metadata.b=2&metadata.c=3&metadata.d=4', ['metadata metadata_too_many_keys']],
  ])('?%s is refused', async (query, errors) => {
    expectRefusal(await mine.api.get(`/v1/checkout?${query}`), 'validation_failed', errors);
  });

  test('are not read deeper than 10000 entries', async () => {
    expect((await mine.api.get('/v1/checkout?page=100&limit=100')).status).toBe(200);
    expectRefusal(await mine.api.get('/v1/checkout?page=101&limit=100'), 'page_too_deep');
    expectRefusal(await mine.api.get('/v1/payments?page=201'), 'page_too_deep');
  });
});

describe('payments', () => {
  let payer: Merchant;
  let payment: string;
  let session: string;
  beforeAll(async () => {
    payer = await galla.merchant();
    session = (await payer.checkout({ metadata: { order_id: '1001' } })).text('id');
    await payer.simulate(session, 'success');
    payment = (await payer.untilStatus(session, 'success')).text('paymentId');
  });
  const list = (query: string): Promise<Answer> => payer.api.must('GET', `/v1/payments?${query}`);

  test('are filtered by every field of the table', async () => {
    const { value } = (await payer.payment(payment)) as { value: { [key: string]: unknown } };
    const hits = [
      'status=success',
      'provider=wallet_b',
      `sessionId=${session}`,
      'orderId=1001',
      `providerRef=${String(value['providerRef'])}`,
      'needsReview=false',
      'amountMin=125050',
      'amountMax=125050',
      'metadata.order_id=1001',
      `createdFrom=${String(value['createdAt'])}`,
      'status=success&provider=wallet_b&needsReview=false&amountMin=1&amountMax=200000',
    ];
    for (const query of hits) expect(ids(await list(query)), query).toEqual([payment]);
    const misses = [
      'status=failed',
      'provider=wallet_a',
      'sessionId=cs_x',
      'orderId=1002',
      'providerRef=x',
      'needsReview=true',
      'amountMin=125051',
      'amountMax=125049',
      'invoiceId=inv_x',
      'customerId=bc_x',
      `createdTo=${String(value['createdAt'])}`,
    ];
    for (const query of misses) expect(ids(await list(query)), query).toEqual([]);
  });

  test('have a timeline, oldest first', async () => {
    const timeline = await payer.api.must('GET', `/v1/payments/${payment}/timeline`);
    const entries = timeline.body.list('data');
    expect(timeline.body.at('total')).toBe(entries.length);
    expect(Object.keys(entries[0]?.value ?? {})).toEqual([
      'at',
      'kind',
      'summary',
      'from',
      'to',
      'cause',
      'durationMs',
      'detail',
    ]);
    const times = entries.map((entry) => entry.text('at'));
    expect(times).toEqual(times.toSorted());
    expect(
      entries
        .map((entry) => entry.at('to'))
        .filter((to) => to !== null)
        .at(-1),
    ).toBe('success');
    const second = await payer.api.must('GET', `/v1/payments/${payment}/timeline?page=2&limit=1`);
    expect(second.body.list('data').map(({ value }) => value)).toEqual([entries[1]?.value]);
  });

  test('and events are found by kind and object', async () => {
    await payer.untilEvents(1, 'payment.succeeded');
    const events = await payer.api.must('GET', '/v1/events?type=payment.succeeded,checkout.created');
    expect(events.body.list('data').map((one) => one.at('type'))).toEqual([
      'payment.succeeded',
      'checkout.created',
    ]);
    expect(
      (await payer.api.must('GET', `/v1/events?objectId=${session}`)).body
        .list('data')
        .map((one) => one.at('type')),
    ).toEqual(['checkout.created']);
    const [event] = events.body.list('data');
    const single = await payer.api.must('GET', `/v1/events/${event?.text('id')}`);
    expect(single.body.value).toEqual(event?.value);
    expectRefusal(await payer.api.get('/v1/events?type=payment.eaten'), 'validation_failed', [
      'type unknown_event_type',
    ]);
    expectRefusal(await payer.api.get('/v1/events/evt_m339g1s03anfq6rgyzmhk9e5'), 'resource_not_found');
  });
});
