/** The refunds of a paid payment, what is left of it, and the form for another one. */
import { useState } from 'preact/hooks';
import { refundable } from '../../../../../actors/checkout-session/refundable.ts';
import { displayNpr } from '../../../../../src/kernel/money.ts';
import { useAsked } from '../../asked.ts';
import { useScreenContext } from '../../context.ts';
import { refundsOfPayment } from '../../lists/refund-rows.ts';
import type { Payment } from '../../wire/types.ts';
import { Glyph } from '../../parts/marks.tsx';
import { Failed, Loading } from '../../parts/notices.tsx';
import { RefundForm } from './refund-form.tsx';
import { RefundItem } from '../../parts/refund-item.tsx';

/** No payment has more refunds. */
const refundsAsked = 100;

export function RefundsCard({ payment }: { readonly payment: Payment }) {
  const { api, place, liveState } = useScreenContext();
  const [isOpen, setOpen] = useState(false);
  const query = new URLSearchParams({ paymentId: payment.id, limit: String(refundsAsked) });
  const asked = useAsked(`refunds of ${payment.id}`, () => api.call('GET /v1/refunds', place, { query }));
  const refunds = asked.value === null ? null : refundsOfPayment(asked.value, liveState.refunds, payment.id);
  return (
    <section class="slip lone act" aria-labelledby="refunds">
      <h2 id="refunds">Refunds</h2>
      {refunds === null && asked.failure === null && <Loading lines={2} what="refunds" />}
      {asked.failure !== null && <Failed failure={asked.failure} again={asked.again} />}
      {refunds !== null && (
        <>
          <Left left={refundable(payment.amount, refunds)} isNone={refunds.length === 0} />
          {refunds.length > 0 && (
            <ul class="refunds">
              {refunds.map((refund) => (
                <RefundItem key={refund.id} refund={refund} onSettled={asked.again} />
              ))}
            </ul>
          )}
          <Another
            payment={payment}
            left={refundable(payment.amount, refunds)}
            isOpen={isOpen}
            setOpen={setOpen}
            onDone={asked.again}
          />
        </>
      )}
    </section>
  );
}

const Left = ({ left, isNone }: { readonly left: number; readonly isNone: boolean }) => (
  <p class="soft left">
    {left === 0
      ? 'Nothing is left to refund.'
      : `${isNone ? 'Nothing was refunded yet. ' : ''}${displayNpr(left)} can be refunded.`}
  </p>
);

interface AnotherProps {
  readonly payment: Payment;
  readonly left: number;
  readonly isOpen: boolean;
  readonly setOpen: (isOpen: boolean) => void;
  readonly onDone: () => void;
}

function Another({ payment, left, isOpen, setOpen, onDone }: AnotherProps) {
  if (left === 0) return null;
  if (!isOpen) {
    return (
      <button type="button" class="button second fit" onClick={() => setOpen(true)}>
        <Glyph name="back" />
        Refund
      </button>
    );
  }
  const close = (): void => setOpen(false);
  return (
    <RefundForm
      payment={payment}
      left={left}
      onCancel={close}
      onDone={() => {
        close();
        onDone();
      }}
    />
  );
}
