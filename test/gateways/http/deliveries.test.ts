import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../src/cli/demo/printer.ts';
import type { Api, Body } from '../../../src/cli/demo/api.ts';
import { Shop } from '../../../src/cli/demo/shop.ts';
import { startGalla, type Galla } from '../../support/galla.ts';
import { expectRefusal } from '../../support/refusal.ts';

let galla: Galla;
let shop: Shop;
beforeAll(async () => {
  [galla, shop] = await Promise.all([startGalla(), Shop.open()]);
});
afterAll(() => Promise.all([galla.stop(), shop.close()]));

interface Story {
  readonly api: Api;
  readonly endpointId: string;
}

/** A merchant whose endpoint receives checkout events and answers with `status`. */
async function listening(status: number): Promise<Story> {
  shop.answering = () => ({ status });
  const { api } = await galla.merchant();
  const endpoint = await api.must('POST', '/v1/webhooks', {
    url: `${shop.url}/hooks`,
    events: ['checkout.created', 'checkout.expired'],
  });
  return { api, endpointId: endpoint.body.text('id') };
}

const checkout = async ({ api }: Story): Promise<string> =>
  (await api.must('POST', '/v1/checkout', { amount: 5000, returnUrl: 'https://shop.example/' })).body.text(
    'id',
  );

const log = async ({ api, endpointId }: Story, query = ''): Promise<readonly Body[]> =>
  (await api.must('GET', `/v1/webhooks/${endpointId}/deliveries${query}`)).body.list('data');

/** The newest delivery once it is in this state. */
const newest = (story: Story, status: string): Promise<Body> =>
  eventually(`a delivery that is ${status}`, 10_000, async () => {
    const [first] = await log(story);
    return first?.at('status') === status ? first : null;
  });

const retry = (story: Story, id: string) => story.api.post(`/v1/webhooks/deliveries/${id}/retry`);

describe('the delivery log', () => {
  test('row 63: shows what was sent, and what was answered', async () => {
    const story = await listening(500);
    const sessionId = await checkout(story);
    const delivery = await newest(story, 'retrying');
    expect(delivery.value).toMatchObject({
      webhookEndpointId: story.endpointId,
      eventType: 'checkout.created',
      attempts: 1,
      responseStatus: 500,
    });
    const event = await story.api.must('GET', `/v1/events/${delivery.text('eventId')}`);
    expect(delivery.at('payload')).toEqual(event.body.value);
    expect(delivery.text('payload.data.id')).toBe(sessionId);
    const one = await story.api.must('GET', `/v1/webhooks/deliveries/${delivery.text('id')}`);
    expect(one.body.value).toEqual(delivery.value);
  });

  test('is filtered by state, kind and event, and paged', async () => {
    const story = await listening(200);
    await checkout(story);
    const [first] = [await newest(story, 'success')];
    await checkout(story);
    await expect.poll(async () => (await log(story, '?status=success')).length).toBe(2);
    const found = async (query: string): Promise<number> => (await log(story, query)).length;
    const ofFirst = `?eventId=${first?.text('eventId')}`;
    expect(await found(ofFirst)).toBe(1);
    expect(await found(`${ofFirst}&eventType=checkout.created&status=success`)).toBe(1);
    expect(await found(`${ofFirst}&status=failed`)).toBe(0);
    expect(await found(`${ofFirst}&page=2`)).toBe(0);
    expect(await found(`${ofFirst}&createdTo=2020-01-01T00:00:00Z`)).toBe(0);
    expect(await found('?eventId=evt_none')).toBe(0);
    expect(await found('?eventType=checkout.created')).toBe(2);
    expect(await found('?eventType=checkout.expired')).toBe(0);
    expect(await found('?status=failed')).toBe(0);
    expect(await found('?limit=1&page=2')).toBe(1);
    const wrong = await story.api.get(`/v1/webhooks/${story.endpointId}/deliveries?status=lost&eventType=x`);
    expectRefusal(wrong, 'validation_failed');
  });

  test('is visible to its own project only', async () => {
    const story = await listening(200);
    await checkout(story);
    const delivery = await newest(story, 'success');
    const other = (await galla.merchant()).api;
    expectRefusal(await other.get(`/v1/webhooks/${story.endpointId}/deliveries`), 'resource_not_found');
    expectRefusal(await other.get(`/v1/webhooks/deliveries/${delivery.text('id')}`), 'resource_not_found');
    expectRefusal(
      await other.post(`/v1/webhooks/deliveries/${delivery.text('id')}/retry`),
      'resource_not_found',
    );
  });
});

describe('a manual retry', () => {
  test('row 63: sends a failed delivery at once, with the same id, byte for byte', async () => {
    const story = await listening(500);
    await checkout(story);
    const failing = await newest(story, 'retrying');
    shop.answering = () => ({ status: 200 });
    const asked = await retry(story, failing.text('id'));
    expect([asked.status, asked.body.at('id')]).toEqual([200, failing.text('id')]);
    expect((await newest(story, 'success')).value).toMatchObject({ attempts: 2, nextAttemptAt: null });
    const sent = shop.webhooks.filter(({ id }) => id === failing.text('eventId'));
    expect(sent).toHaveLength(2);
    expect(sent[1]?.raw).toEqual(sent[0]?.raw);
    expect(sent[1]?.headers['webhook-id']).toBe(sent[0]?.headers['webhook-id']);
  });

  test('of a success sends it once more, and it stays a success', async () => {
    const story = await listening(200);
    await checkout(story);
    const delivered = await newest(story, 'success');
    shop.answering = () => ({ status: 503 });
    await retry(story, delivered.text('id'));
    await expect.poll(async () => (await newest(story, 'success')).at('attempts')).toBe(2);
    expect((await newest(story, 'success')).at('responseStatus')).toBe(503);
  });

  test('of a disabled endpoint is refused until that is enabled; of a deleted one, for good', async () => {
    const story = await listening(200);
    await checkout(story);
    const id = (await newest(story, 'success')).text('id');
    const enable = (enabled: boolean) =>
      story.api.send('PATCH', `/v1/webhooks/${story.endpointId}`, { body: { enabled } });
    await enable(false);
    const refused = await retry(story, id);
    expectRefusal(refused, 'invalid_state');
    expect(refused.body.at('error.currentStatus')).toBe('disabled');
    expect(refused.body.text('error.message')).toContain('Enable it first: PATCH /v1/webhooks/{id}');
    await enable(true);
    expect((await retry(story, id)).status).toBe(200);
    await expect.poll(async () => (await newest(story, 'success')).at('attempts')).toBe(2);
    await story.api.must('DELETE', `/v1/webhooks/${story.endpointId}`);
    const over = await retry(story, id);
    expectRefusal(over, 'invalid_state');
    expect(over.body.at('error.currentStatus')).toBe('deleted');
    expect((await story.api.get(`/v1/webhooks/deliveries/${id}`)).body.at('attempts')).toBe(2);
  });

  test('that was sent is answered the same to a repeat, although its endpoint was disabled since', async () => {
    const story = await listening(200);
    await checkout(story);
    const id = (await newest(story, 'success')).text('id');
    const idempotencyKey = 'again-1';
    const send = () =>
      story.api.send('POST', `/v1/webhooks/deliveries/${id}/retry`, { idempotencyKey, body: {} });
    const first = await send();
    expect(first.status).toBe(200);
    await story.api.send('PATCH', `/v1/webhooks/${story.endpointId}`, { body: { enabled: false } });
    const second = await send();
    expect([second.status, second.text]).toEqual([200, first.text]);
  });
});
