/** How long a node that lost its bus connection waits before it hands over its partitions: handing over helps
 *  only if other nodes still have theirs, and by then their rows in the directory show it. */
import type { Bus } from '../../bus/bus.ts';
import { seconds, type DurationMs, type Scheduler } from '../../kernel/time.ts';

/** A node that has been without its bus for this long, while others have theirs, hands over its partitions. */
const busLostForMs = seconds(8);
/** After this long the rows of the others show whether they have lost theirs, too. */
export const busComparedAfterMs = seconds(2.5);

export class BusLoss {
  private readonly bus: Pick<Bus, 'connected'>;
  private readonly scheduler: Scheduler;
  private since: DurationMs | null = null;

  constructor(bus: Pick<Bus, 'connected'>, scheduler: Scheduler) {
    this.bus = bus;
    this.scheduler = scheduler;
  }

  /** Called at each read of the directory. A node whose bus broke a moment ago first waits to see whether
   *  it broke for all. */
  get mayGive(): boolean {
    const { lostMs } = this;
    return lostMs === null || lostMs >= busLostForMs;
  }

  /** For how long it has been without its bus, as far as somebody asked; null: it has it. */
  get lostMs(): DurationMs | null {
    const now = this.scheduler.steady();
    if (this.bus.connected) this.since = null;
    else this.since ??= now;
    return this.since === null ? null : now - this.since;
  }
}
