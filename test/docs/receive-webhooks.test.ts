import { expect, test } from 'vitest';
import { gallaOfFile } from '../support/of-file.ts';
import { runGuide } from '../support/guide.ts';

const galla = gallaOfFile();

test.each(['SIGINT', 'SIGTERM'] as const)(
  "the guide's receiver finds the key, verifies webhooks, and deletes its endpoint on %s",
  async (signal) => {
    const receiver = runGuide('receive-webhooks.mjs', [galla.url], { GALLA_DATA_DIR: galla.dataDir });
    try {
      await receiver.heard(/listening at http:\/\/127\.0\.0\.1:\d+\/hooks as we_/);
      const shop = galla.with(galla.keys.secretKey);
      const order = { amount: 125_050, returnUrl: 'http://127.0.0.1:9/return' };
      const id = (await shop.must('POST', '/v1/checkout', order)).body.text('id');
      await shop.must('POST', `/v1/test/checkout/${id}/simulate`, {
        outcome: 'success',
        provider: 'wallet_b',
      });
      await receiver.heard(new RegExp(`checkout\\.created {2}${id} {2}pending {2}verified`));
      await receiver.heard(/payment\.succeeded {2}pay_\w+ {2}success {2}verified, evt_/);
      expect(receiver.said()).not.toContain('refused');

      expect((await shop.get('/v1/webhooks')).body.list('data')).toHaveLength(1);
      expect(await receiver.end(signal)).toBe(0);
      expect((await shop.get('/v1/webhooks')).body.list('data')).toEqual([]);
    } finally {
      await receiver.end('SIGKILL');
    }
  },
);

test('without a service it exits, and says what is missing in one line', async () => {
  const receiver = runGuide('receive-webhooks.mjs', [], { GALLA_DATA_DIR: '/nowhere' });
  await receiver.heard(
    /no such file or directory, open '\/nowhere\/demo\.json'\. Is Galla running here\?.*\n$/,
  );
  expect(await receiver.ended).toBe(1);
});
