/** One subscription: how it stands, what comes next by itself, what can be done, and its invoices. */
import { detailScreen, type DetailProps } from '../../detail-screen.tsx';
import { displayNpr } from '../../../../../src/kernel/money.ts';
import {
  billingEntry,
  customerRoute,
  invoiceRoute,
  invoicesRoute,
  planRoute,
  subscriptionRoute,
} from '../../places.ts';
import { useAsked } from '../../asked.ts';
import { useScreenContext } from '../../context.ts';
import { invoicesKnown } from '../../lists/billing-rows.ts';
import { newestOf } from '../../lists/received.ts';
import { InvoiceRows } from '../../parts/invoice-row.tsx';
import { Fact, Glyph, UserText, Tag } from '../../parts/marks.tsx';
import { Empty, Failed, Loading } from '../../parts/notices.tsx';
import { NextSteps } from '../../parts/next-steps.tsx';
import { SubscriptionActions } from './subscription-actions.tsx';
import { When } from '../../parts/when.tsx';
import type { Invoice, Subscription } from '../../wire/billing-types.ts';
import {
  endsWords,
  isEnded,
  isPayable,
  numberText,
  pausedByInvoice,
  priceText,
  reasonText,
  subscriptionStates,
} from '../../words/billing.ts';
import { whatComesNext } from '../../words/next-steps.ts';
import { dayWord, momentText } from '../../words/time.ts';
import { providerWord, wordsOf } from '../../words/words.ts';

export const subscription = detailScreen<Subscription>({
  route: subscriptionRoute,
  navigation: billingEntry,
  follows: ['plan', 'customer'],
  kind: 'Subscription',
  idWord: 'subscription id',
  back: ['Subscriptions', billingEntry.link],
  load: ({ api, place }, { id }) => ({
    key: `subscription ${id}`,
    ask: () => api.call('GET /v1/billing/subscriptions/{id}', place, { id }),
  }),
  newest: (answered, { id }, { liveState }) => newestOf(answered, liveState.subscriptions.get(id)),
  name: ({ customer }) => customer.name,
  view: Whole,
});

/** Its newest invoices; more than can be unpaid. */
const invoicesMax = 100;
const invoicesShown = 12;

function Whole({ known: subscription, again }: DetailProps<Subscription>) {
  const { api, place, liveState, now } = useScreenContext();
  const { id, displayStatus, cancelAtPeriodEnd } = subscription;
  const of = { status: '', customerId: '', subscriptionId: id };
  const query = new URLSearchParams({ subscriptionId: id, limit: String(invoicesMax) });
  const asked = useAsked(`invoices of ${query}`, () =>
    api.call('GET /v1/billing/invoices', place, { query }),
  );
  const invoices = asked.value === null ? null : invoicesKnown(asked.value, liveState, of);
  const changed = (): void => {
    again();
    asked.again();
  };
  return (
    <>
      <div class="columns of-subscription">
        <section class="slip lone act" aria-labelledby="next">
          <h2 id="next">What comes next</h2>
          <NextSteps steps={whatComesNext(subscription, invoices ?? [])} none={noneText(subscription, now)} />
        </section>
        <section class="slip lone act stands" aria-labelledby="standing">
          <h2 id="standing" tabIndex={-1}>
            How it stands
          </h2>
          <p class="tags standing">
            <Tag words={wordsOf(subscriptionStates, displayStatus)} />
            {cancelAtPeriodEnd && <Tag words={endsWords} />}
          </p>
          <Owed invoices={invoices ?? []} isWaiting={subscription.pauseReason === pausedByInvoice} />
          <Facts subscription={subscription} />
          <SubscriptionActions
            affected={{ subscription, invoices: invoices ?? [], now }}
            onChanged={changed}
          />
        </section>
        <section class="slip lone list" aria-labelledby="invoices-of">
          <h2 id="invoices-of" class="of-list">
            Its invoices
          </h2>
          {asked.failure !== null && (
            <Failed failure={asked.failure} again={asked.again} whole={invoices === null} />
          )}
          {invoices === null ? (
            asked.failure === null && <Loading lines={3} what="the invoices" />
          ) : (
            <Invoices id={id} invoices={invoices} total={asked.value?.total ?? 0} />
          )}
        </section>
      </div>
    </>
  );
}

interface OwedProps {
  readonly invoices: readonly Invoice[];
  /** It was paused because of it. */
  readonly isWaiting: boolean;
}

