import { afterEach, beforeEach, expect, test } from 'vitest';
import { objectsIn, Walk } from './walk.ts';

let walk: Walk;
beforeEach(async () => {
  walk = await Walk.begin('find-a-payment.md');
});
afterEach(() => walk.end());

test('the page and the command of the guide find a checkout', async () => {
  const shop = await walk.galla.merchant();
  const session = await shop.checkout({ metadata: { order_id: '1001' } });
  // the reader puts in the merchant, the mode and the address
  const said = await walk.node(
    ['js', 'const asked'],
    (lines) => `const again = () => console.log('again');
      ${lines.replace('prj_...', shop.projectId).replace("'live'", "'sandbox'").replace('https://pay.example', walk.galla.url)}
      console.log(JSON.stringify({ label: status.label, amount: amount.display }));`,
  );
  expect(objectsIn(said)).toMatchObject([{ amount: 'NPR 1,250.50' }]);
  await walk.shelled(`ID=${session.text('id')}`);
  expect(objectsIn(await walk.run('curl "http'))).toMatchObject([{ amount: { display: 'NPR 1,250.50' } }]);
  walk.done();
});
