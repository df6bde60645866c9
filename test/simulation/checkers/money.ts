/** Laws of money: what the provider's books say is what our sessions say. */
import { addressText } from '../../../src/runtime/model/address.ts';
import type { Doc } from '../../../src/store/store.ts';
import type { Payment } from '../../../actors/checkout-session/attempt.ts';
import { isPaid } from '../../../actors/checkout-session/payment.ts';
import type { SessionState } from '../../../actors/checkout-session/state.ts';
import type { MakeChecker } from './checker.ts';

export const sessionIn = (doc: Doc | null): SessionState | null =>
  doc?.kind === 'checkout_session' && doc.body !== null ? (doc.body as unknown as SessionState) : null;

const paidIn = (session: SessionState | null): readonly Payment[] => (session?.payments ?? []).filter(isPaid);

/** Those that are not given back as duplicates. */
export const keptIn = (session: SessionState | null): readonly Payment[] =>
  paidIn(session).filter(({ duplicate }) => !duplicate);

export const successNeedsMoney: MakeChecker = ({ ledger }) => ({
  rule: 'only money the provider holds makes a success',
  landed(landed) {
    const session = landed.is === 'doc' ? sessionIn(landed.doc) : null;
    if (session === null) return null;
    const unpaid = paidIn(session).find(({ id }) => ledger.attempts.get(id)?.status !== 'paid');
    if (unpaid !== undefined) return `${unpaid.id} is a success, the provider holds no money for it`;
    if (session.status !== 'success') return null;
    const { paidBy } = session;
    const stands = paidIn(session).some(({ id }) => id === paidBy);
    return stands ? null : `a session is paid by ${paidBy}, which is no success`;
  },
});

export const moneyMakesSuccess: MakeChecker = () => ({
  rule: 'a payment that succeeded has made its session a success',
  landed(landed) {
    if (landed.is !== 'doc') return null;
    const session = sessionIn(landed.doc);
    if (session === null || session.status === 'success') return null;
    // money for an invoice that is settled goes back, and its session stays as it is
    const isForSettled = ({ duplicate }: Payment): boolean => session.order.source === 'invoice' && duplicate;
    if (paidIn(session).every(isForSettled)) return null;
    return `${addressText(landed.doc)} is ${session.status} with a payment that succeeded`;
  },
});

export const endsAreFinal: MakeChecker = () => ({
  rule: 'out of an end leads verified money alone, out of success nothing',
  landed(landed) {
    if (landed.is !== 'doc') return null;
    const [before, after] = [sessionIn(landed.before), sessionIn(landed.doc)];
    if (before === null || after === null || !('endedAt' in before)) return null;
    const byMoney = after.status === 'success' && before.status !== 'success';
    if (after.status === before.status || byMoney) return null;
    return `${addressText(landed.doc)} went from ${before.status} to ${after.status}`;
  },
});

export const sequencesHaveNoGaps: MakeChecker = () => ({
  rule: 'a sequence grows by one at a time',
  landed(landed) {
    if (landed.is !== 'doc') return null;
    const [before, after] = [sessionIn(landed.before), sessionIn(landed.doc)];
    if (after === null) return null;
    const steps: (readonly [string, number, number])[] = after.payments.map(({ id, sequence }) => [
      id,
      sequence,
      before?.payments.find((payment) => payment.id === id)?.sequence ?? 0,
    ]);
    const jumped = [...steps, [landed.doc.id, after.sequence, before?.sequence ?? 0] as const]
      // one turn may execute many commands; each of them is one step
      .find(([, now, then]) => now < then || now > then + 64);
    return jumped === undefined ? null : `${jumped[0]} went from sequence ${jumped[2]} to ${jumped[1]}`;
  },
});

export const oneSuccessIsAnnounced: MakeChecker = () => {
  const announced = new Map<string, Set<string>>();
  return {
    rule: 'a session announces one payment.succeeded, ever',
    landed(landed) {
      if (landed.is !== 'doc' || landed.doc.kind !== 'checkout_session') return null;
      const name = addressText(landed.doc);
      for (const row of landed.doc.out) {
        if (row.type !== 'event' || row.event !== 'payment.succeeded') continue;
        const events = announced.get(name) ?? new Set<string>();
        announced.set(name, events.add(`${name}:${row.eseq}`));
        if (events.size > 1) return `${name} announced ${[...events].join(' and ')}`;
      }
      return null;
    },
  };
};

export const moneyIsConserved: MakeChecker = ({ disk, ledger }) => ({
  rule: 'all money at the provider is in our books once, and none that is not there',
  ended() {
    for (const { paymentId, sessionId, amount, status } of ledger.attempts.values()) {
      if (status !== 'paid') continue;
      const session = sessionIn(disk.doc('checkout_session', sessionId));
      const payment = paidIn(session).find(({ id }) => id === paymentId);
      if (payment === undefined)
        return `${paymentId} is paid; ${sessionId} is ${session?.status ?? 'nowhere'}`;
      const ordered = session?.order.amount;
      if (ordered !== amount) return `${paymentId} was paid ${amount}, the order says ${ordered}`;
    }
    for (const doc of disk.docs('checkout_session')) {
      const kept = keptIn(sessionIn(doc));
      const paid = ledger.paidOf(doc.id);
      // an invoice keeps one payment of all its sessions (billing.ts)
      if (kept.length === 0 && sessionIn(doc)?.order.source === 'invoice') continue;
      if (kept.length === Math.min(1, paid.length)) continue;
      return `${doc.id} keeps ${kept.length} payments, the provider holds ${paid.length}`;
    }
    return null;
  },
});
