/** Follows what anybody who knows the reference of a payment is shown: from its public status to its page, and on to
 *  wherever that page leads. Neither the customer nor the invoice is among it. */
import { buttonFor, buttonOf, open, press } from '../../src/cli/demo/buyer.ts';
import { billedBy } from '../support/billing.ts';
import { eventually } from '../support/eventually.ts';
import type { House } from '../support/galla.ts';

const customerName = 'Asha Canary Rai';

/** What a stranger learns, one line for each. */
export async function learntByStranger(house: House): Promise<readonly string[]> {
  const { api } = await house.merchant();
  const { invoiceId } = await billedBy(api, 'of a stranger', { name: customerName });
  const { body: link } = await api.must('POST', `/v1/billing/invoices/${invoiceId}/pay-link`);
  await press(buttonFor(await open(link.text('url')), 'provider', 'wallet_b'));
  const payment = await eventually(
    async () => (await api.must('GET', `/v1/payments?invoiceId=${invoiceId}`)).body.list('data')[0] ?? null,
    () => 'a payment of the invoice',
  );
  const { text, body } = await house.nobody.must(
    'GET',
    `/v1/public/payment-status?query=${payment.text('id')}`,
  );
  const address = `${house.url}/pay/${body.text('session.id')}`;
  const running = await open(address);
  const left = await press(buttonOf(running, /^Cancel/));
  const after = await open(address);
  const seen = { status: text, running: running.html, 'after a cancel': left.html, 'at its end': after.html };
  return Object.entries(seen).flatMap(([where, shown]) =>
    [customerName, invoiceId, '/invoice/']
      .filter((secret) => shown.includes(secret) || left.url.includes(secret))
      .map((secret) => `a stranger: ${where}, ${secret}`),
  );
}
