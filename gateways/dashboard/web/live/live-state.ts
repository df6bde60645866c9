/** State received from the socket of one project and mode. A reducer, pure: message in, next state out.
 *  D1. Of one object the copy with the higher sequence stays, however late the other one arrives.
 *  D2. A snapshot replaces the totals and begins a new epoch. Copies received before it are kept, although
 *  later changes of them may have been missed. A payment or checkout of an earlier epoch still replaces a
 *  listed row with a lower sequence, but adds no row to a list. A delivery has no sequence, so one of an
 *  earlier epoch replaces nothing.
 *  D3. Bounded: of each kind the `keptMax` received last.
 *  D4. A project's clock only moves forward, and a sandbox's can be advanced: an object that has changed later than
 *  our clock shows that it was. */
import type { NewsKind } from '../../../socketio/news-kinds.ts';
import type { Invoice, Subscription } from '../wire/billing-types.ts';
import type { Change, Checkout, Delivery, Payment, Refund, Snapshot, Today } from '../wire/types.ts';
import { afterAll, afterNews, noNews, type NewsHeard } from './news-heard.ts';

export const keptMax = 500;

export type Connection =
  | { readonly is: 'connecting' }
  | { readonly is: 'connected' }
  /** Since `since` (real time); retried automatically. `why`: the service's reason, if it answered. */
  | { readonly is: 'lost'; readonly since: number; readonly why?: string }
  /** Refused while the merchant is suspended; retried automatically. */
  | { readonly is: 'suspended' }
  /** The service refuses this socket for good; retrying would not help. */
  | { readonly is: 'refused'; readonly code: string; readonly message: string };

export interface Kept<Item> {
  readonly sequence: number;
  readonly epoch: number;
  /** Real time of the change that brought it; null when a snapshot did. */
  readonly changedAt: number | null;
  readonly data: Item;
}
export type Received<Item> = ReadonlyMap<string, Kept<Item>>;

export interface LiveState {
  readonly connection: Connection;
  /** Number of snapshots so far. */
  readonly epoch: number;
  /** What the API must be asked for again. */
  readonly news: NewsHeard;
  /** The project's clock minus this computer's, in milliseconds. */
  readonly skewMs: number;
  /** Real time minus this computer's. */
  readonly realSkewMs: number;
  /** Real time of the last message; null before the first. */
  readonly receivedAt: number | null;
  readonly today: Today | null;
  readonly payments: Received<Payment>;
  readonly checkouts: Received<Checkout>;
  readonly refunds: Received<Refund>;
  readonly deliveries: Received<Delivery>;
  readonly subscriptions: Received<Subscription>;
  readonly invoices: Received<Invoice>;
  /** Payments that the last set of changes marked as paid. */
  readonly paidNow: readonly Payment[];
}

/** `at`: real time of this computer. */
export type LiveMessage =
  | { readonly is: 'snapshot'; readonly snapshot: Snapshot; readonly at: number }
  | { readonly is: 'changes'; readonly changes: readonly Change[]; readonly at: number }
  /** The test clock was advanced here: it shows `now`. */
  | { readonly is: 'clock'; readonly now: string; readonly at: number }
  | {
      readonly is: 'news';
      readonly kinds: readonly NewsKind[];
      /** The project's clock, and real time. */
      readonly now: string;
      readonly realNow: string;
      readonly at: number;
    }
  | { readonly is: 'today'; readonly today: Today; readonly at: number }
  | { readonly is: 'connection'; readonly connection: Connection };

export const emptyLiveState: LiveState = {
  connection: { is: 'connecting' },
  epoch: 0,
  news: noNews,
  skewMs: 0,
  realSkewMs: 0,
  receivedAt: null,
  today: null,
  payments: new Map(),
  checkouts: new Map(),
  refunds: new Map(),
  deliveries: new Map(),
  subscriptions: new Map(),
  invoices: new Map(),
  paidNow: [],
};

