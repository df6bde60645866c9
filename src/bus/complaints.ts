/** Log lines about what can come in floods: one line per message and while, with how many it hides. */
import { realScheduler, seconds, type Scheduler } from '../kernel/time.ts';
import type { RuntimeLog } from '../runtime/runtime-log.ts';

const quietMs = seconds(10);

export class Complaints {
  private readonly log: RuntimeLog;
  private readonly scheduler: Scheduler;
  private readonly said = new Map<string, { at: number; hidden: number }>();

  constructor(log: RuntimeLog, scheduler: Scheduler = realScheduler) {
    this.log = log;
    this.scheduler = scheduler;
  }

  /** A line at `warn`; `message` is one of a fixed set of texts. */
  warn(message: string, fields: object = {}): void {
    const now = this.scheduler.steady();
    const before = this.said.get(message);
    if (before !== undefined && now - before.at < quietMs) {
      before.hidden++;
      return;
    }
    this.said.set(message, { at: now, hidden: 0 });
    this.log.warn(
      before === undefined || before.hidden === 0 ? fields : { ...fields, hidden: before.hidden },
      message,
    );
  }
}
