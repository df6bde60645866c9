/** The start of a socket: its snapshot, and the changes sent to the others while it waited for that.
 *  1. A change that the snapshot already includes is not sent again. */
import { shownPayment } from '../../actors/checkout-session/view.ts';
import { iso } from '../../src/kernel/time.ts';
import type { Scope } from '../../src/runtime/model/address.ts';
import type { Client, Snapshot } from '../../src/runtime/model/client.ts';
import type { Row } from '../../src/store/store.ts';
import { sourcesShown } from '../http/routes/checkout.ts';
import { todayOf, type Today } from '../http/today.ts';
import type { Change, View } from './changes.ts';

/** Objects of each kind. */
const newestMax = 20;

/** The body of `snapshot`. */
export interface InitialState {
  readonly at: string;
  readonly payments: readonly View[];
  readonly checkouts: readonly View[];
  readonly today: Today;
}

/** The newest objects of a scope, as stored and as sent. */
export interface Newest {
  readonly body: InitialState;
  readonly payments: readonly Row[];
  readonly checkouts: readonly Snapshot[];
}

/** Rejects when it cannot be read. */
export async function newestOf(
  client: Pick<Client, 'list' | 'listRows' | 'sumRows' | 'now'>,
  scope: Scope,
): Promise<Newest> {
  const newest = { scope, page: 1, limit: newestMax };
  const [{ items: payments }, { items: checkouts }, today] = await Promise.all([
    client.listRows({ ...newest, kind: 'payment' }),
    client.list({ ...newest, kind: 'checkout_session', anyOf: { source: sourcesShown } }),
    todayOf(client, scope),
  ]);
  const body: InitialState = {
    at: iso(client.now(scope)),
    payments: payments.map((row) => shownPayment(row.body)),
    checkouts: checkouts.map(({ view }) => view),
    today,
  };
  return { body, payments, checkouts };
}

/** What follows a snapshot immediately. */
export interface Missed {
  readonly changes: readonly Change[];
  readonly today: Today | null;
}

/** Changes sent while a new socket waits for its snapshot; only the last one of each object. */
export class Joining {
  private readonly changes = new Map<string, Change>();
  private today: Today | null = null;

  changed(change: Change): void {
    this.changes.delete(change.id);
    this.changes.set(change.id, change);
  }

  counted(today: Today): void {
    this.today = today;
  }

  /** The changes it missed that its snapshot does not include. */
  missed({ payments, checkouts, today }: InitialState): Missed {
    const known = new Map([...payments, ...checkouts].map((view) => [view['id'], Number(view['sequence'])]));
    const isNews = ({ id, sequence }: Change): boolean => sequence > (known.get(id) ?? -1);
    const counted = this.today !== null && !same(this.today, today) ? this.today : null;
    return { changes: [...this.changes.values()].filter(isNews), today: counted };
  }
}

const same = (a: Today, b: Today): boolean => JSON.stringify(a) === JSON.stringify(b);
