/** One payment: its details, its timeline, its webhooks, and its session. */
import { displayNpr } from '../../../../../src/kernel/money.ts';
import { paymentRoute, paymentsEntry } from '../../places.ts';
import { useScreenContext } from '../../context.ts';
import type { Kept } from '../../live/live-state.ts';
import { newestOf } from '../../lists/received.ts';
import { Id } from '../../parts/copy.tsx';
import { BackLink } from '../../parts/back-link.tsx';
import { Failed, Loading } from '../../parts/notices.tsx';
import { PaymentSummary } from '../../parts/payment-summary.tsx';
import { ReceiptCard } from '../../parts/receipt-card.tsx';
import { RefundsCard } from '../../parts/refunds-card.tsx';
import { SentEvents } from '../../parts/sent-events.tsx';
import { SessionCard } from '../../parts/session-card.tsx';
import { Timeline } from '../../parts/timeline.tsx';
import { useTimeline } from '../../parts/use-timeline.ts';
import { screen, type Viewed } from '../../screen.tsx';
import type { Payment } from '../../wire/types.ts';
import { buyerText } from '../../words/buyer.ts';

export const payment = screen({
  route: paymentRoute,
  title: ({ id }, answered, { liveState }) => {
    const known = knownOf(answered, liveState.payments.get(id));
    if (known === null) return `${id} · Payment`;
    return `${buyerText(known.customer) ?? known.description ?? id} · ${displayNpr(known.amount)} · Payment`;
  },
  navigation: paymentsEntry,
  follows: [],
  load: ({ api, place }, { id }) => ({ key: `payment ${id}`, ask: () => api.payment(place, id) }),
  view: OnePayment,
});

function OnePayment({ params: { id }, asked }: Viewed<{ readonly id: string }, Payment>) {
  const { liveState, to } = useScreenContext();
  const payment = knownOf(asked.value, liveState.payments.get(id));
  return (
    <main class="page" id="main">
      <BackLink to={to(paymentsEntry.link)}>Payments</BackLink>
      <div class="heading">
        <h1 tabIndex={-1}>Payment</h1>
        <Id id={id} what="payment id" />
      </div>
      {asked.failure !== null && (
        <Failed failure={asked.failure} again={asked.again} whole={payment === null} />
      )}
      {payment === null ? (
        asked.failure === null && <Loading lines={5} what="the payment" />
      ) : (
        <Whole payment={payment} />
      )}
    </main>
  );
}

/** What arrives over the socket has no ids of the wallet's app, and no description. */
function knownOf(answered: Payment | null, kept: Kept<Payment> | undefined): Payment | null {
  const newest = newestOf(answered, kept);
  if (newest === null || answered === null) return newest;
  const { walletAIntent = null, description = null } = answered;
  return { ...newest, walletAIntent, description };
}

function Whole({ payment }: { readonly payment: Payment }) {
  const timeline = useTimeline(payment);
  return (
    <>
      <PaymentSummary payment={payment} />
      <div class="columns">
        <Timeline
          timeline={timeline}
          isOpen={payment.status === 'pending' || payment.status === 'processing'}
        />
        <div class="side">
          {isPaid(payment) && <RefundsCard payment={payment} />}
          <SentEvents entries={timeline.entries} />
          {/* no request reads the session of an invoice */}
          {payment.invoiceId === null && <SessionCard sessionId={payment.sessionId} paymentId={payment.id} />}
          {isPaid(payment) && <ReceiptCard paymentId={payment.id} />}
        </div>
      </div>
    </>
  );
}

const isPaid = ({ status }: Payment): boolean => status === 'success' || status === 'refunded';
