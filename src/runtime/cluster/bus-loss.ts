/** How long a node without its bus waits before it hands over its partitions: handing over helps only if other nodes
 *  still have theirs, and by then their rows in the directory show it. */
import type { Bus } from '../../bus/bus.ts';
import { seconds, type DurationMs, type Scheduler } from '../../kernel/time.ts';

/** A node that has been without its connection for this long, while others have theirs, hands over its partitions. */
const busLostForMs = seconds(8);
/** After this long the rows of the others show whether they have lost theirs, too. */
const busComparedAfterMs = seconds(2.5);
/** The notes of all nodes about one another (bus-groups.ts) are in the directory within this time. */
const reachComparedAfterMs = seconds(1);

export class BusLoss {
  private readonly bus: Pick<Bus, 'connected'>;
  private readonly scheduler: Scheduler;
  private since: DurationMs | null = null;
  private unreachableSince: DurationMs | null = null;

  constructor(bus: Pick<Bus, 'connected'>, scheduler: Scheduler) {
    this.bus = bus;
    this.scheduler = scheduler;
  }

  /** Called at each read of the directory: whether others that hear one another do not hear this node, although it has
   *  its connection. */
  observe(isUnreachable: boolean): void {
    this.unreachableSince = isUnreachable ? (this.unreachableSince ?? this.scheduler.steady()) : null;
  }

  /** Called at each read of the directory. A node whose bus broke a moment ago first waits to see whether
   *  it broke for all. */
  get mayGive(): boolean {
    if (this.unreachableSince !== null) return this.isUnreachable;
    const { lostMs } = this;
    return lostMs === null || lostMs >= busLostForMs;
  }

  /** Whether others cannot reach it over its connection. */
  get isUnreachable(): boolean {
    const since = this.unreachableSince;
    return since !== null && this.scheduler.steady() - since >= reachComparedAfterMs;
  }

  /** Whether it has been without its connection for so long that the rows of the others show whether they are, too. */
  get isLost(): boolean {
    return (this.lostMs ?? 0) >= busComparedAfterMs;
  }

  /** For how long it has been without its bus, as far as somebody asked; null: it has it. */
  private get lostMs(): DurationMs | null {
    const now = this.scheduler.steady();
    if (this.bus.connected) this.since = null;
    else this.since ??= now;
    return this.since === null ? null : now - this.since;
  }
}
