/** Deliveries as the API listed them, mended by what the socket told since. Pure.
 *  The view has no sequence of its own: the copy with more tries, or the later one, knows more. */
import type { Shelf } from '../live/desk.ts';
import type { Delivery, Listed } from '../wire/types.ts';

/** `live` may be what was heard before the answer came: then the answer knows as much or more. */
export function newerDelivery(row: Delivery, live: Delivery | undefined): Delivery {
  if (live === undefined || isOlder(live, row)) return row;
  return { ...live, payload: live.payload ?? row.payload };
}

const isOlder = (live: Delivery, row: Delivery): boolean =>
  live.attempts < row.attempts || (live.lastAttemptAt ?? '') < (row.lastAttemptAt ?? '');

export const deliveryRows = (listed: Listed<Delivery>, shelf: Shelf<Delivery>): readonly Delivery[] =>
  listed.data.map((row) => newerDelivery(row, shelf.get(row.id)?.data));

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

/** What an event is about, as far as its envelope says. */
export interface About {
  /** null: it is about no payment. */
  readonly paymentId: string | null;
  /** Paisa. */
  readonly amount: number | null;
  readonly buyer: string | null;
}

export function aboutOf({ payload }: Delivery): About {
  const data = fieldOf(payload, 'data');
  const [id, amount, name] = [
    fieldOf(data, 'id'),
    fieldOf(data, 'amount'),
    fieldOf(fieldOf(data, 'customer'), 'name'),
  ];
  return {
    paymentId: typeof id === 'string' && id.startsWith('pay_') ? id : null,
    amount: typeof amount === 'number' && Number.isSafeInteger(amount) ? amount : null,
    buyer: typeof name === 'string' ? name : null,
  };
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null
    ? (value as { readonly [name: string]: unknown })[name]
    : undefined;
