/** One invoice: its amount and lines, where it is paid, what comes next, and what can be done. */
import { useAsked } from '../../asked.ts';
import { billingEntry, invoiceRoute, invoicesRoute } from '../../places.ts';
import { useScreenContext } from '../../context.ts';
import { displayNpr } from '../../../../../src/kernel/money.ts';
import { newerOf, newestOf } from '../../lists/received.ts';
import { BackLink } from '../../parts/back-link.tsx';
import { Id } from '../../parts/copy.tsx';
import { InvoiceActions } from '../../parts/invoice-actions.tsx';
import { InvoiceSummary } from '../../parts/invoice-summary.tsx';
import { Said } from '../../parts/marks.tsx';
import { NextSteps } from '../../parts/next-steps.tsx';
import { Failed, Loading } from '../../parts/notices.tsx';
import { screen, type Viewed } from '../../screen.tsx';
import type { Invoice, Subscription } from '../../wire/billing-types.ts';
import { isPayable, numberText } from '../../words/billing.ts';
import { dunningOf } from '../../words/next-steps.ts';
import { momentText } from '../../words/time.ts';

export const invoice = screen({
  route: invoiceRoute,
  title: ({ id }, answered, { liveState }) =>
    `${newestOf(answered, liveState.invoices.get(id))?.invoiceNumber ?? id} · Invoice`,
  navigation: billingEntry,
  follows: ['customer', 'plan'],
  load: ({ api, place }, { id }) => ({ key: `invoice ${id}`, ask: () => api.invoice(place, id) }),
  view: OneInvoice,
});

function OneInvoice({ params: { id }, asked }: Viewed<{ readonly id: string }, Invoice>) {
  const { liveState, to } = useScreenContext();
  const { value, failure, again } = asked;
  const known = newestOf(value, liveState.invoices.get(id));
  return (
    <main class="page" id="main">
      <BackLink to={to(invoicesRoute.at({}))}>Invoices</BackLink>
      <div class="heading">
        <h1 tabIndex={-1}>{known === null ? 'Invoice' : headingOf(known)}</h1>
        <Id id={id} what="invoice id" />
      </div>
      {failure !== null && <Failed failure={failure} again={again} whole={known === null} />}
      {known === null ? (
        failure === null && <Loading lines={5} what="the invoice" />
      ) : (
        <Whole invoice={known} onChanged={again} />
      )}
    </main>
  );
}

const headingOf = (invoice: Invoice): string => {
  if (invoice.invoiceNumber !== null) return numberText(invoice);
  return invoice.status === 'draft' ? 'Draft invoice' : 'Invoice without a number';
};

interface WholeProps {
  readonly invoice: Invoice;
  readonly onChanged: () => void;
}

function Whole({ invoice, onChanged }: WholeProps) {
  const { api, place, liveState } = useScreenContext();
  const { subscriptionId } = invoice;
  const asked = useAsked(`subscription ${subscriptionId}`, () => api.subscription(place, subscriptionId));
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
        <InvoiceActions invoice={invoice} subscription={subscription} onChanged={onChanged} />
      </div>
    </>
  );
}

function Lines({ invoice: { lines, amount } }: Pick<WholeProps, 'invoice'>) {
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
                <Said text={line.description} />
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
  const own = subscription.dunning.filter(({ invoiceId }) => invoiceId === invoice.id);
  return (
    <NextSteps
      steps={dunningOf(own, numberText(invoice), invoice, subscription).toSorted((a, b) => a.at - b.at)}
      none="Nothing: no reminder is left. It can still be paid."
    />
  );
}
