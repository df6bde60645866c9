/** One invoice: its amount and lines, where it is paid, what comes next, and what can be done. */
import { detailScreen, type DetailProps } from '../../detail-screen.tsx';
import { useAsked } from '../../asked.ts';
import { billingEntry, invoiceRoute, invoicesRoute } from '../../places.ts';
import { useScreenContext } from '../../context.ts';
import { displayNpr } from '../../../../../src/kernel/money.ts';
import { newerOf, newestOf } from '../../lists/received.ts';
import { InvoiceActions } from './invoice-actions.tsx';
import { InvoiceSummary } from './invoice-summary.tsx';
import { UserText } from '../../parts/marks.tsx';
import { NextSteps } from '../../parts/next-steps.tsx';
import { Loading } from '../../parts/notices.tsx';
import type { Invoice, Subscription } from '../../wire/billing-types.ts';
import { isPayable, numberText } from '../../words/billing.ts';
import { unpaidSteps } from '../../words/next-steps.ts';
import { momentText } from '../../words/time.ts';

export const invoice = detailScreen<Invoice>({
  route: invoiceRoute,
  navigation: billingEntry,
  follows: ['customer', 'plan'],
  kind: 'Invoice',
  idWord: 'invoice id',
  back: ['Invoices', invoicesRoute.at({})],
  load: ({ api, place }, { id }) => ({
    key: `invoice ${id}`,
    ask: () => api.call('GET /v1/billing/invoices/{id}', place, { id }),
  }),
  newest: (answered, { id }, { liveState }) => newestOf(answered, liveState.invoices.get(id)),
  name: ({ invoiceNumber }) => invoiceNumber,
  heading: headingOf,
  view: Whole,
});

function headingOf(invoice: Invoice): string {
  if (invoice.invoiceNumber !== null) return numberText(invoice);
  return invoice.status === 'draft' ? 'Draft invoice' : 'Invoice without a number';
}

function Whole({ known: invoice, again }: DetailProps<Invoice>) {
  const { api, place, liveState } = useScreenContext();
  const { subscriptionId } = invoice;
  const asked = useAsked(`subscription ${subscriptionId}`, () =>
    api.call('GET /v1/billing/subscriptions/{id}', place, { id: subscriptionId }),
  );
  const kept = liveState.subscriptions.get(subscriptionId);
  const subscription = asked.value === null ? (kept?.data ?? null) : newerOf(asked.value, kept);
  return (
    <>
      <InvoiceSummary invoice={invoice} customer={subscription?.customer.name ?? null} />
      <div class="columns">
        <section class="slip lone act" aria-labelledby="lines">
          <h2 id="lines">What it bills</h2>
          <Lines invoice={invoice} />
          {isPayable(invoice) && (
            <>
              <h3>What comes next while it is not paid</h3>
              <Coming invoice={invoice} subscription={subscription} />
            </>
          )}
        </section>
        <InvoiceActions invoice={invoice} subscription={subscription} onChanged={again} />
      </div>
    </>
  );
}

function Lines({ invoice: { lines, amount } }: { readonly invoice: Invoice }) {
  const { now } = useScreenContext();
  return (
    <table class="lines">
      <thead>
        <tr>
          <th scope="col">Plan and period</th>
          <th scope="col">Amount</th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <tr key={`${line.planId} ${line.periodStart}`}>
            <td>
              <b>
                <UserText text={line.description} />
              </b>
              <span class="soft">
                {momentText(Date.parse(line.periodStart), now)} to{' '}
                {momentText(Date.parse(line.periodEnd), now)}
              </span>
            </td>
            <td>{displayNpr(line.amount)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">In all</th>
          <td>{displayNpr(amount)}</td>
        </tr>
      </tfoot>
    </table>
  );
}

interface ComingProps {
  readonly invoice: Invoice;
  readonly subscription: Subscription | null;
}

/** The steps that its subscription knows. */
function Coming({ invoice, subscription }: ComingProps) {
  if (subscription === null) return <Loading lines={2} what="the next steps" />;
  return (
    <NextSteps
      steps={unpaidSteps(invoice, subscription)}
      none="Nothing: no reminder is left. It can still be paid."
    />
  );
}