export function liveStateAfter(liveState: LiveState, received: LiveMessage): LiveState {
  switch (received.is) {
    case 'snapshot':
      return withSnapshot(liveState, received.snapshot, received.at);
    case 'changes':
      return withChanges(liveState, received.changes, received.at);
    case 'clock': {
      const skewMs = Date.parse(received.now) - received.at;
      return { ...liveState, skewMs, epoch: liveState.epoch + 1, news: afterAll(liveState.news) };
    }
    case 'news':
      return {
        ...liveState,
        skewMs: Math.max(liveState.skewMs, Date.parse(received.now) - received.at),
        realSkewMs: Date.parse(received.realNow) - received.at,
        news: received.kinds.length === 0 ? liveState.news : afterNews(liveState.news, received.kinds),
      };
    case 'today':
      return { ...liveState, today: received.today, receivedAt: received.at };
    case 'connection':
      return { ...liveState, connection: received.connection };
  }
}

function withSnapshot(
  liveState: LiveState,
  { at, today, payments, checkouts }: Snapshot,
  receivedAt: number,
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
    news: afterAll(liveState.news),
    connection: { is: 'connected' },
    skewMs: Date.parse(at) - receivedAt,
    receivedAt,
    today,
    // oldest first, so that the newest are evicted last
    payments: merged(liveState.payments, payments.map(sequenced).toReversed(), { epoch, changedAt: null }),
    checkouts: merged(liveState.checkouts, checkouts.map(sequenced).toReversed(), {
      epoch,
      changedAt: null,
    }),
    paidNow: [],
  };
}

function withChanges(liveState: LiveState, changes: readonly Change[], receivedAt: number): LiveState {
  const received = { epoch: liveState.epoch, changedAt: receivedAt };
  const paidNow = changes.flatMap((change) =>
    change.object === 'payment' && isPaidNow(change.data, liveState.payments.get(change.id))
      ? [change.data]
      : [],
  );
  return {
    ...liveState,
    skewMs: Math.max(liveState.skewMs, ...changes.map((change) => aheadMs(change, receivedAt))),
    receivedAt,
    payments: merged(liveState.payments, changes.filter(isOf('payment')), received),
    checkouts: merged(liveState.checkouts, changes.filter(isOf('checkout')), received),
    refunds: merged(liveState.refunds, changes.filter(isOf('refund')), received),
    deliveries: merged(liveState.deliveries, changes.filter(isOf('delivery')), received),
    subscriptions: merged(liveState.subscriptions, changes.filter(isOf('subscription')), received),
    invoices: merged(liveState.invoices, changes.filter(isOf('invoice')), received),
    paidNow,
  };
}

/** How far the project's clock is ahead of this computer's, at least (D4). */
const aheadMs = ({ data }: Change, receivedAt: number): number =>
  'updatedAt' in data ? Date.parse(data.updatedAt) - receivedAt : Number.NEGATIVE_INFINITY;

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

interface Sequenced<Item> {
  readonly id: string;
  readonly sequence: number;
  readonly data: Item;
}

/** The map updated with the new objects, in order; the same map when none of them is news. */
function merged<Item>(
  before: Received<Item>,
  objects: readonly Sequenced<Item>[],
  received: Pick<Kept<Item>, 'epoch' | 'changedAt'>,
): Received<Item> {
  let next: Map<string, Kept<Item>> | null = null;
  for (const { id, sequence, data } of objects) {
    const known = (next ?? before).get(id);
    const isOld = known !== undefined && known.sequence >= sequence;
    if (isOld && known.epoch === received.epoch) continue;
    next ??= new Map(before);
    // the last entry in the map is the most recent
    next.delete(id);
    next.set(id, isOld ? { ...known, epoch: received.epoch } : { sequence, data, ...received });
  }
  if (next === null) return before;
  for (const id of next.keys()) {
    if (next.size <= keptMax) break;
    next.delete(id);
  }
  return next;
}
