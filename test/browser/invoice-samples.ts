/** The pages about invoices, for samples.ts. */
import {
  invoicePage,
  unknownInvoicePage,
  type InvoiceShown,
  type InvoicePageStatus,
} from '../../gateways/pages/invoice/invoice.ts';
import { endedPage, type Ended } from '../../gateways/pages/hosted/ended.ts';
import type { PageOrder } from '../../gateways/pages/hosted/frame.ts';
import type { Locale } from '../../gateways/pages/locale.ts';

const path = '/invoice/inv_bkwv5cfvxf62gttfxm6dzpp7';
const dueAt = Date.UTC(2026, 1, 27, 18, 15);
const period = { periodStart: dueAt, periodEnd: Date.UTC(2026, 2, 30, 18, 15) };
const paymentId = 'pay_4t8z1m6q3x9k2v7b';

export function invoiceSamples(
  locale: Locale,
  [sheet, devanagari, longest]: readonly [PageOrder, PageOrder, PageOrder],
  ended: Ended,
): Readonly<Record<string, string>> {
  const invoice = (
    pageStatus: InvoicePageStatus,
    of: PageOrder = sheet,
    name = 'Asha Rai',
  ): InvoiceShown => ({
    ...of,
    number: 'INV-000001',
    customerName: name,
    planName: of.description ?? 'Pro monthly',
    ...period,
    applies: null,
    dueAt,
    pageStatus,
    path,
    locale: { ...locale, here: path },
  });
  const form = { session: 'cs_n5y5kc7txbgmy7rz22b0c1r5', token: 'T'.repeat(43) };
  const monthly = { ...sheet, amount: 150_000, description: 'Pro monthly' };
  const overdue = { is: 'past_due', since: Date.UTC(2026, 2, 2, 18, 15) } as const;
  const paid = { is: 'paid', paidAt: Date.UTC(2026, 1, 28, 4, 32) } as const;
  const texts = locale.texts.invoice;
  const after: Ended = { ...ended, sheet: monthly, texts: texts.ended, shopAddress: null };
  return {
    invoice: invoicePage(invoice({ is: 'open' }, monthly), form),
    'invoice-overdue': invoicePage(invoice(overdue, monthly), form),
    'invoice-no-way': invoicePage(invoice(overdue, monthly), null),
    'invoice-paid': invoicePage(invoice({ ...paid, paymentId }, monthly), null),
    'invoice-paid-by-hand': invoicePage(invoice({ ...paid, paymentId: null }, monthly), null),
    'invoice-voided': invoicePage(invoice({ is: 'voided' }, monthly), null),
    'invoice-devanagari': invoicePage(invoice(overdue, devanagari, 'आशा राई'), form),
    'invoice-longest': invoicePage(
      invoice({ is: 'open' }, longest, longest.shop.name.repeat(2).slice(0, 120)),
      form,
    ),
    'invoice-unknown': unknownInvoicePage(locale),
    'invoice-success': endedPage({ ...after, invoice: { number: 'INV-000001', ...period } }),
    'invoice-expired': endedPage({
      ...after,
      end: 'expired',
      payment: null,
    }),
    'invoice-duplicate': endedPage({
      ...after,
      end: 'expired',
      payment: { id: paymentId, label: 'Bank A', paidAt: paid.paidAt, duplicate: true },
      moneyMayCome: true,
    }),
  };
}
