/** Whether a node that lost its bus lost it alone: only then is it of use to give away what it owns. */
import type { Bus } from '../../bus/bus.ts';
import { seconds, type DurationMs, type Scheduler } from '../../kernel/time.ts';

/** Without its bus for this long, while others have theirs, a node hands over. */
const busLostForMs = seconds(8);

export class BusLoss {
  private readonly bus: Pick<Bus, 'connected'>;
  private readonly scheduler: Scheduler;
  private since: DurationMs | null = null;

  constructor(bus: Pick<Bus, 'connected'>, scheduler: Scheduler) {
    this.bus = bus;
    this.scheduler = scheduler;
  }

  /** Asked at each look: a node whose bus broke a moment ago waits to see whether it broke for all. */
  get mayGive(): boolean {
    const now = this.scheduler.steady();
    if (this.bus.connected) this.since = null;
    else this.since ??= now;
    return this.since === null || now - this.since >= busLostForMs;
  }
}