/** What the customer has not paid. */
function Owed({ invoices, isWaiting }: OwedProps) {
  const { now, to } = useScreenContext();
  const unpaid = invoices.filter(isPayable);
  if (unpaid.length === 0) return null;
  const isLate = unpaid.some(({ status }) => status === 'past_due');
  return (
    <div class={isLate ? 'notice bad owed' : 'notice owed'} role="note">
      <Glyph name={isLate ? 'note' : 'clock'} />
      <div>
        <strong>
          {displayNpr(unpaid.reduce((sum, { amountDue }) => sum + amountDue, 0))}{' '}
          {isLate ? 'is owed' : 'is to be paid'}
        </strong>
        <ul>
          {unpaid.map((invoice) => (
            <li key={invoice.id}>
              <a href={to(invoiceRoute.at({ id: invoice.id }))}>{numberText(invoice)}</a>, due{' '}
              {dayWord(Date.parse(invoice.dueAt), now)}
            </li>
          ))}
        </ul>
        {isWaiting && 'Once that is paid the subscription resumes by itself.'}
      </div>
    </div>
  );
}

function noneText(subscription: Subscription, now: number): string {
  const { displayStatus, endedAt } = subscription;
  if (isEnded(subscription))
    return `It ended ${endedAt === null ? '' : momentText(Date.parse(endedAt), now)}. Nothing more happens.`;
  return displayStatus === 'paused'
    ? 'It is paused: its period stands still until you resume it.'
    : 'Nothing happens by itself.';
}

function Facts({ subscription }: { readonly subscription: Subscription }) {
  const { now, to } = useScreenContext();
  const { customer, plan, displayStatus, metadata } = subscription;
  const at = (name: string, time: string | null) =>
    time !== null && (
      <Fact name={name}>
        <When at={time} now={now} />
      </Fact>
    );
  return (
    <dl class="facts">
      <Fact name="Customer">
        <a href={to(customerRoute.at({ id: customer.id }))}>
          <UserText text={customer.name} />
        </a>
        {customer.email !== null && (
          <span class="soft below">
            <UserText text={customer.email} />
          </span>
        )}
      </Fact>
      <Fact name="Plan">
        <a href={to(planRoute.at({ id: plan.id }))}>
          <UserText text={plan.name} />
        </a>
        <span class="soft below">{priceText(plan)}</span>
      </Fact>
      {displayStatus !== 'draft' && (
        <Fact name={displayStatus === 'trialing' ? 'Trial' : 'Period'}>
          {momentText(Date.parse(subscription.currentPeriodStart), now)}
          <span class="soft below">to {momentText(Date.parse(subscription.currentPeriodEnd), now)}</span>
        </Fact>
      )}
      <Fact name="Invoices">
        {subscription.cyclesBilled}
        {subscription.totalCycles !== null && ` of ${subscription.totalCycles}`}
      </Fact>
      {at('Paused', subscription.pausedAt)}
      <Reason name="Why it is paused" text={subscription.pauseReason} />
      {subscription.cancelAtPeriodEnd && at('Ends', subscription.cancelEffectiveAt)}
      {at('Ended', subscription.endedAt)}
      <Reason name="Why it ends" text={subscription.cancelReason} />
      {subscription.providerPreference !== null && (
        <Fact name="Offered first">{providerWord(subscription.providerPreference)}</Fact>
      )}
      {subscription.referenceId !== null && (
        <Fact name="Your reference">
          <UserText text={subscription.referenceId} />
        </Fact>
      )}
      {at('Started', displayStatus === 'draft' ? null : subscription.startDate)}
      {Object.entries(metadata).map(([key, value]) => (
        <Fact key={key} name={key}>
          <UserText text={typeof value === 'string' ? value : JSON.stringify(value)} />
        </Fact>
      ))}
    </dl>
  );
}

const Reason = ({ name, text }: { readonly name: string; readonly text: string | null }) =>
  text === null ? null : (
    <Fact name={name}>
      <UserText text={reasonText(text)} />
    </Fact>
  );

interface InvoicesProps {
  readonly id: string;
  readonly invoices: readonly Invoice[];
  readonly total: number;
}

function Invoices({ id, invoices, total }: InvoicesProps) {
  const { to } = useScreenContext();
  if (invoices.length === 0)
    return (
      <Empty sign="list" title="No invoice yet">
        <p class="soft">The first one opens by itself, at the time above.</p>
      </Empty>
    );
  return (
    <>
      <InvoiceRows rows={invoices.slice(0, invoicesShown)} />
      {total > invoicesShown && (
        <p class="list-foot">
          <a href={to(invoicesRoute.at({ filters: { subscriptionId: id } }))}>All {total} invoices</a>
        </p>
      )}
    </>
  );
}
