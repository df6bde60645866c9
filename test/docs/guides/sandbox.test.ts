import { afterEach, beforeEach, expect, test } from 'vitest';
import { objectsIn, Walk } from './walk.ts';

let walk: Walk;
beforeEach(async () => {
  walk = await Walk.begin('sandbox.md');
});
afterEach(() => walk.end());

test('the calls of the guide do what it says', { timeout: 60_000 }, async () => {
  const shop = walk.galla.with(walk.galla.keys.secretKey);
  const order = {
    amount: 125_050,
    returnUrl: 'http://127.0.0.1:9/return',
    customer: { name: 'Asha Rai', email: 'asha@example.com' },
  };
  const session = (await shop.must('POST', '/v1/checkout', order)).body;
  // the reader puts in the id of a session of his
  await walk.run('KEY=', (lines) => `${lines}\nID=${session.text('id')}`);
  expect(objectsIn(await walk.run('curl -s http'))).toHaveLength(1);
  // polling finds the money of a redirect that was lost
  await walk.shelled(
    `until curl -s ${walk.galla.url}/v1/checkout/$ID -H "Authorization: Bearer $KEY" | grep -q '"status":"success"'
     do sleep 1; done`,
  );
  const [messages] = objectsIn(await walk.run("curl -H 'Authorization".replaceAll("'", '"')));
  expect(messages).toMatchObject({ data: [{ to: 'asha@example.com' }] });
  const [event] = objectsIn(await walk.run('curl -X POST'));
  expect(event).toMatchObject({ type: 'payment.succeeded', test: true });
  expect(await walk.run('curl -s http')).toMatch(/"status":"(ready|advancing)"/);
  expect(await walk.run('curl -s -X PUT')).toContain('"kind":"http_502"');
  const [settings] = objectsIn(await walk.run('GALLA='));
  expect(settings).toMatchObject({ provider: 'wallet_a', appIntent: true });
  walk.done();
});
