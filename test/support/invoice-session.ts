/** Sessions of invoices and their buyers: what billing will open. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { checkoutSessionAt } from '../../actors/checkout-session/commands.ts';
import { mintId } from '../../src/kernel/id.ts';
import { minutes } from '../../src/kernel/time.ts';
import type { Provider } from '../../src/providers/catalog.ts';
import { scopeOf } from '../../src/runtime/model/address.ts';
import type { Client } from '../../src/runtime/model/client.ts';
import { buttonFor, buttonOf, open, press, type Page } from '../../src/testing/demo/buyer.ts';
import type { Body } from '../../src/testing/demo/api.ts';
import type { Merchant } from './merchant.ts';
import { plainOrder } from './order.ts';

/** What the simulated providers ask of a buyer. */
const logins: { readonly [P in Provider]?: { readonly [name: string]: string } } = {
  bank_a: { user: 'testbuyer1', password: 'Bank@123' },
  wallet_c: { wallet: '9841414141', pin: '0000', otp: '000000' },
};

export interface InvoiceSession {
  readonly id: string;
  readonly url: string;
  readonly invoiceId: string;
}

/** Opens the session of an invoice; `url` is the service's. */
export async function invoiceSession(
  client: Pick<Client, 'ask'>,
  service: string,
  { projectId }: Merchant,
  amount = 125_050,
): Promise<InvoiceSession> {
  const id = mintId('cs');
  const [invoiceId, url] = [`inv_${randomUUID()}`, `${service}/pay/${id}`];
  const order = {
    ...plainOrder,
    amount,
    description: 'Pro monthly',
    referenceId: 'INV-000001',
    source: 'invoice',
    invoiceId,
    customerId: 'cus_1',
    checkoutUrl: url,
  } as const;
  const asking = { by: 'system', scope: scopeOf(projectId, 'sandbox') } as const;
  const opened = await client.ask(checkoutSessionAt(id), 'open', { order, lifeMs: minutes(30) }, asking);
  expect(opened.is).toBe('ok');
  return { id, url, invoiceId };
}

/** The buyer has chosen a provider and logged in there. */
export async function atTheProvider({ url }: InvoiceSession, provider: Provider): Promise<Page> {
  const handover = await press(buttonFor(await open(url), 'provider', provider));
  const page = await press(buttonOf(handover, /^Continue to/));
  return press(buttonOf(page, /Log in/), logins[provider] ?? {});
}

export const paymentOf = async ({ api }: Merchant, { id }: InvoiceSession): Promise<Body | undefined> =>
  (await api.must('GET', `/v1/payments?sessionId=${id}`)).body.list('data')[0];
