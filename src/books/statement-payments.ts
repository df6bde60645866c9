/** Finds the payments and the refunds that the rows of a statement speak of, many at once.
 *  1. Only payments of the statement's own provider, project and mode are found. */
import type { PaymentStatus } from '../../actors/checkout-session/attempt.ts';
import { couldBeId } from '../kernel/id.ts';
import type { Paisa } from '../kernel/money.ts';
import type { Provider } from '../providers/answers.ts';
import type { Scope } from '../runtime/model/address.ts';
import type { Row, Store } from '../store/store.ts';

/** What a payment's row shows of it. */
export interface FoundPayment {
  readonly id: string;
  readonly sessionId: string;
  readonly provider: Provider;
  readonly providerRef: string | null;
  readonly status: PaymentStatus;
  readonly amount: Paisa;
  readonly paidAt: string | null;
}

export interface FoundRefund {
  readonly id: string;
  readonly paymentId: string;
  readonly status: string;
  readonly amount: Paisa;
}

type Payments = Pick<Store, 'listRows' | 'readManyRows'>;

/** Payments that may carry one reference; of more, the oldest are not looked at. */
const perReferenceMax = 4;
/** Refunds read at once; a payment has few. */
const refundsReadMax = 1000;

// the session's own view wrote the row
export const paymentOfRow = ({ body }: Row): FoundPayment => body as unknown as FoundPayment;

/** By reference: that of the provider comes before ours. At most `readManyMax` references. */
export async function paymentsByReference(
  store: Payments,
  scope: Scope,
  provider: Provider,
  references: readonly string[],
): Promise<ReadonlyMap<string, readonly FoundPayment[]>> {
  if (references.length === 0) return new Map();
  const named = store.listRows({
    kind: 'payment',
    scope,
    anyOf: { providerRef: references },
    page: 1,
    limit: references.length * perReferenceMax,
    uncounted: true,
  });
  const ids = new Map(
    references.flatMap((reference) => idsOf(reference).map((id) => [id, reference] as const)),
  );
  const ours = ids.size === 0 ? [] : store.readManyRows('payment', [...ids.keys()]);
  const [{ items }, own] = await Promise.all([named, ours]);
  const found = new Map<string, FoundPayment[]>();
  const add = (reference: string | null | undefined, payment: FoundPayment): void => {
    if (typeof reference !== 'string' || payment.provider !== provider) return;
    found.set(reference, [...(found.get(reference) ?? []), payment]);
  };
  for (const payment of items.map(paymentOfRow)) add(payment.providerRef, payment);
  const others = own.filter((row) => !row.gone && row.scope === scope).map(paymentOfRow);
  for (const payment of others) {
    const reference = ids.get(payment.id);
    if (reference !== undefined && !found.has(reference)) add(reference, payment);
  }
  return found;
}

/** Our reference of a payment is its id with a hyphen; the second leg of an attempt adds `-i`. */
function idsOf(reference: string): readonly string[] {
  const id = reference.trim().toLowerCase().replace(/-i$/, '').replace(/^pay-/, 'pay_');
  return couldBeId('pay', id) ? [id] : [];
}

/** Our reference, as statements of providers show it that have none of their own. */
export const ourReference = (paymentId: string): string => paymentId.replace('_', '-');

/** The refunds that have succeeded. */
export async function refundsOfPayments(
  store: Pick<Store, 'listRows'>,
  scope: Scope,
  paymentIds: readonly string[],
): Promise<readonly FoundRefund[]> {
  if (paymentIds.length === 0) return [];
  const { items } = await store.listRows({
    kind: 'refund',
    scope,
    anyOf: { paymentId: paymentIds },
    page: 1,
    limit: refundsReadMax,
    uncounted: true,
  });
  // the session's own view wrote the row
  return items
    .map(({ body }) => body as unknown as FoundRefund)
    .filter(({ status }) => status === 'succeeded');
}
