/** How a node learns the committed state of test clocks: from a local commit, or from the store (also after
 *  a broadcast that the clock has moved).
 *  1. The node that serves a keeper walks its clock. */
import type { Bus } from '../../bus/bus.ts';
import { DocumentUnreadable, type Doc, type Store } from '../../store/store.ts';
import type { AnyActor } from '../model/actor.ts';
import type { ClockWalks } from './clock-walk.ts';
import type { Clocks } from './clocks.ts';
import type { PartitionLease } from '../cluster/partition-lease.ts';
import { SchemaUnknown, upcasted } from '../model/upcast.ts';

/** Sent to the other nodes when a clock moved. */
const clockMoved = 'clock';

export interface ClockKeepersParts {
  readonly kinds: ReadonlyMap<string, AnyActor>;
  readonly store: Pick<Store, 'read'>;
  readonly bus: Pick<Bus, 'broadcast' | 'onBroadcast'>;
  readonly clocks: Pick<Clocks, 'learn'>;
  readonly walks: Pick<ClockWalks, 'observe'>;
  /** Whether other nodes may move clocks: then they are notified too. */
  readonly sharesClocks: () => boolean;
  readonly leaseOf: (actorId: string) => PartitionLease | undefined;
}

export class ClockKeepers {
  private readonly parts: ClockKeepersParts;

  constructor(parts: ClockKeepersParts) {
    this.parts = parts;
  }

  /** Starts to receive broadcasts about clocks that other nodes moved. */
  listen(): void {
    this.parts.bus.onBroadcast(clockMoved, (clock) => void this.read(clock).catch(() => undefined));
  }

  /** Called with each document a keeper committed here. */
  committed(actor: AnyActor, doc: Doc): void {
    if (actor.clock === undefined || doc.body === null) return;
    this.learn(actor, doc);
    if (this.parts.sharesClocks()) this.parts.bus.broadcast(clockMoved, doc.id);
  }

  learn(actor: AnyActor, doc: Doc): void {
    if (actor.clock !== undefined && doc.body !== null)
      this.parts.clocks.learn(doc.id, actor.clock(doc.body as never), doc.v);
    const lease = this.parts.leaseOf(doc.id);
    if (lease !== undefined) this.parts.walks.observe(doc.id, lease);
  }

  private async keeper(actor: AnyActor, clock: string): Promise<Doc | null> {
    const doc = await this.parts.store.read(actor.kind, clock);
    return doc === null ? null : upcasted(actor, doc);
  }

  /** Reads one clock's keepers; rejects when the store does not answer. */
  async read(clock: string): Promise<void> {
    for (const actor of this.parts.kinds.values()) {
      if (actor.clock === undefined) continue;
      const doc = await this.keeper(actor, clock).catch((thrown: unknown) => {
        // its own actor reports this; everything else on its clock continues with the last known value
        if (thrown instanceof DocumentUnreadable || thrown instanceof SchemaUnknown) return null;
        throw thrown;
      });
      if (doc !== null) this.learn(actor, doc);
    }
  }
}
