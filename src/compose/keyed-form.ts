/** When sessions with an Idempotency-Key become their own record (docs/decisions/0039).
 *  1. In a new service, and in a single node, from the first start on: before anything is answered.
 *  2. In a cluster that older builds have served, once no node of an older build has lived for a minute. Before that
 *     moment such builds are kept from starting, and for a while it is watched that none has slipped in. */
import type { IdKey } from '../../gateways/http/id-key.ts';
import { keyedSchema } from '../../actors/checkout-session/older-schemas.ts';
import { checkoutSession } from '../../actors/checkout-session/session.ts';
import { keyTagPrefix } from '../../actors/checkout-session/view.ts';
import { seconds, type DurationMs, type Scheduler } from '../kernel/time.ts';
import type { Ownership } from '../runtime/cluster/ownership.ts';
import type { RuntimeLog } from '../runtime/model/runtime-log.ts';
import type { Directory } from '../store/directory.ts';
import type { Store } from '../store/store.ts';
import type { ClusterSeen } from './carriers.ts';
import type { Closing } from './closing.ts';

export interface KeyedFormParts {
  readonly idKey: Pick<IdKey, 'look' | 'establish'>;
  readonly store: Pick<Store, 'listDocs'>;
  readonly cluster: Cluster | null;
  readonly ownership: Pick<Ownership, 'readByAll'>;
  readonly scheduler: Pick<Scheduler, 'steady' | 'after'>;
  readonly log: RuntimeLog;
}

interface Cluster extends Pick<ClusterSeen, 'isMember'> {
  readonly directory: Pick<Directory, 'refusesOlder' | 'refuseOlder'>;
}

/** No node of an older build has lived for so long. */
export const allNewMs: DurationMs = seconds(60);
/** So much later, after older builds have been kept from starting, the form changes. */
export const settledMs: DurationMs = seconds(15);
const everyMs: DurationMs = seconds(1);

/** Rejects when the store does not answer, or with one line for the operator. */
export async function openKeyedForm(parts: KeyedFormParts, closing: Closing): Promise<void> {
  const { idKey, store, cluster } = parts;
  if ((await idKey.look()) !== null) return;
  await assertNoneIsDerived(store);
  if (cluster === null) return idKey.establish((await someRecord(store)) ? 'there' : 'none');
  if ((await cluster.directory.refusesOlder()) === 'always') return idKey.establish('none');
  const changing = new Changing(parts, cluster);
  changing.begin();
  closing.later(async () => changing.stop());
}

/** The key went missing while what was derived from it is there: another key would create sessions twice. */
async function assertNoneIsDerived(store: KeyedFormParts['store']): Promise<void> {
  const derived = { kind: checkoutSession.kind, scope: null, tagPrefix: keyTagPrefix } as const;
  const { items } = await store.listDocs({ ...derived, page: 1, limit: 1, uncounted: true });
  if (items.length > 0)
    throw new Error(
      'the key for ids of checkouts is missing, and checkouts with such ids are there: ' +
        'restore the collection cluster_fact with the rest of the backup',
    );
}

async function someRecord(store: KeyedFormParts['store']): Promise<boolean> {
  const records = { kind: 'idempotency_key', scope: null } as const;
  const { items } = await store.listDocs({ ...records, page: 1, limit: 1, uncounted: true });
  return items.length > 0;
}

/** Waits, in the background, until every node knows the new form. */
class Changing {
  private readonly parts: KeyedFormParts;
  private readonly cluster: Cluster;
  private stopped = false;
  /** Steady time since when no node of an older build lives. */
  private newSince: DurationMs | null = null;
  /** Steady time since when older builds cannot start. */
  private refusedSince: DurationMs | null = null;

  constructor(parts: KeyedFormParts, cluster: Cluster) {
    this.parts = parts;
    this.cluster = cluster;
  }

  begin(): void {
    this.parts.scheduler.after(everyMs, () => {
      if (this.stopped) return;
      void this.step()
        .catch((err: unknown) => {
          this.parts.log.warn(
            { err },
            'whether keyed checkouts may change their form could not be found out',
          );
          return false;
        })
        .then((done) => {
          if (!done) this.begin();
        });
    });
  }

  stop(): void {
    this.stopped = true;
  }

  /** Whether the form has changed. */
  private async step(): Promise<boolean> {
    const { idKey, ownership, scheduler } = this.parts;
    if ((await idKey.look()) !== null) return true;
    const now = scheduler.steady();
    if (!this.cluster.isMember() || ownership.readByAll(checkoutSession.kind) < keyedSchema) {
      [this.newSince, this.refusedSince] = [null, null];
      return false;
    }
    this.newSince ??= now;
    if (now - this.newSince < allNewMs) return false;
    if (this.refusedSince === null) {
      await this.cluster.directory.refuseOlder();
      this.refusedSince = scheduler.steady();
    }
    if (now - this.refusedSince < settledMs) return false;
    await idKey.establish('begin');
    return true;
  }
}
