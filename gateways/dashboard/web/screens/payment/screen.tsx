/** One payment: its details, its timeline, its webhooks, and its session. */
import { detailScreen, type DetailProps } from '../../detail-screen.tsx';
import { displayNpr } from '../../../../../src/kernel/money.ts';
import { paymentRoute, paymentsEntry } from '../../places.ts';
import type { Kept } from '../../live/live-state.ts';
import { newestOf } from '../../lists/received.ts';
import { PaymentSummary } from './payment-summary.tsx';
import { ReceiptCard } from './receipt-card.tsx';
import { RefundsCard } from './refunds-card.tsx';
import { SentEvents } from './sent-events.tsx';
import { SessionCard } from './session-card.tsx';
import { Timeline } from './timeline.tsx';
import { useTimeline } from './use-timeline.ts';
import type { Payment } from '../../wire/types.ts';
import { buyerText } from '../../words/buyer.ts';

export const payment = detailScreen<Payment>({
  route: paymentRoute,
  navigation: paymentsEntry,
  follows: [],
  kind: 'Payment',
  idWord: 'payment id',
  back: ['Payments', paymentsEntry.link],
  load: ({ api, place }, { id }) => ({
    key: `payment ${id}`,
    ask: () => api.call('GET payments/{id}', place, { id }),
  }),
  newest: (answered, { id }, { liveState }) => knownOf(answered, liveState.payments.get(id)),
  name: ({ id, customer, description, amount }) =>
    `${buyerText(customer) ?? description ?? id} · ${displayNpr(amount)}`,
  heading: () => 'Payment',
  view: Whole,
});

/** What arrives over the socket has no ids of the wallet's app, and no description. */
function knownOf(answered: Payment | null, kept: Kept<Payment> | undefined): Payment | null {
  const newest = newestOf(answered, kept);
  if (newest === null || answered === null) return newest;
  const { walletAIntent = null, description = null } = answered;
  return { ...newest, walletAIntent, description };
}

function Whole({ known: payment }: DetailProps<Payment>) {
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
