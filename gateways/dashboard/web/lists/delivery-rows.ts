/** Deliveries as the API listed them, mended by what the socket told since. Pure.
 *  The view has no sequence of its own: the copy with more tries, or the later one, knows more. */
import type { Kept, Shelf } from '../live/payment-book.ts';
import type { Delivery, Listed } from '../wire/types.ts';

/** `kept` may be what was heard before the answer came: then the answer knows as much or more. What was heard before
 *  the last snapshot (`epoch`) never wins: with nothing to order the two by, it could stand for ever over a fresh
 *  row. */
export function newerDelivery(row: Delivery, kept: Kept<Delivery> | undefined, epoch: number): Delivery {
  if (kept === undefined || kept.epoch < epoch || isOlder(kept.data, row)) return row;
  return { ...kept.data, payload: kept.data.payload ?? row.payload };
}

const isOlder = (live: Delivery, row: Delivery): boolean =>
  live.attempts < row.attempts || (live.lastAttemptAt ?? '') < (row.lastAttemptAt ?? '');

export const deliveryRows = (
  listed: Listed<Delivery>,
  shelf: Shelf<Delivery>,
  epoch: number,
): readonly Delivery[] => listed.data.map((row) => newerDelivery(row, shelf.get(row.id), epoch));

/** Deliveries heard of that the first page does not have yet. */
export const unlistedCount = (
  listed: Listed<Delivery>,
  shelf: Shelf<Delivery>,
  endpointId: string,
  epoch: number,
): number => {
  const there = new Set(listed.data.map(({ id }) => id));
  const newest = listed.data[0]?.createdAt ?? '';
  return [...shelf.values()].filter(
    ({ data, epoch: heardIn }) =>
      heardIn === epoch &&
      data.webhookEndpointId === endpointId &&
      data.createdAt > newest &&
      !there.has(data.id),
  ).length;
};

/** What an event is about, as far as its envelope says; of a test, nothing. */
export interface About {
  readonly isTest: boolean;
  /** null: it is about no payment. */
  readonly paymentId: string | null;
  /** Paisa. */
  readonly amount: number | null;
  readonly buyer: string | null;
}

const aTest: About = { isTest: true, paymentId: null, amount: null, buyer: null };

export function aboutOf({ payload }: Delivery): About {
  if (fieldOf(payload, 'test') === true) return aTest;
  const data = fieldOf(payload, 'data');
  const [id, amount, name] = [
    fieldOf(data, 'id'),
    fieldOf(data, 'amount'),
    fieldOf(fieldOf(data, 'customer'), 'name'),
  ];
  return {
    isTest: false,
    paymentId: typeof id === 'string' && id.startsWith('pay_') ? id : null,
    amount: typeof amount === 'number' && Number.isSafeInteger(amount) ? amount : null,
    buyer: typeof name === 'string' ? name : null,
  };
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null
    ? (value as { readonly [name: string]: unknown })[name]
    : undefined;
