/** The periodic scans of a node: timers that fall due, actors with something left to send, actors that have
 *  been idle. If the store does not answer a scan, the next scan makes up for it. */
import { seconds, type DurationMs, type Scheduler } from '../../kernel/time.ts';
import type { SlotRange, Store } from '../../store/store.ts';
import type { AnyActor } from '../model/actor.ts';
import type { ClockKeepers } from '../time/clock-keepers.ts';
import type { RuntimeLog } from '../model/runtime-log.ts';
import { unpublishedTag } from '../delivery/journal-pump.ts';
import { scanEveryMs, type Timers } from '../time/timers.ts';
import { readableOnes } from '../model/upcast.ts';
import { movedClockTag } from '../turn/working-doc.ts';

const sweepEveryMs = seconds(1);
const busyScanEveryMs = seconds(60);
const busyScanPage = 500;
const clocksPage = 100;
/** A changed wall clock is noticed within this time; delays themselves run on the steady clock. */
export const wallWatchEveryMs = seconds(1);
/** A difference this small may be normal clock drift. */
const wallMovedMsMin = 500;

/** What the scans need from the node. */
export interface ScanHost {
  readonly scheduler: Scheduler;
  readonly store: Store;
  readonly kinds: ReadonlyMap<string, AnyActor>;
  readonly timers: Timers;
  readonly keepers: Pick<ClockKeepers, 'learn'>;
  readonly log: RuntimeLog;
  /** The kind of the event logs; null: there are none. */
  readonly eventLogKind: string | null;
  readonly sharesClocks: boolean;
  /** Slots this node serves; undefined: all. */
  readonly slots: () => readonly SlotRange[] | undefined;
  /** Loads an actor that has something left to send. */
  wake(kind: string, id: string): Promise<void>;
  /** Puts actors to rest that have been idle for a while. */
  sweep(): void;
}

export class Scans {
  private readonly host: ScanHost;
  private open = false;
  /** Wall minus steady time when the timers were last armed. */
  private wallAhead: DurationMs;

  constructor(host: ScanHost) {
    this.host = host;
    this.wallAhead = aheadOf(host.scheduler);
  }

  /** Starts the periodic scans. */
  begin(): void {
    this.every(scanEveryMs, async () => {
      if (this.host.sharesClocks) await this.clocks();
      await this.host.timers.scan(this.host.store, this.host.slots());
    });
    this.every(sweepEveryMs, () => Promise.resolve(this.host.sweep()));
    this.every(wallWatchEveryMs, () => this.watchWall());
  }

  /** From here on pending sends continue: their effects may call our own gateways. */
  goOn(): void {
    this.open = true;
    void this.tried(() => this.unpublished());
    void this.tried(() => this.busy(this.host.slots())).then(() =>
      this.every(busyScanEveryMs, () => this.busy(this.host.slots())),
    );
  }

  /** Loads the pending work of newly owned slots. */
  async takeOver(slots: readonly SlotRange[] | undefined): Promise<void> {
    await this.clocks();
    await this.host.timers.scan(this.host.store, slots);
    if (this.open) void this.tried(() => this.unpublished()).then(() => this.tried(() => this.busy(slots)));
  }

  /** If the store does not answer, the next scan makes up for it. */
  timersNow(): Promise<void> {
    const { timers, store, slots, log } = this.host;
    return timers
      .scan(store, slots())
      .catch((thrown: unknown) =>
        log.warn({ err: thrown }, 'timers could not be read from the store: retrying'),
      );
  }

  /** Reads the clocks that differ from real time. */
  async clocks(): Promise<void> {
    for (const actor of this.host.kinds.values()) if (actor.clock !== undefined) await this.clocksOf(actor);
  }

  private async clocksOf(actor: AnyActor): Promise<void> {
    for (let page = 1; ; page++) {
      const { items } = await this.host.store.listDocs({
        kind: actor.kind,
        scope: null,
        tags: [movedClockTag],
        page,
        limit: clocksPage,
      });
      for (const doc of readableOnes(actor, items)) this.host.keepers.learn(actor, doc);
      if (items.length < clocksPage) return;
    }
  }

  /** Loads the logs whose events are not yet published to the bus. */
  private async unpublished(): Promise<void> {
    const { eventLogKind: kind } = this.host;
    if (kind === null) return;
    const query = { kind, scope: null, tags: [unpublishedTag], limit: clocksPage };
    for (let page = 1; ; page++) {
      const { items } = await this.host.store.listDocs({ ...query, page });
      await Promise.all(items.map(({ kind, id }) => this.host.wake(kind, id)));
      if (items.length < clocksPage) return;
    }
  }

  /** Activates every actor that still has something to send, one page at a time. */
  async busy(slots: readonly SlotRange[] | undefined): Promise<void> {
    let after: { kind: string; id: string } | undefined;
    do {
      const page: readonly { kind: string; id: string }[] = await this.host.store.busy({
        limit: busyScanPage,
        ...(slots === undefined ? {} : { slots }),
        ...(after === undefined ? {} : { after }),
      });
      await Promise.all(page.map(({ kind, id }) => this.host.wake(kind, id)));
      after = page.length < busyScanPage ? undefined : page.at(-1);
    } while (after !== undefined);
  }

  private async watchWall(): Promise<void> {
    const { scheduler, timers, store, slots } = this.host;
    const ahead = aheadOf(scheduler);
    if (Math.abs(ahead - this.wallAhead) < wallMovedMsMin) return;
    this.wallAhead = ahead;
    timers.armAgain();
    await timers.scan(store, slots());
  }

  private every(ms: DurationMs, work: () => Promise<void>): void {
    this.host.scheduler.after(ms, () => void this.tried(work).then(() => this.every(ms, work)));
  }

  private tried(work: () => Promise<void>): Promise<void> {
    return work().catch((thrown: unknown) => this.host.log.warn({ err: thrown }, 'a scan failed: retrying'));
  }
}

const aheadOf = (scheduler: Scheduler): DurationMs => scheduler.now() - scheduler.steady();
