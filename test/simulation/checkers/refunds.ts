/** Laws of refunds: never more than was paid, never called twice, and each of them ends. */
import type { Doc } from '../../../src/store/store.ts';
import type { Refund } from '../../../actors/checkout-session/refund.ts';
import type { MakeChecker } from './checker.ts';
import { sessionIn } from './money.ts';

const sumOf = (refunds: readonly Refund[]): number => refunds.reduce((sum, { amount }) => sum + amount, 0);

const refundsOf = (doc: Doc | null, paymentId: string): readonly Refund[] =>
  (sessionIn(doc)?.refunds ?? []).filter((refund) => refund.paymentId === paymentId);

export const refundsStayWithinThePayment: MakeChecker = () => ({
  rule: 'the refunds that have not failed never exceed their payment',
  landed(landed) {
    const session = landed.is === 'doc' ? sessionIn(landed.doc) : null;
    for (const { id } of session?.payments ?? []) {
      const kept = (session?.refunds ?? []).filter(
        ({ paymentId, status }) => paymentId === id && status !== 'failed',
      );
      const amount = session?.order.amount ?? 0;
      if (sumOf(kept) > amount) return `${id} of ${amount} has refunds of ${sumOf(kept)}`;
    }
    return null;
  },
});

export const refundsAreCalledOnce: MakeChecker = ({ ledger }) => {
  const check = (): string | null => {
    const twice = [...ledger.refunds.values()].find(({ calls }) => calls > 1);
    return twice === undefined ? null : `${twice.refundId} was called ${twice.calls} times`;
  };
  return { rule: 'a refund is called at most once', began: check, ended: check };
};

export const succeededRefundsAreMoney: MakeChecker = ({ ledger }) => ({
  rule: 'only money the provider has sent back makes a refund succeed',
  landed(landed) {
    const session = landed.is === 'doc' ? sessionIn(landed.doc) : null;
    for (const { id, refundedAmount } of session?.payments ?? []) {
      const returned = ledger.returnedOf(id);
      if (refundedAmount > returned)
        return `${id} shows ${refundedAmount} refunded, the provider ${returned}`;
    }
    return null;
  },
});

export const refundsEnd: MakeChecker = ({ disk, ledger }) => ({
  rule: 'every refund has ended or is looked up, and one that stands alone is found',
  ended() {
    for (const doc of disk.docs('checkout_session')) {
      for (const { id, paymentId, status } of sessionIn(doc)?.refunds ?? []) {
        const isPlanned = doc.timers.some(({ name }) => name === `refund/${paymentId}`);
        if (status === 'processing' && !isPlanned) return `${id} is processing, and nobody looks for it`;
        const isAlone = refundsOf(doc, paymentId).length === 1;
        if (isAlone && status !== 'succeeded' && (ledger.refunds.get(id)?.returned ?? 0) > 0)
          return `${id} was sent back, and is ${status}`;
      }
    }
    return null;
  },
});
