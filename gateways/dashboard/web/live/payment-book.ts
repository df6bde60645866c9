/** State received from the socket of one project and mode. A reducer, pure: message in, next state out.
 *  D1. Of one object the copy with the higher sequence stays, however late the other one arrives.
 *  D2. A snapshot replaces the totals and begins a new epoch: for copies received before it, later changes
 *  may have been missed. They still update older copies, but never count as the current state. Deliveries
 *  have no sequence to tell which copy is older, so old copies of them update nothing.
 *  D3. Bounded: of each kind the `keptMax` received last. */
import type { Change, Checkout, Delivery, Payment, Snapshot, Today } from '../wire/types.ts';

export const keptMax = 500;

export type Connection =
  | { readonly is: 'connecting' }
  | { readonly is: 'connected' }
  /** Since `since` (real time); retried automatically. `why`: the service's reason, if it answered. */
  | { readonly is: 'lost'; readonly since: number; readonly why?: string }
  /** The service refuses this socket for good; retrying would not help. */
  | { readonly is: 'refused'; readonly code: string; readonly message: string };

export interface Kept<Item> {
  readonly sequence: number;
  readonly epoch: number;
  /** Real time of the change that brought it; null when a snapshot did. */
  readonly changedAt: number | null;
  readonly data: Item;
}
export type Shelf<Item> = ReadonlyMap<string, Kept<Item>>;

export interface LiveState {
  readonly connection: Connection;
  /** Number of snapshots so far; each is a reason to query the API again for the current screen. */
  readonly epoch: number;
  /** The project's clock minus this computer's, in milliseconds. */
  readonly skewMs: number;
  /** Real time of the last message; null before the first. */
  readonly heardAt: number | null;
  readonly today: Today | null;
  readonly payments: Shelf<Payment>;
  readonly checkouts: Shelf<Checkout>;
  readonly deliveries: Shelf<Delivery>;
  /** Payments that the last set of changes marked as paid. */
  readonly paidNow: readonly Payment[];
}

/** `at`: real time of this computer. */
export type Heard =
  | { readonly is: 'snapshot'; readonly snapshot: Snapshot; readonly at: number }
  | { readonly is: 'changes'; readonly changes: readonly Change[]; readonly at: number }
  | { readonly is: 'today'; readonly today: Today; readonly at: number }
  | { readonly is: 'connection'; readonly connection: Connection };

export const emptyLiveState: LiveState = {
  connection: { is: 'connecting' },
  epoch: 0,
  skewMs: 0,
  heardAt: null,
  today: null,
  payments: new Map(),
  checkouts: new Map(),
  deliveries: new Map(),
  paidNow: [],
};

export function liveStateAfter(liveState: LiveState, heard: Heard): LiveState {
  switch (heard.is) {
    case 'snapshot':
      return withSnapshot(liveState, heard.snapshot, heard.at);
    case 'changes':
      return withChanges(liveState, heard.changes, heard.at);
    case 'today':
      return { ...liveState, today: heard.today, heardAt: heard.at };
    case 'connection':
      return { ...liveState, connection: heard.connection };
  }
}

function withSnapshot(
  liveState: LiveState,
  { at, today, payments, checkouts }: Snapshot,
  heardAt: number,
): LiveState {
  const epoch = liveState.epoch + 1;
  const sequenced = <Item extends { readonly id: string; readonly sequence: number }>(data: Item) => ({
    id: data.id,
    sequence: data.sequence,
    data,
  });
  return {
    ...liveState,
    epoch,
    connection: { is: 'connected' },
    skewMs: Date.parse(at) - heardAt,
    heardAt,
    today,
    // oldest first, so that the newest are evicted last
    payments: shelved(liveState.payments, payments.map(sequenced).toReversed(), { epoch, changedAt: null }),
    checkouts: shelved(liveState.checkouts, checkouts.map(sequenced).toReversed(), {
      epoch,
      changedAt: null,
    }),
    paidNow: [],
  };
}

function withChanges(liveState: LiveState, changes: readonly Change[], heardAt: number): LiveState {
  const heard = { epoch: liveState.epoch, changedAt: heardAt };
  const paidNow = changes.flatMap((change) =>
    change.object === 'payment' && isPaidNow(change.data, liveState.payments.get(change.id))
      ? [change.data]
      : [],
  );
  return {
    ...liveState,
    heardAt,
    payments: shelved(liveState.payments, changes.filter(isOf('payment')), heard),
    checkouts: shelved(liveState.checkouts, changes.filter(isOf('checkout')), heard),
    deliveries: shelved(liveState.deliveries, changes.filter(isOf('delivery')), heard),
    paidNow,
  };
}

const isOf =
  <Kind extends Change['object']>(kind: Kind) =>
  (change: Change): change is Extract<Change, { readonly object: Kind }> =>
    change.object === kind;

/** For a payment not seen here before, its own times tell whether this change paid it. */
function isPaidNow(payment: Payment, known: Kept<Payment> | undefined): boolean {
  if (payment.status !== 'success') return false;
  if (known === undefined) return payment.paidAt === payment.updatedAt;
  return known.sequence < payment.sequence && known.data.status !== 'success';
}

interface Told<Item> {
  readonly id: string;
  readonly sequence: number;
  readonly data: Item;
}

/** The map updated with the new objects, in order; the same map when none of them is news. */
function shelved<Item>(
  shelf: Shelf<Item>,
  told: readonly Told<Item>[],
  heard: Pick<Kept<Item>, 'epoch' | 'changedAt'>,
): Shelf<Item> {
  let next: Map<string, Kept<Item>> | null = null;
  for (const { id, sequence, data } of told) {
    const known = (next ?? shelf).get(id);
    const isOld = known !== undefined && known.sequence >= sequence;
    if (isOld && known.epoch === heard.epoch) continue;
    next ??= new Map(shelf);
    // the last entry in the map is the most recent
    next.delete(id);
    next.set(id, isOld ? { ...known, epoch: heard.epoch } : { sequence, data, ...heard });
  }
  if (next === null) return shelf;
  for (const id of next.keys()) {
    if (next.size <= keptMax) break;
    next.delete(id);
  }
  return next;
}
