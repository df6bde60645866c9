/** Invoices that have just opened, their pay links, and the buyers who follow them. */
import { buttonFor, buttonOf, open, press, type Page } from '../../src/cli/demo/buyer.ts';
import type { Body } from '../../src/cli/demo/api.ts';
import type { Provider } from '../../src/providers/catalog.ts';
import { Billing } from './billing.ts';
import type { Merchant } from './merchant.ts';

/** What the simulated providers ask of a buyer. */
const logins: { readonly [P in Provider]?: { readonly [name: string]: string } } = {
  bank_a: { user: 'testbuyer1', password: 'Bank@123' },
  wallet_c: { wallet: '9841414141', pin: '0000', otp: '000000' },
};

export interface InvoiceSession {
  readonly id: string;
  /** Its payment page. */
  readonly url: string;
  readonly invoiceId: string;
  /** The invoice's own page. */
  readonly page: string;
  readonly customerId: string;
  readonly subscriptionId: string;
}

/** A new subscription, and a pay link of its first invoice. `fields`: of the subscription. */
export async function invoiceSession(
  merchant: Merchant,
  { amount = 125_050, plan = {}, fields = {} }: { amount?: number; plan?: object; fields?: object } = {},
): Promise<InvoiceSession> {
  const billing = new Billing(merchant);
  const subscription = await billing.subscribe(await billing.plan({ amount, ...plan }), fields);
  const [invoice] = await billing.invoices(subscription.text('id'));
  if (invoice === undefined) throw new Error('its first invoice opens at once');
  const link = await billing.actOn(invoice.text('id'), 'pay-link');
  return {
    id: link.text('sessionId'),
    url: link.text('url'),
    invoiceId: invoice.text('id'),
    page: invoice.text('hostedUrl'),
    customerId: invoice.text('customerId'),
    subscriptionId: subscription.text('id'),
  };
}

/** The buyer has chosen a provider and logged in there. */
export async function atTheProvider({ url }: Pick<InvoiceSession, 'url'>, provider: Provider): Promise<Page> {
  const handover = await press(buttonFor(await open(url), 'provider', provider));
  const page = await press(buttonOf(handover, /^Continue to/));
  return press(buttonOf(page, /Log in/), logins[provider] ?? {});
}

/** The buyer pays there, and comes back. */
export const paysBy = async (session: Pick<InvoiceSession, 'url'>, provider: Provider): Promise<Page> =>
  press(buttonFor(await atTheProvider(session, provider), 'do', 'pay'));

export const paymentOf = async (
  { api }: Merchant,
  { id }: Pick<InvoiceSession, 'id'>,
): Promise<Body | undefined> => (await api.must('GET', `/v1/payments?sessionId=${id}`)).body.list('data')[0];
