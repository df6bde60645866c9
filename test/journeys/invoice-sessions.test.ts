/** Sessions of invoices, from the actor through the real doors: which providers their page offers, how they are paid, and where
 *  they are seen. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buttonFor, open, press } from '../../src/testing/demo/buyer.ts';
import { providerNames, traitsOf } from '../../src/providers/catalog.ts';
import { startGalla, type Galla } from '../support/galla.ts';
import { atTheProvider, invoiceSession, paymentOf, type InvoiceSession } from '../support/invoice-session.ts';
import type { Merchant } from '../support/merchant.ts';
import { expectRefusal } from '../support/refusal.ts';

let galla: Galla;
beforeAll(async () => {
  galla = await startGalla();
});
afterAll(() => galla.stop());

/** What billing will do: opens the session of an invoice. */
const invoice = (shop: Merchant, amount?: number): Promise<InvoiceSession> =>
  invoiceSession(galla.node, galla.url, shop, amount);

const offered = async (url: string): Promise<readonly string[]> =>
  (await open(url)).buttons.flatMap(({ fields }) => fields.get('provider') ?? []);

describe('the page of an invoice', () => {
  test('row 5: offers all five providers, wallet_c for Rs 10 to Rs 50,000 alone; a checkout offers three', async () => {
    const shop = await galla.merchant();
    const all = [...providerNames].toSorted();
    const without = all.filter((each) => each !== 'wallet_c');
    const at = async (amount: number) => [...(await offered((await invoice(shop, amount)).url))].toSorted();
    expect(await at(1000)).toEqual(all);
    expect(await at(5_000_000)).toEqual(all);
    expect(await at(5_000_001)).toEqual(without);
    const checkout = await offered((await shop.checkout()).text('checkout_url'));
    expect([...checkout].toSorted()).toEqual(['qr_a', 'wallet_a', 'wallet_b']);
  });

  test.each(['bank_a', 'wallet_c'] as const)('is paid by %s with nothing but HTML', async (provider) => {
    const shop = await galla.merchant();
    const made = await invoice(shop);
    const back = await press(buttonFor(await atTheProvider(made, provider), 'do', 'pay'));
    expect(back.hops.at(-1)?.to ?? back.url).toContain('status=success');
    const payment = await paymentOf(shop, made);
    expect(payment?.value).toMatchObject({
      status: 'success',
      provider,
      invoiceId: made.invoiceId,
      customerId: 'cus_1',
      providerRef: expect.stringMatching(/^(?:BA|TRK)/) as string,
      fee: provider === 'bank_a' ? 1000 : null,
    });
  });
});

test('a session of an invoice is seen by its payment and its public status, never under /v1/checkout', async () => {
  const shop = await galla.merchant();
  const made = await invoice(shop);
  await press(buttonFor(await atTheProvider(made, 'bank_a'), 'do', 'pay'));
  expectRefusal(await shop.api.get(`/v1/checkout/${made.id}`), 'resource_not_found');
  expectRefusal(await shop.api.post(`/v1/checkout/${made.id}/expire`, {}), 'resource_not_found');
  expect((await shop.api.must('GET', '/v1/checkout')).body.list('data')).toEqual([]);
  const byInvoice = await shop.api.must('GET', `/v1/payments?invoiceId=${made.invoiceId}`);
  const byCustomer = await shop.api.must('GET', '/v1/payments?customerId=cus_1');
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
    const made = await invoice(shop);
    await press(buttonFor(await atTheProvider(made, provider), 'do', 'pay'));
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
