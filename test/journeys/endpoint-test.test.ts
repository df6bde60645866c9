/** A merchant tests an endpoint before real events are sent there. */
import { expect, test } from 'vitest';
import type { Body } from '../../src/cli/demo/api.ts';
import { verifyByHand, verifyStandard } from '../../src/cli/demo/signature.ts';
import { eventually } from '../support/eventually.ts';
import type { Merchant } from '../support/merchant.ts';
import { describeModes } from '../support/modes.ts';
import { expectRefusal } from '../support/refusal.ts';

const untilTried = (shop: Merchant, id: string): Promise<Body> =>
  eventually(
    async () => {
      const { body } = await shop.api.must('GET', `/v1/webhooks/deliveries/${id}`);
      return body.at('status') === 'pending' ? null : body;
    },
    () => `a try of ${id}`,
  );

describeModes('the test of an endpoint', (galla) => {
  test('row 63: is one signed delivery, marked as a test, in the log of its endpoint and nowhere else', async () => {
    const [shop, server] = [await galla().merchant(), await galla().shop()];
    const { id: endpointId, secret } = await shop.endpoint(server, ['payment.succeeded'], '/tested');
    await shop.endpoint(server, ['*'], '/other');
    const path = `/v1/webhooks/${endpointId}/test`;
    const asked = await shop.api.must('POST', path);
    expect(asked.status).toBe(200);
    expect(asked.body.value).toMatchObject({
      webhookEndpointId: endpointId,
      eventType: 'test.ping',
      payload: { type: 'test.ping', livemode: false, test: true, data: { message: 'ping' } },
    });
    const heard = await server.webhook(({ type }) => type === 'test.ping');
    verifyStandard(heard, secret);
    verifyByHand(heard, secret);
    expect(heard.raw.toString()).toBe(JSON.stringify(asked.body.at('payload')));
    expect(heard.headers['webhook-id']).toBe(asked.body.at('eventId'));
    const tried = await untilTried(shop, asked.body.text('id'));
    expect(tried.value).toMatchObject({ status: 'success', attempts: 1, responseStatus: 200 });

    // a sample of a kind looks like the real one
    const { body: paid } = await shop.api.must('POST', path, { type: 'payment.succeeded' });
    const sample = await server.webhook(({ type }) => type === 'payment.succeeded');
    verifyStandard(sample, secret);
    const session = await shop.checkout();
    await shop.simulate(session.text('id'), 'success');
    const [real] = await shop.untilEvents(1, 'payment.succeeded');
    const keysAt = (body: Body | undefined, path: string): readonly string[] =>
      Object.keys(body?.at(path) as object);
    expect(keysAt(paid, 'payload.data')).toEqual(keysAt(real, 'data'));

    const log = await shop.api.must('GET', `/v1/webhooks/${endpointId}/deliveries?eventType=test.ping`);
    expect(log.body.at('data')).toEqual([tried.value]);
    // not an event: no list, no stream, no other endpoint has it
    expect(await shop.events('test.ping')).toEqual([]);
    expect((await shop.events('payment.succeeded')).length).toBe(1);
    await shop.advance(60);
    expect(server.webhooks.filter(({ type }) => type === 'test.ping').map((one) => one.path)).toEqual([
      '/tested',
    ]);
  });

  test('row 63: is tried once, and its failure disables nothing', async () => {
    const [shop, server] = [await galla().merchant(), await galla().shop()];
    const { id: endpointId } = await shop.endpoint(server);
    server.answering = () => ({ status: 500 });
    const { body } = await shop.api.must('POST', `/v1/webhooks/${endpointId}/test`);
    expect((await untilTried(shop, body.text('id'))).value).toMatchObject({
      status: 'failed',
      attempts: 1,
      responseStatus: 500,
      nextAttemptAt: null,
    });
    await shop.advance(130 * 3600);
    expect(server.webhooks).toHaveLength(1);
    expect((await shop.api.must('GET', `/v1/webhooks/${endpointId}`)).body.at('enabled')).toBe(true);
    // by hand it may go once more
    server.answering = () => ({ status: 200 });
    await shop.api.must('POST', `/v1/webhooks/deliveries/${body.text('id')}/retry`);
    await eventually(
      async () => ((await untilTried(shop, body.text('id'))).at('status') === 'success' ? true : null),
      () => 'the second try',
    );
  });

  test('is refused for an unknown endpoint, and for a kind that does not exist', async () => {
    const [shop, server] = [await galla().merchant(), await galla().shop()];
    const { id: endpointId } = await shop.endpoint(server, ['checkout.created']);
    const path = `/v1/webhooks/${endpointId}/test`;
    for (const type of ['payment.lost', '']) {
      expectRefusal(await shop.api.post(path, { type }), 'validation_failed', ['type not_in_enum']);
    }
    const other = await galla().merchant();
    expectRefusal(await other.api.post(path), 'resource_not_found');
    server.answering = () => ({ status: 410 });
    await shop.checkout();
    const gone = await eventually(
      async () => {
        const answer = await shop.api.post(path);
        return answer.status === 409 ? answer : null;
      },
      () => 'the endpoint to be disabled',
    );
    expectRefusal(gone, 'invalid_state');
    expect(gone.body.at('error.currentStatus')).toBe('disabled');
    await shop.api.must('DELETE', `/v1/webhooks/${endpointId}`);
    expectRefusal(await shop.api.post(path), 'resource_not_found');
  });

  test('requested twice with one key is sent once', async () => {
    const [shop, server] = [await galla().merchant(), await galla().shop()];
    const { id: endpointId } = await shop.endpoint(server);
    const send = () =>
      shop.api.must('POST', `/v1/webhooks/${endpointId}/test`, {}, { idempotencyKey: 'only-once' });
    const [first, again] = [await send(), await send()];
    expect(again.text).toBe(first.text);
    await untilTried(shop, first.body.text('id'));
    expect(server.webhooks).toHaveLength(1);
  });
});
