import { expect, test } from 'vitest';
import { objectsIn, walked } from './walk.ts';

const walk = walked('sandbox.md');

test('the calls of the guide do what it says', { timeout: 60_000 }, async () => {
  await walk().run('KEY=');
  expect(objectsIn(await walk().run('curl -s http'))).toMatchObject([{ provider: 'wallet_b' }]);
  const [paid, messages] = objectsIn(await walk().run('until curl'));
  expect(paid).toMatchObject({ status: 'success' });
  expect(messages).toMatchObject({ data: [{ to: 'asha@example.com' }] });
  const [event] = objectsIn(await walk().run('curl -s -X POST'));
  expect(event).toMatchObject({ type: 'payment.succeeded', test: true });
  expect(await walk().run('curl -s http')).toMatch(/"status":"(ready|advancing)"/);
  expect(await walk().run('curl -s -X PUT')).toContain('"kind":"http_502"');
  const [settings] = objectsIn(await walk().run('GALLA='));
  expect(settings).toMatchObject({ provider: 'wallet_a', appIntent: true });
});
