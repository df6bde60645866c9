/** Sessions of invoices through the real doors: which providers their page offers, how they are paid, and where they are
 *  seen. */
import { expect, test } from 'vitest';
import { buttonFor, open } from '../../src/cli/demo/buyer.ts';
import { providerNames, traitsOf } from '../../src/providers/catalog.ts';
import { payLinkPaidBy, preferredFirst, settledOtherwise } from './invoice-stories.ts';
import { gallaOfFile } from '../support/of-file.ts';
import { invoiceSession, paymentOf, paysBy } from '../support/invoice-session.ts';
import { expectRefusal } from '../support/refusal.ts';

const galla = gallaOfFile();

test.each(['bank_a', 'wallet_c'] as const)(
  'row 52: a pay link paid by %s makes its invoice paid, with nothing but HTML',
  (provider) => payLinkPaidBy(galla, provider),
);
test('row 52: an invoice is sent again, marked as paid or voided, and its running session ends with it', () =>
  settledOtherwise(galla));
test('row 45: the preferred provider is first on the page of an invoice: that of the plan, or the one preferred to it', () =>
  preferredFirst(galla));

const offered = async (url: string): Promise<readonly string[]> =>
  (await open(url)).buttons.flatMap(({ fields }) => fields.get('provider') ?? []);

test('row 5: the session of an invoice offers all five providers, wallet_c for Rs 10 to Rs 50,000 alone; a checkout offers three', async () => {
  const shop = await galla.merchant();
  const all = [...providerNames].toSorted();
  const without = all.filter((each) => each !== 'wallet_c');
  const at = async (amount: number) =>
    [...(await offered((await invoiceSession(shop, { amount })).url))].toSorted();
  expect(await at(1000)).toEqual(all);
  expect(await at(5_000_000)).toEqual(all);
  expect(await at(5_000_001)).toEqual(without);
  const checkout = await offered((await shop.checkout()).text('checkout_url'));
  expect([...checkout].toSorted()).toEqual(['qr_a', 'wallet_a', 'wallet_b']);
});

test('a session of an invoice is seen by its payment and its public status, never under /v1/checkout', async () => {
  const shop = await galla.merchant();
  const made = await invoiceSession(shop);
  await paysBy(made, 'bank_a');
  expectRefusal(await shop.api.get(`/v1/checkout/${made.id}`), 'resource_not_found');
  expectRefusal(await shop.api.post(`/v1/checkout/${made.id}/expire`, {}), 'resource_not_found');
  expect((await shop.api.must('GET', '/v1/checkout')).body.list('data')).toEqual([]);
  const byInvoice = await shop.api.must('GET', `/v1/payments?invoiceId=${made.invoiceId}`);
  const byCustomer = await shop.api.must('GET', `/v1/payments?customerId=${made.customerId}`);
  expect([byInvoice, byCustomer].map(({ body }) => body.list('data').length)).toEqual([1, 1]);
  const [payment] = byInvoice.body.list('data');
  await shop.untilEvents(1, 'payment.succeeded');
  const events = (await shop.api.must('GET', '/v1/events?limit=100')).body.list('data');
  expect(events.filter((event) => event.text('type').startsWith('checkout.'))).toEqual([]);
  const found = await galla.nobody.must('GET', `/v1/public/payment-status?query=${payment?.text('id')}`);
  expect(found.text).toContain('success');
});

test('row 36: of all five providers wallet_b alone gives a refund an id of its own', async () => {
  const shop = await galla.merchant();
  const ids: { [provider: string]: unknown } = {};
  for (const provider of ['bank_a', 'wallet_c'] as const) {
    const made = await invoiceSession(shop);
    await paysBy(made, provider);
    const paymentId = (await paymentOf(shop, made))?.text('id') ?? '';
    const request = { paymentId, amount: 1000, reason: 'customer_request' };
    const { body } = await shop.api.must('POST', '/v1/refunds', request);
    expect(body.at('status')).toBe('requires_action');
    ids[provider] = body.at('providerRefundId');
  }
  expect(ids).toEqual({ bank_a: null, wallet_c: null });
  const calling = providerNames.filter((each) =>
    traitsOf(each).wire.some((trait) => trait === 'refund_call'),
  );
  expect(calling).toEqual(['wallet_b']);
});

test('a provider for invoices alone cannot be brought into a checkout, by no door', async () => {
  const shop = await galla.merchant();
  for (const provider of ['bank_a', 'wallet_c']) {
    const order = { amount: 125_050, returnUrl: 'https://shop.example/return', provider };
    expect((await shop.api.post('/v1/checkout', order)).status).toBe(400);
    const session = await shop.checkout();
    const simulated = await shop.api.post(`/v1/test/checkout/${session.text('id')}/simulate`, {
      outcome: 'success',
      provider,
    });
    expectRefusal(simulated, 'provider_not_configured');
    const page = await open(session.text('checkout_url'));
    const token = buttonFor(page, 'provider', 'wallet_b').fields.get('token') ?? '';
    const forged = await fetch(`${galla.url}/pay/${session.text('id')}/start`, {
      method: 'POST',
      body: new URLSearchParams({ token, provider }),
    });
    expect(forged.status).toBe(400);
  }
});
