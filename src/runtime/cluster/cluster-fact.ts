/** A fact about the whole service that never changes again, shared by all nodes: a row that is written once.
 *  1. The first row stays, whoever writes another one.
 *  2. A node that knows the fact knows it for good. One that does not know it has asked the store at most
 *     `absentMsMax` ago: whoever acts on its absence is known to be done soon after it was written. */
import { seconds, type DurationMs, type Instant, type Scheduler } from '../../kernel/time.ts';
import type { MaybePromise } from '../../kernel/maybe-promise.ts';
import type { Row, Store } from '../../store/store.ts';

export const clusterFactKind = 'cluster_fact';

/** For how long a node may believe that the fact is not there. */
export const absentMsMax: DurationMs = seconds(5);

export interface KnownFact {
  readonly body: Row['body'];
  /** Real time of its writer. */
  readonly at: Instant;
  /** Steady time at which this node has first seen it. */
  readonly seenAt: DurationMs;
}

export interface ClusterFactParts {
  readonly store: Pick<Store, 'readRow' | 'putRows'>;
  readonly scheduler: Pick<Scheduler, 'now' | 'steady'>;
}

export class ClusterFact {
  private readonly name: string;
  private readonly parts: ClusterFactParts;
  private fact: KnownFact | null = null;
  private absentAt: DurationMs = -Infinity;

  constructor(name: string, parts: ClusterFactParts) {
    this.name = name;
    this.parts = parts;
  }

  /** null: nobody has written it yet. Rejects when the store does not answer. */
  known(): MaybePromise<KnownFact | null> {
    if (this.fact !== null) return this.fact;
    return this.parts.scheduler.steady() - this.absentAt < absentMsMax ? null : this.look();
  }

  /** Asks the store now. */
  async look(): Promise<KnownFact | null> {
    if (this.fact !== null) return this.fact;
    const { store, scheduler } = this.parts;
    const askedAt = scheduler.steady();
    const row = await store.readRow(clusterFactKind, this.name);
    if (row === null) {
      this.absentAt = Math.max(this.absentAt, askedAt);
      return null;
    }
    this.fact ??= { body: row.body, at: row.created, seenAt: scheduler.steady() };
    return this.fact;
  }

  /** Writes it unless it is there; returns the one that is there. Rejects when the store does not answer. */
  async establish(body: Row['body']): Promise<KnownFact> {
    const { store, scheduler } = this.parts;
    const { name } = this;
    const written = await store.putRows([
      {
        kind: clusterFactKind,
        id: name,
        owner: { kind: clusterFactKind, id: name },
        scope: 'system',
        v: 1,
        once: true,
        gone: false,
        created: scheduler.now(),
        tags: [],
        body,
      },
    ]);
    const found = written === 'applied' ? await this.look() : null;
    if (found === null) throw new Error(`the fact ${name} could not be written to the store`);
    return found;
  }
}
