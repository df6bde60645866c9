/** How invoices are paid, for one node and for a cluster: by their pay links and pages, through the simulated providers. */
import { expect } from 'vitest';
import { buttonFor, buttonOf, open, press, type Page } from '../../src/cli/demo/buyer.ts';
import type { Body } from '../../src/cli/demo/api.ts';
import { Billing } from '../support/billing.ts';
import { eventually } from '../support/eventually.ts';
import type { House } from '../support/galla.ts';
import {
  atTheProvider,
  invoiceSession,
  paymentOf,
  paysBy,
  type InvoiceSession,
} from '../support/invoice-session.ts';
import type { Merchant } from '../support/merchant.ts';
import { expectRefusal } from '../support/refusal.ts';

/** `made`'s invoice, once it has this status. */
const untilInvoice = (shop: Merchant, { invoiceId }: InvoiceSession, status: string): Promise<Body> =>
  eventually(
    async () => {
      const invoice = await new Billing(shop).invoice(invoiceId);
      return invoice.at('status') === status ? invoice : null;
    },
    () => `invoice ${invoiceId} to be ${status}`,
  );

const linkTo = (page: Page, words: string): string =>
  page.links.find((link) => link.words === words)?.href ?? expect.unreachable(`${words} on "${page.title}"`);

/** A pay link is paid by this provider: the invoice is paid, and its page says so. */
export async function payLinkPaidBy(house: House, provider: 'bank_a' | 'wallet_c'): Promise<void> {
  const shop = await house.merchant();
  const made = await invoiceSession(shop);
  const back = await paysBy(made, provider);
  expect(back.title).toContain('Payment received');

  const invoice = await untilInvoice(shop, made, 'paid');
  const payment = await paymentOf(shop, made);
  expect(payment?.value).toMatchObject({
    status: 'success',
    provider,
    invoiceId: made.invoiceId,
    customerId: made.customerId,
    duplicate: false,
    late: false,
    providerRef: expect.stringMatching(/^(?:BA|TRK)/) as string,
    fee: provider === 'bank_a' ? 1000 : null,
  });
  expect(invoice.value).toMatchObject({
    paymentId: payment?.text('id'),
    paidAt: payment?.text('paidAt'),
    amountPaid: 125_050,
    amountDue: 0,
  });
  const [paid] = await shop.untilEvents(1, 'invoice.paid');
  expect(paid?.at('data.paymentId')).toBe(payment?.text('id'));
  expect(await shop.untilEvents(1, 'payment.succeeded')).toHaveLength(1);

  expect(back.html).not.toContain(made.invoiceId);
  const page = await open(made.page);
  expect([page.url, page.title]).toEqual([made.page, expect.stringContaining('This invoice is paid')]);
  const status = await open(linkTo(page, 'See the state of this payment'));
  expect(status.words).toContain('Paid');
  expectRefusal(await shop.api.post(`/v1/billing/invoices/${made.invoiceId}/pay-link`, {}), 'invalid_state');
}

/** Invoices are sent again, then marked as paid or voided while a buyer is at the bank, who pays all the same. */
export async function settledOtherwise(house: House): Promise<void> {
  const shop = await house.merchant();
  const billing = new Billing(shop);
  for (const [action, status] of [
    ['mark-paid', 'paid'],
    ['void', 'voided'],
  ] as const) {
    const made = await invoiceSession(shop);
    await billing.actOn(made.invoiceId, 'send');
    const again = await billing.actOn(made.invoiceId, 'pay-link');
    expect([again.text('sessionId'), again.text('url')]).toEqual([made.id, made.url]);
    const atBank = await atTheProvider(made, 'bank_a');
    expect((await billing.actOn(made.invoiceId, action)).value).toMatchObject({
      status,
      paymentId: null,
    });
    await eventually(
      async () => ((await open(made.url)).title.includes('has expired') ? true : null),
      () => `the session of an invoice that is ${status} to expire`,
    );
    // who pays all the same is paid back
    await press(buttonFor(atBank, 'do', 'pay'));
    const payment = await eventually(
      async () => {
        const found = await paymentOf(shop, made);
        return found?.at('status') === 'success' ? found : null;
      },
      () => 'the late money to be found',
    );
    expect(payment.value).toMatchObject({ duplicate: true, late: true });
    const { body } = await shop.api.must('GET', `/v1/refunds?paymentId=${payment.text('id')}`);
    expect(body.list('data').map((refund) => [refund.at('reason'), refund.at('amount')])).toEqual([
      ['duplicate', 125_050],
    ]);
    expect((await billing.invoice(made.invoiceId)).value).toMatchObject({ status, paymentId: null });
    for (const refused of ['pay-link', 'send', 'void', 'mark-paid'])
      expectRefusal(
        await shop.api.post(`/v1/billing/invoices/${made.invoiceId}/${refused}`, {}),
        'invalid_state',
      );
  }
  expect(await shop.events('payment.succeeded')).toEqual([]);
}

/** The page of an invoice leads to a payment page whose first provider is the preferred one. */
export async function preferredFirst(house: House): Promise<void> {
  const shop = await house.merchant();
  const first = async (made: InvoiceSession): Promise<string | undefined> => {
    const page = await press(buttonOf(await open(made.page), /^Pay this invoice/));
    expect(page.url).toBe(made.url);
    return page.buttons.flatMap(({ fields }) => fields.get('provider') ?? [])[0];
  };
  for (const preferred of ['wallet_a', 'wallet_b', 'bank_a', 'wallet_c'] as const) {
    const plan = { defaultProvider: preferred };
    expect(await first(await invoiceSession(shop, { plan }))).toBe(preferred);
    const [fields, other] = [
      { providerPreference: preferred },
      preferred === 'bank_a' ? 'wallet_a' : 'bank_a',
    ];
    expect(await first(await invoiceSession(shop, { plan: { defaultProvider: other }, fields }))).toBe(
      preferred,
    );
  }
}
