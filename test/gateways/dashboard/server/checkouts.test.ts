/** The checkouts that can still be paid, as the dashboard lists them. */
import { expect, test } from 'vitest';
import { Billing } from '../../../support/billing.ts';
import { merchantWithLogin, Page } from '../../../support/dashboard.ts';
import { gallaOfFile } from '../../../support/of-file.ts';
import { Merchant } from '../../../support/merchant.ts';

const galla = gallaOfFile();

async function shopOf(email: string) {
  const login = await merchantWithLogin(galla.admin, { email });
  const { projectId } = login;
  const api = galla.with(await galla.key(projectId, { kind: 'secret', mode: 'sandbox' }));
  const page = new Page(galla.url);
  await page.logIn(login);
  const get = (path: string) => page.get(`/dashboard/api/${projectId}/sandbox/${path}`);
  return { merchant: new Merchant(projectId, api, galla.nobody), get };
}

test('the list of open checkouts has both states that can be paid, is as long as the day’s totals say, and leaves out invoices', async () => {
  const { merchant, get } = await shopOf('open@example.com');
  const billing = new Billing(merchant);
  const subscription = await billing.subscribe(await billing.plan());
  await billing.actOn(subscription.text('latestInvoice.id'), 'pay-link');
  const [idle, begun, over] = [
    await merchant.checkout(),
    await merchant.checkout(),
    await merchant.checkout(),
  ];
  await merchant.start(begun);
  await merchant.api.must('POST', `/v1/checkout/${over.text('id')}/expire`);
  const listed = (await get('open-checkouts')).body;
  expect(listed.list('data').map((each) => [each.text('id'), each.text('status')])).toEqual([
    [begun.text('id'), 'initiated'],
    [idle.text('id'), 'pending'],
  ]);
  expect(listed.at('total')).toBe(2);
  expect((await get('today')).body.at('openCount')).toBe(2);
  const second = (await get('open-checkouts?page=2&limit=1')).body;
  expect(second.list('data').map((each) => each.text('id'))).toEqual([idle.text('id')]);
}, 30_000);

test('the open checkouts of another merchant are not listed', async () => {
  const [ours, theirs] = [await shopOf('we@example.com'), await shopOf('they@example.com')];
  await theirs.merchant.checkout();
  expect((await ours.get('open-checkouts')).body.at('total')).toBe(0);
  expect((await theirs.get('open-checkouts')).body.at('total')).toBe(1);
}, 30_000);
