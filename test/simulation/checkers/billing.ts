/** Laws of billing (I12): what is stored of a subscription is one valid invoice for each of its periods. */
import { addressText } from '../../../src/runtime/model/address.ts';
import type { Doc } from '../../../src/store/store.ts';
import type { Disk } from '../../support/simulated/store-sim-disk.ts';
import type { Instant } from '../../../src/kernel/time.ts';
import type { Invoice, SubscriptionState } from '../../../actors/subscription/state.ts';
import type { MakeChecker } from './checker.ts';
import { keptIn, sessionIn } from './money.ts';

const subscriptionIn = (doc: Doc | null): SubscriptionState | null =>
  doc?.kind === 'subscription' && doc.body !== null ? (doc.body as unknown as SubscriptionState) : null;

const isValid = ({ status }: Invoice): boolean => status !== 'voided';

export const eachPeriodIsBilledOnce: MakeChecker = () => {
  /** Every invoice there was, as it was last. */
  const known = new Map<string, Map<string, Invoice>>();
  /** As their rows say: the document drops an invoice of a period that is over with the very commit that voids it. */
  const voided = new Set<string>();
  return {
    rule: 'a subscription has one valid invoice for each period, and each period it is in was billed',
    landed(landed) {
      if (landed.is === 'row' && landed.row.kind === 'invoice' && landed.row.body['status'] === 'voided')
        voided.add(landed.row.id);
      const s = landed.is === 'doc' ? subscriptionIn(landed.doc) : null;
      if (s === null || landed.is !== 'doc') return null;
      const name = addressText(landed.doc);
      const all = known.get(name) ?? new Map<string, Invoice>();
      known.set(name, all);
      for (const invoice of s.invoices) all.set(invoice.id, invoice);
      const valid = [...all.values()]
        .filter((invoice) => isValid(invoice) && !voided.has(invoice.id))
        .toSorted((a, b) => a.periodStart - b.periodStart);
      const twice = valid.find(({ periodStart }, n) => periodStart < (valid[n - 1]?.periodEnd ?? -Infinity));
      if (twice !== undefined) return `${name} has two valid invoices for the time from ${twice.periodStart}`;
      const isBilled = [...all.values()].some(({ periodStart }) => periodStart === s.period.start);
      return isBilled || !mustBeBilled(s) ? null : `${name} did not bill the period from ${s.period.start}`;
    },
  };
};

/** It is in a period that is to be paid for, and nothing of it is under way. */
const mustBeBilled = (s: SubscriptionState): boolean =>
  (s.status === 'active' || s.status === 'past_due') &&
  s.opening === null &&
  !s.lapsed &&
  (s.totalCycles === null || s.cyclesBilled < s.totalCycles);

export const nothingOpensInAPauseOrAfterTheEnd: MakeChecker = () => {
  /** Since when it is paused or has ended. */
  const still = new Map<string, Instant>();
  const opened = new Set<string>();
  return {
    rule: 'no invoice begins to open while its subscription is paused, or when it has ended',
    landed(landed) {
      const s = landed.is === 'doc' ? subscriptionIn(landed.doc) : null;
      if (s === null || landed.is !== 'doc') return null;
      const name = addressText(landed.doc);
      const since = still.get(name) ?? Infinity;
      const fresh = s.invoices.filter(({ id, openedAt }) => openedAt !== null && !opened.has(id));
      for (const { id } of fresh) opened.add(id);
      const late = s.endedAt ?? (s.status === 'paused' ? s.pausedAt : null);
      if (late === null) still.delete(name);
      else still.set(name, late);
      if (late === null || since === Infinity) return null;
      const wrong = fresh.find(({ openedAt }) => (openedAt ?? 0) > since);
      return wrong === undefined
        ? null
        : `${name} opened ${wrong.id} at ${wrong.openedAt}, still since ${since}`;
    },
  };
};

export const invoiceNumbersHaveNoGaps: MakeChecker = ({ disk }) => {
  const holders = new Map<string, string>();
  return {
    rule: 'the numbers of invoices are given once each, and in the end none is missing',
    landed(landed) {
      const s = landed.is === 'doc' ? subscriptionIn(landed.doc) : null;
      if (s === null || landed.is !== 'doc') return null;
      for (const { id, number } of s.invoices) {
        if (number === null) continue;
        const key = `${landed.doc.scope} ${number}`;
        const holder = holders.get(key) ?? id;
        if (holder !== id) return `${holder} and ${id} have the number ${number}`;
        holders.set(key, id);
      }
      return null;
    },
    ended: () => missing(disk, holders),
  };
};

export const invoicesKeepOnePayment: MakeChecker = ({ disk }) => ({
  rule: 'of all sessions of an invoice one payment is kept, the one that the invoice names',
  ended() {
    const kept = new Map<string, string[]>();
    for (const doc of disk.docs('checkout_session')) {
      const session = sessionIn(doc);
      if (session?.order.source !== 'invoice') continue;
      const { invoiceId = 'none' } = session.order;
      kept.set(invoiceId, [...(kept.get(invoiceId) ?? []), ...keptIn(session).map(({ id }) => id)]);
    }
    for (const { id, body } of disk.rows('invoice')) {
      const { paymentId } = body as { readonly paymentId: string | null };
      const found = kept.get(id)?.join(' and ') ?? '';
      if ((paymentId ?? '') !== found) return `${id} is paid by ${paymentId}, kept is ${found}`;
    }
    return null;
  },
});

function missing(disk: Disk, holders: ReadonlyMap<string, string>): string | null {
  for (const { id: scope, body } of disk.docs('invoice_book')) {
    const last = Number(body?.['last'] ?? 0);
    for (let number = 1; number <= last; number++)
      if (!holders.has(`${scope} ${number}`))
        return `no invoice of ${scope} has the number ${number} of ${last}`;
  }
  return null;
}
