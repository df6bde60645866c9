import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { startGalla, type Galla } from '../support/galla.ts';
import { root } from '../support/house.ts';

let galla: Galla;
let receiver: ChildProcess;
let said = '';
beforeAll(async () => {
  galla = await startGalla();
  const script = join(root, 'docs/guides/receive-webhooks.mjs');
  receiver = spawn(process.execPath, [script, galla.url, galla.keys.secretKey]);
  for (const stream of [receiver.stdout, receiver.stderr]) {
    stream?.on('data', (chunk: Buffer) => void (said += chunk.toString('utf8')));
  }
});
afterAll(async () => {
  receiver.kill('SIGKILL');
  await galla.stop();
});

const heard = (words: RegExp) =>
  eventually(
    () => Promise.resolve(words.exec(said)),
    () => `${String(words)} in: ${said}`,
  );

test('the receiver of the guide makes itself an endpoint, verifies what comes, and leaves none behind', async () => {
  await heard(/listening at http:\/\/127\.0\.0\.1:\d+\/hooks as we_/);
  const shop = galla.with(galla.keys.secretKey);
  const order = { amount: 125_050, returnUrl: 'http://127.0.0.1:9/return' };
  const id = (await shop.must('POST', '/v1/checkout', order)).body.text('id');
  await shop.must('POST', `/v1/test/checkout/${id}/simulate`, { outcome: 'success', provider: 'wallet_b' });
  await heard(new RegExp(`checkout\\.created {2}${id} {2}pending {2}verified`));
  await heard(/payment\.succeeded {2}pay_\w+ {2}success {2}verified, evt_/);
  expect(said).not.toContain('refused');

  receiver.kill('SIGINT');
  await new Promise((ended) => void receiver.once('exit', ended));
  expect((await shop.get('/v1/webhooks')).body.list('data')).toEqual([]);
});
