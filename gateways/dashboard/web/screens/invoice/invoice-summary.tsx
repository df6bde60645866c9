/** An invoice as a slip: the amount and its state, and its details beside the fold. */
import { useScreenContext } from '../../context.ts';
import { customerRoute, paymentRoute, subscriptionRoute } from '../../places.ts';
import type { Invoice } from '../../wire/billing-types.ts';
import { invoiceStates } from '../../words/billing.ts';
import { momentText } from '../../words/time.ts';
import { wordsOf } from '../../words/words.ts';
import { Amount, FactList, Glyph, UserText, Tag } from '../../parts/marks.tsx';
import { When } from '../../parts/when.tsx';

export interface InvoiceSummaryProps {
  readonly invoice: Invoice;
  /** null: not known yet. */
  readonly customer: string | null;
}

export function InvoiceSummary({ invoice, customer }: InvoiceSummaryProps) {
  const { now, to } = useScreenContext();
  const { status, amount, customerId, lines } = invoice;
  const moment = momentOf(invoice);
  return (
    <section class="slip split" aria-label="What it is">
      <div class="order">
        <div class="tags">
          <Tag words={wordsOf(invoiceStates, status)} />
        </div>
        <p class="amount">
          <Amount paisa={amount} />
        </p>
        <div class="what">
          <p class="buyer-name">
            <a href={to(customerRoute.at({ id: customerId }))}>
              {customer === null ? 'The customer' : <UserText text={customer} />}
            </a>
          </p>
          <p>
            <UserText text={lines[0]?.description ?? ''} />
          </p>
        </div>
        <p class="until">
          <Glyph name={moment.glyph} />
          <span>
            {moment.word} <When at={moment.at} now={now} />
          </span>
        </p>
      </div>
      <div class="fold" aria-hidden="true" />
      <div class="act">
        <Facts invoice={invoice} />
      </div>
    </section>
  );
}

/** What is said below the amount: nothing is due of an invoice that is over. */
function momentOf({ status, paidAt, dueAt, updatedAt }: Invoice) {
  if (status === 'paid' && paidAt !== null) return { word: 'Paid', at: paidAt, glyph: 'check' } as const;
  // nothing changes it any more
  if (status === 'voided') return { word: 'Voided', at: updatedAt, glyph: 'cross' } as const;
  return { word: 'Due', at: dueAt, glyph: 'clock' } as const;
}

const howPaid = (status: Invoice['status']): string =>
  status === 'paid' ? 'In another way: you marked it as paid' : 'Not yet';

function Facts({ invoice }: { readonly invoice: Invoice }) {
  const { now, to } = useScreenContext();
  const { status, paymentId, overdueAt, attemptCount, notes, subscriptionId, paidAt, dueAt } = invoice;
  const { appliesFrom, appliesTo } = invoice;
  return (
    <FactList
      of={[
        ['Subscription', <a href={to(subscriptionRoute.at({ id: subscriptionId }))}>Open it</a>],
        status !== 'draft' &&
          status !== 'voided' && [
            'Payment',
            paymentId === null ? (
              howPaid(status)
            ) : (
              <a href={to(paymentRoute.at({ id: paymentId }))}>Payment {paymentId.slice(4, 10)}</a>
            ),
          ],
        (paidAt !== null || status === 'voided') && ['Was due', <When at={dueAt} now={now} />],
        appliesFrom !== null &&
          appliesTo !== null && [
            'Pays for',
            <>
              {momentText(Date.parse(appliesFrom), now)} to {momentText(Date.parse(appliesTo), now)}
            </>,
          ],
        overdueAt !== null &&
          (status === 'open' || status === 'past_due') && [
            status === 'past_due' ? 'Past due since' : 'Past due from',
            <When at={overdueAt} now={now} />,
          ],
        status !== 'draft' && ['Reminders sent', attemptCount],
        notes !== null && ['Notes', <UserText text={notes} />],
        [status === 'draft' ? 'Draft since' : 'Created', <When at={invoice.createdAt} now={now} />],
      ]}
    />
  );
}
