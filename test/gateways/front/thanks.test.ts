/** The sandbox's thank-you page: it says what the session says, whatever the address claims. */
import { request } from 'undici';
import { beforeAll, expect, test } from 'vitest';
import type { FrontParts } from '../../../gateways/front/parts.ts';
import { thanksDoor } from '../../../gateways/front/thanks.ts';
import type { DoorRequest } from '../../../gateways/server/door.ts';
import { gallaOfFile } from '../../support/of-file.ts';
import type { Merchant } from '../../support/merchant.ts';
import { sessionId, Till } from '../buyer/till.ts';

const galla = gallaOfFile();
let merchant: Merchant;
beforeAll(async () => {
  merchant = await galla.merchant();
});

const order = { amount: 125_050, description: 'Order <1001>', returnUrl: 'http://127.0.0.1:9/return' };
const made = async (): Promise<string> =>
  (await merchant.api.must('POST', '/v1/checkout', order)).body.text('id');
const thanks = (query: string) => galla.nobody.get(`/sim/thanks${query}`);
const heading = (text: string): string => /<h1>([^<]*)<\/h1>/.exec(text)?.[1] ?? '';

test('a paid session gets a thank-you, with amount, provider and payment', async () => {
  const id = await made();
  await merchant.simulate(id, 'success');
  const session = await merchant.untilStatus(id, 'success');
  const { status, headers, text } = await thanks(`?session_id=${id}&status=success`);
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(heading(text)).toBe('Thank you, it is paid');
  for (const each of ['NPR 1,250.50', 'Order &lt;1001&gt;', 'Wallet B', session.text('paymentId'), id])
    expect(text).toContain(each);
  expect(text).not.toContain('The address is not right');
  expect(text).not.toMatch(/sk_|pk_/);
  // the script is told where this service is
  expect(text).toContain(`node docs/guides/receive-webhooks.mjs ${galla.url}<`);
  // a project is named to the person at this machine alone: there the link leads to the payment itself
  const elsewhere = await request(`${galla.url}/sim/thanks?session_id=${id}`, {
    headers: { host: 'pay.example' },
  });
  expect(await elsewhere.body.text()).not.toMatch(/prj_/);
  expect(text).toMatch(/href="\/dashboard\/prj_\w+\/sandbox\/payments\/pay_\w+"/);
});

const ways = {
  pending: ['Not paid yet', ''],
  initiated: ['Not paid yet', 'never'],
  cancelled: ['The payment was cancelled', 'cancel'],
  expired: ['The time to pay is over', 'expire'],
} as const;

test.each(['pending', 'initiated', 'cancelled', 'expired'] as const)(
  'an address that claims success for a session that is %s is called false',
  async (status) => {
    const id = await made();
    const [title, by] = ways[status];
    if (by === 'never') await merchant.simulate(id, 'never');
    if (by === 'expire') await merchant.api.must('POST', `/v1/checkout/${id}/expire`);
    if (by === 'cancel') await cancelled(id);
    await merchant.untilStatus(id, status);
    const { text } = await thanks(`?session_id=${id}&status=success`);
    expect(heading(text)).toBe(title);
    expect(text).toContain(`It says “success”, the session says “${status}”`);
    expect(text.includes(`href="/pay/${id}"`)).toBe(status === 'pending' || status === 'initiated');
  },
);

/** By the button of the payment page. */
async function cancelled(id: string): Promise<void> {
  const page = await galla.nobody.get(`/pay/${id}`);
  const token = /name="token" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
  const answer = await galla.nobody.send('POST', `/pay/${id}/cancel`, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `token=${encodeURIComponent(token)}`,
  });
  expect(answer.status).toBe(303);
}

test("the address's parameters are shown as short text", async () => {
  const id = await made();
  const { text } = await thanks(
    `?session_id=${id}&status=${encodeURIComponent('<script>alert(1)</script>')}`,
  );
  expect(text).toContain('&lt;script&gt;');
  expect(text).not.toContain('<script>alert');
});

test.each([
  ['', 200],
  ['?session_id=cs_nonsense&status=success', 404],
  ['?session_id=cs_n5y5kc7txbgmy7rz22b0c1r5&status=success', 404],
])('without a known session (%s) the page explains its purpose', async (query, expected) => {
  const { status, text } = await thanks(query);
  expect([status, heading(text)]).toEqual([expected, 'The sandbox’s thank-you page']);
});

test('nothing of a live session is shown', async () => {
  const statusIn = async (scope: 'sandbox' | 'live') => {
    const till = new Till({ scope: `prj_pjc0e83mhrawse3s6h8bhrbw:${scope}` });
    const { client } = till;
    const parts = {
      client,
      baseUrl: 'https://pay.example',
      makeTestPayment: null,
      docs: null,
      shopOf: async () => ({ name: 'Example Store', logoUrl: null, suspended: null }),
      providersOf: async () => [],
    } as unknown as FrontParts;
    const asked = { rawQuery: `session_id=${sessionId}`, header: () => '' } as unknown as DoorRequest;
    return (await thanksDoor(parts, asked)).status;
  };
  expect(await statusIn('sandbox')).toBe(200);
  expect(await statusIn('live')).toBe(404);
});
