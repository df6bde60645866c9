import { expect, test } from 'vitest';
import { objectsIn, walked } from './walk.ts';

const walk = walked('find-a-payment.md');

test('the page and the command of the guide find a checkout', async () => {
  const shop = await walk().galla.merchant();
  const session = await shop.checkout({ metadata: { order_id: '1001' } });
  // the reader puts in the merchant, the mode and the address
  const said = await walk().node(['js', 'const asked'], {
    before: "const again = () => console.log('again');",
    replace: {
      'prj_...': shop.projectId,
      "'live'": "'sandbox'",
      'https://pay.example': walk().galla.url,
    },
    after: 'console.log(JSON.stringify({ label: status.label, amount: amount.display }));',
  });
  expect(objectsIn(said)).toMatchObject([{ amount: 'NPR 1,250.50' }]);
  await walk().shelled(`ID=${session.text('id')}`);
  expect(objectsIn(await walk().run('curl -s "http'))).toMatchObject([
    { amount: { display: 'NPR 1,250.50' } },
  ]);
});
