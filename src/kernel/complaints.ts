/** Rate-limited log lines: one line per message and interval, with the number of suppressed ones. */
import { realScheduler, seconds, type Scheduler } from './time.ts';

const quietMs = seconds(10);

type Level = 'warn' | 'error';
type Log = { readonly [level in Level]: (fields: object, message: string) => void };

export class Complaints {
  private readonly log: Log;
  private readonly scheduler: Pick<Scheduler, 'steady'>;
  private readonly logged = new Map<string, { at: number; hidden: number }>();

  constructor(log: Log, scheduler: Pick<Scheduler, 'steady'> = realScheduler) {
    this.log = log;
    this.scheduler = scheduler;
  }

  /** A line at `warn`; `message` is one of a fixed set of texts. */
  warn(message: string, fields: object = {}): void {
    this.line('warn', message, fields);
  }

  /** A line at `error`; `message` is one of a fixed set of texts. */
  error(message: string, fields: object = {}): void {
    this.line('error', message, fields);
  }

  private line(level: Level, message: string, fields: object): void {
    const now = this.scheduler.steady();
    const before = this.logged.get(message);
    if (before !== undefined && now - before.at < quietMs) {
      before.hidden++;
      return;
    }
    this.logged.set(message, { at: now, hidden: 0 });
    this.log[level](
      before === undefined || before.hidden === 0 ? fields : { ...fields, hidden: before.hidden },
      message,
    );
  }
}
