/** Deliveries as the API listed them, updated with socket messages received since. Pure.
 *  The view has no sequence of its own: the copy with more attempts, or the later one, is newer. */
import type { Kept, Received } from '../live/live-state.ts';
import type { Delivery, Listed } from '../wire/types.ts';
import { unlistedCount } from './received.ts';

/** `kept` may be older than the answer: then the answer is at least as new. A message received before the
 *  last snapshot (`epoch`) never wins: with nothing to order the two by, it could hide a newer row for
 *  ever. */
export function newerDelivery(row: Delivery, kept: Kept<Delivery> | undefined, epoch: number): Delivery {
  if (kept === undefined || kept.epoch < epoch || isOlder(kept.data, row)) return row;
  return { ...kept.data, payload: kept.data.payload ?? row.payload };
}

const isOlder = (live: Delivery, row: Delivery): boolean =>
  live.attempts < row.attempts || (live.lastAttemptAt ?? '') < (row.lastAttemptAt ?? '');

export const deliveryRows = (
  listed: Listed<Delivery>,
  received: Received<Delivery>,
  epoch: number,
): readonly Delivery[] => listed.data.map((row) => newerDelivery(row, received.get(row.id), epoch));

/** Deliveries received from the socket that the first page does not have yet. */
export const unlistedDeliveries = (
  listed: Listed<Delivery>,
  received: Received<Delivery>,
  endpointId: string,
  epoch: number,
): number =>
  unlistedCount(listed, received, epoch, ({ webhookEndpointId }) => webhookEndpointId === endpointId);

/** The subject of an event, as far as its envelope shows it; nothing for a test event. */
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
