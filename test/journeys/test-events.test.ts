/** A merchant creates test events, to see how the own server reacts. */
import { describe, expect, test } from 'vitest';
import { eventKinds } from '../../actors/events.ts';
import type { Body } from '../../src/cli/demo/api.ts';
import { verifyByHand, verifyStandard } from '../../src/cli/demo/signature.ts';
import { describeModes } from '../support/modes.ts';
import { expectRefusal } from '../support/refusal.ts';

const path = '/v1/test/events';
const keysOf = (body: Body | undefined, at: string): readonly string[] => Object.keys(body?.at(at) as object);

describeModes('events of your own', (galla) => {
  test('row 103: a made-up event is delivered with test:true, signed, and with your own data', async () => {
    const [shop, server] = [await galla().merchant(), await galla().shop()];
    const { secret } = await shop.endpoint(server, ['payment.succeeded']);
    await shop.endpoint(server, ['checkout.created'], '/other');
    const data = {
      id: 'pay_mine',
      amount: 99_000,
      metadata: { order_id: 'X-1' },
      extra: [1, 'दुई'],
      sequence: 7,
    };
    const answer = await shop.api.must('POST', path, { type: 'payment.succeeded', data });
    expect(answer.status).toBe(201);
    expect(answer.body.value).toMatchObject({
      type: 'payment.succeeded',
      test: true,
      livemode: false,
      sequence: 7,
    });
    expect(answer.body.at('data')).toMatchObject({ ...data, status: 'success', currency: 'NPR' });

    const heard = await server.webhook(({ id }) => id === answer.body.at('id'));
    verifyStandard(heard, secret);
    verifyByHand(heard, secret);
    expect([heard.raw.toString(), heard.path]).toEqual([answer.text, '/hooks']);
    // it is listed and read as any event is, byte for byte
    expect((await shop.api.must('GET', `/v1/events/${answer.body.text('id')}`)).text).toBe(answer.text);
    const [listed] = await shop.untilEvents(1, 'payment.succeeded', 'pay_mine');
    expect(listed?.value).toEqual(answer.body.value);
    // the fields of a real one, and yours
    const session = await shop.checkout();
    await shop.simulate(session.text('id'), 'success');
    const real = (await shop.untilEvents(2, 'payment.succeeded')).at(-1);
    expect(keysOf(answer.body, 'data')).toEqual([...keysOf(real, 'data'), 'extra']);
    // another merchant has nothing of it, and no payment was made
    expect(await (await galla().merchant()).events('payment.succeeded')).toEqual([]);
    expectRefusal(await shop.api.get('/v1/payments/pay_mine'), 'resource_not_found');
  });

  test('every type that fires can be made up', async () => {
    const shop = await galla().merchant();
    for (const type of eventKinds) await shop.api.must('POST', path, { type });
    const events = await shop.untilEvents(eventKinds.length, eventKinds.join(','));
    expect(events.map((event) => event.at('type'))).toEqual(eventKinds);
    for (const event of events) expect(event.at('test')).toBe(true);
    const [ping] = await shop.events('test.ping');
    expect(ping?.at('data')).toEqual({ message: 'ping' });
  });

  test('one key makes one event, which is delivered once; another body or a running one is told so', async () => {
    const [shop, server] = [await galla().merchant(), await galla().shop()];
    await shop.endpoint(server, ['test.ping']);
    const idempotencyKey = 'made-up-1';
    const body = { type: 'test.ping', data: { message: 'once' } };
    const both = await Promise.all([0, 1].map(() => shop.api.post(path, body, { idempotencyKey })));
    for (const one of both.filter(({ status }) => status !== 201)) {
      expect([one.status, one.body.at('code')]).toEqual([409, 'idempotency_conflict']);
    }
    const first = both.find(({ status }) => status === 201);
    const again = await shop.api.must('POST', path, body, { idempotencyKey });
    expect([again.status, again.text]).toEqual([201, first?.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const other = await shop.api.post(path, { type: 'test.ping' }, { idempotencyKey });
    expectRefusal(other, 'idempotency_key_reused');
    const { body: record } = await shop.api.must('GET', `/v1/idempotency/${idempotencyKey}`);
    expect(record.at('data.0')).toMatchObject({ path, statusCode: 201, objectId: again.body.at('id') });
    // the second event shows that nothing of the first is on its way any more
    const last = await shop.api.must('POST', path, { type: 'test.ping', data: { message: 'last' } });
    await server.webhook(({ id }) => id === last.body.at('id'));
    expect(server.webhooks.map(({ id }) => id).toSorted()).toEqual(
      [again.body.text('id'), last.body.text('id')].toSorted(),
    );
    expect(await shop.events('test.ping')).toHaveLength(2);
  });

  describe('what is refused', () => {
    test('is another type, data that is no object, a live key, and a key that may only read', async () => {
      const shop = await galla().merchant();
      const refused = async (body: object, errors: readonly string[]) =>
        expectRefusal(await shop.api.post(path, body), 'validation_failed', errors);
      await refused({}, ['type required']);
      await refused({ type: 'payment.paid' }, ['type not_in_enum']);
      await refused({ type: 'test.ping', data: [1] }, ['data wrong_type']);
      await refused({ type: 'test.ping', data: 'text' }, ['data wrong_type']);
      // parsing has changed it already
      await refused({ type: 'test.ping', data: { of: [{ id: 2 ** 53 }] } }, ['data wrong_type']);
      const live = await galla().key(shop.projectId, { kind: 'secret', mode: 'live' });
      expectRefusal(await galla().with(live).post(path, { type: 'test.ping' }), 'sandbox_only');
      const reads = await galla().key(shop.projectId, { kind: 'secret', mode: 'sandbox', access: 'read' });
      expectRefusal(await galla().with(reads).post(path, { type: 'test.ping' }), 'key_access_insufficient');
      expect(await shop.events('test.ping')).toEqual([]);
    });

    test('is not an id or a sequence that no object could have: they stay data', async () => {
      const shop = await galla().merchant();
      const data = { id: 'x'.repeat(65), sequence: 'many', __proto__: null, constructor: 1 };
      const { body } = await shop.api.must('POST', path, { type: 'payment.failed', data });
      expect(body.at('data.id')).toBe(data.id);
      expect([body.at('data.sequence'), body.at('sequence')]).toEqual(['many', 3]);
      const [listed] = await shop.untilEvents(1, 'payment.failed', body.text('id'));
      expect(listed?.value).toEqual(body.value);
    });
  });
});
