import { describe, expect, test } from 'vitest';
import type { Answer } from '../../../src/cli/demo/api.ts';
import { gallaOfFile } from '../../support/of-file.ts';
import { expectRefusal } from '../../support/refusal.ts';

const galla = gallaOfFile();

describe('webhook endpoints', () => {
  test('are created with a secret that is never shown again, listed, read and deleted', async () => {
    const mine = await galla.merchant();
    const { body } = await mine.api.must('POST', '/v1/webhooks', {
      url: 'https://shop.example/hooks',
      events: ['payment.failed', 'payment.failed'],
    });
    const id = body.text('id');
    expect(Object.keys(body.value as object)).toEqual([
      'id',
      'livemode',
      'url',
      'events',
      'enabled',
      'description',
      'disabledReason',
      'apiVersion',
      'sequence',
      'signing_secret',
      'createdAt',
      'updatedAt',
    ]);
    expect(Buffer.from(body.text('signing_secret').slice('whsec_'.length), 'base64')).toHaveLength(32);
    const { signing_secret: _secret, ...view } = body.value as { [key: string]: unknown };
    expect(view).toMatchObject({ events: ['payment.failed'], enabled: true, description: null });
    expect((await mine.api.must('GET', `/v1/webhooks/${id}`)).body.value).toEqual(view);
    expect((await mine.api.must('GET', '/v1/webhooks')).body.value).toEqual({ data: [view] });
    const deleted = await mine.api.send('DELETE', `/v1/webhooks/${id}`);
    expect([deleted.status, deleted.text]).toEqual([200, `{"id":"${id}","deleted":true}`]);
    expectRefusal(await mine.api.send('DELETE', `/v1/webhooks/${id}`), 'resource_not_found');
    expectRefusal(await mine.api.get(`/v1/webhooks/${id}`), 'resource_not_found');
  });

  test('receive every event by default, and are limited to ten, of which a deleted one frees a place', async () => {
    const mine = await galla.merchant();
    const add = (events?: readonly string[]): Promise<Answer> =>
      mine.api.post('/v1/webhooks', {
        url: 'https://shop.example/hooks',
        ...(events === undefined ? {} : { events }),
      });
    const made: Answer[] = [];
    for (const events of [undefined, [], ['*'], ['*', 'payment.failed']]) made.push(await add(events));
    expect(made.map(({ body }) => body.at('events'))).toEqual([['*'], ['*'], ['*'], ['*']]);
    for (let n = 0; n < 6; n++) expect((await add()).status).toBe(201);
    expectRefusal(await add(), 'webhook_endpoint_limit_reached');
    await mine.api.send('DELETE', `/v1/webhooks/${made[0]?.body.text('id')}`);
    await expect.poll(async () => (await add()).status).toBe(201);
    expectRefusal(await add(), 'webhook_endpoint_limit_reached');
  });
});
