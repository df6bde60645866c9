import { expect, test } from 'vitest';
import { freePorts } from '../../../src/cli/demo/service.ts';
import { objectsIn, walked } from './walk.ts';

const walk = walked('webhooks.md', async () => {
  const [port = 0] = await freePorts(1);
  return { 'http://127.0.0.1:9000': `http://127.0.0.1:${port}` };
});

test('the guide receives, verifies, rotates, stops and catches up', { timeout: 60_000 }, async () => {
  const receiver = await walk().start('node docs/guides/receive-webhooks.mjs');
  await receiver.heard(/listening at http/);
  const shop = walk().galla.with(walk().galla.keys.secretKey);
  await shop.must('POST', '/v1/checkout', { amount: 125_050, returnUrl: 'http://127.0.0.1:9/return' });
  await receiver.heard(/checkout\.created {2}cs_\w+ {2}pending {2}verified/);

  // the lines of the reader's own shop, called with what is posted to it
  const event = await walk().node(['js', 'import { Webhook }'], {
    before: `const secret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3';
      const rawBody = '{"id":"evt_1","type":"payment.succeeded"}';
      const now = new Date();
      const signed = new Webhook(secret).sign('evt_1', now, rawBody);
      const request = { headers: { 'webhook-id': 'evt_1', 'webhook-signature': signed,
        'webhook-timestamp': String(Math.floor(now / 1000)) } };`,
    after: 'console.log(JSON.stringify(event));',
  });
  expect(objectsIn(event)).toEqual([{ id: 'evt_1', type: 'payment.succeeded' }]);

  const [created] = objectsIn(await walk().run('KEY='));
  expect(created).toMatchObject({ signing_secret: expect.any(String), enabled: true });
  const endpoint = `/v1/webhooks/${String(created?.['id'])}`;
  const [rotated] = objectsIn(await walk().run('curl -s -X POST'));
  expect(rotated).toMatchObject({ previousSecretExpiresAt: expect.any(String) });
  const [stopped] = objectsIn(await walk().run('curl -s -X PATCH'));
  expect(stopped).toMatchObject({ enabled: false });
  const [enabled, recovered] = objectsIn(await walk().run('curl -s -X PATCH'));
  expect(enabled).toMatchObject({ enabled: true });
  expect(recovered).toMatchObject({ queued: expect.any(Number) });
  expect((await shop.must('GET', endpoint)).body.at('enabled')).toBe(true);
  const [tested] = objectsIn(await walk().run('curl -s -X POST'));
  expect(tested).toMatchObject({ eventType: 'payment.succeeded' });
});
