/** Documents of older schemas: how they are read, and how a session is written for nodes that know no newer one.
 *  Schema 1 had no Direct-QR, schema 2 no wait at the end of a code's own time, schema 3 no refunds, schema 4 no
 *  payment links, schema 5 no legs in a provider's app and no invoices, schema 6 no subscriptions, schema 7 no money of
 *  another amount, schema 8 no keys, schema 9 the leg that decides in the payment's own fields. */
import type { Json } from '../../src/runtime/model/actor.ts';
import type { Leg, LegName, Payment } from './attempt.ts';
import type { CheckoutSession, SessionState } from './state.ts';

export const sessionSchema = 10;
/** From schema 9 on, nodes know sessions that are the record of an Idempotency-Key. */
export const keyedSchema = 9;

export function upcast(body: Json, from: number): SessionState {
  // this actor wrote it itself
  const old = { refunds: [], ...(body as object) } as unknown as OldSession;
  const first = from > 1 ? {} : { qrMessage: null, qrLog: [] };
  const payments = old.payments.map((payment) =>
    withLegs(from > 1 ? payment : { ...payment, socketUrl: null }),
  );
  return { ...old, ...first, payments } as SessionState;
}

/** A session that uses Direct-QR cannot be written in schema 1, because the fields left out would be lost. A
 *  node that does not know payment links would not report to the link how its session ended; one that knows
 *  no second leg would not look it up, one that knows no subscription would not ask it what is paid, and one that
 *  knows no other amount would refund what was asked for; one that knows no key would not answer a repeat. */
export function downcast(session: CheckoutSession['state'], to: number): Json | null {
  const { payments, order } = session;
  if (to < 9 && session.keyed !== undefined) return null;
  if (to < 8 && payments.some(isOfOtherAmount)) return null;
  if (to < 7 && order.subscriptionId !== undefined) return null;
  if (to < 6 && (order.source === 'invoice' || payments.some(mayHaveTwoLegs))) return null;
  if (to < 5 && order.link !== undefined) return null;
  if (to < 4 && session.refunds.length > 0) return null;
  if (to < 3 && session.status === 'initiated' && session.waiting?.is === 'attemptEnd') return null;
  if (to < 2 && session.status === 'hidden') return null;
  const { refunds, qrMessage, qrLog, ...rest } = session;
  return {
    ...rest,
    ...(to < 4 ? {} : { refunds }),
    ...(to < 2 ? {} : { qrMessage, qrLog }),
    payments: payments.map((payment) => {
      const { socketUrl, ...old } = withoutLegs(payment);
      return to < 2 ? old : { ...old, socketUrl };
    }),
  } as unknown as Json;
}

const isOfOtherAmount = ({ amountPaid, claim, reviewed }: Payment): boolean =>
  amountPaid !== undefined ||
  claim?.brought.otherAmount !== undefined ||
  reviewed?.accepting?.money !== undefined;

const mayHaveTwoLegs = ({ booking, webOnly }: Payment): boolean =>
  booking !== undefined || webOnly !== undefined;

/** Until schema 9: the fields of the leg that decides are the payment's, `other` is the other leg. */
type OldPayment = Omit<Payment, 'legs'> &
  Omit<Leg, 'name' | 'settled'> & { readonly leg?: 'intent'; readonly other?: OldOther };
type OldOther = Omit<Leg, 'name' | 'settled' | 'clear'> & {
  readonly leg: LegName;
  readonly settled: boolean;
  readonly clear?: true;
};
type OldSession = Omit<SessionState, 'payments'> & { readonly payments: readonly OldPayment[] };

function withLegs(old: OldPayment): Payment {
  const { leg = 'web', instructions, lookupReference, providerExpiresAt, clear, look, other, ...more } = old;
  const { differenceReported, seen, ...payment } = more;
  const first: Leg = {
    name: leg,
    instructions,
    lookupReference,
    providerExpiresAt,
    clear,
    ...(differenceReported === undefined ? {} : { differenceReported }),
    ...(seen === undefined ? {} : { seen }),
    look,
  };
  return { ...payment, legs: other === undefined ? [first] : [first, otherLeg(other)] };
}

const otherLeg = ({ leg: name, settled, clear, ...its }: OldOther): Leg => ({
  name,
  ...its,
  clear: clear === true,
  ...(settled ? { settled } : {}),
});

function withoutLegs({ legs, ...payment }: Payment): OldPayment {
  const [{ name, ...first }, other] = legs;
  return {
    ...payment,
    ...first,
    ...(name === 'intent' ? { leg: name } : {}),
    ...(other === undefined ? {} : { other: oldOther(other) }),
  };
}

const oldOther = ({ name: leg, settled, clear, ...its }: Leg): OldOther => ({
  leg,
  ...its,
  settled: settled === true,
  ...(clear ? { clear } : {}),
});
