/** The numbers of one scope's day, sent when they have changed and at most once a second.
 *  1. A request during a read leads to one more read: the last numbers sent are correct. */
import { seconds, type DurationMs, type Scheduler } from '../../src/kernel/time.ts';
import type { Today } from '../http/today.ts';

export const todayEveryMs: DurationMs = seconds(1);

export interface DayCounterParts {
  /** Rejects when the store does not answer. */
  readonly read: () => Promise<Today>;
  readonly delivered: (today: Today) => void;
  readonly complain: (thrown: unknown) => void;
  readonly scheduler: Pick<Scheduler, 'steady' | 'after'>;
}

export class DayCounter {
  private readonly parts: DayCounterParts;
  private is: 'idle' | 'due' | 'reading' = 'idle';
  private again = false;
  private closed = false;
  private text = '';
  private at = Number.NEGATIVE_INFINITY;

  constructor(parts: DayCounterParts) {
    this.parts = parts;
  }

  /** The numbers may have changed. */
  want(): void {
    this.again = true;
    if (this.is !== 'idle' || this.closed) return;
    this.is = 'due';
    const { scheduler } = this.parts;
    const wait = Math.max(0, this.at + todayEveryMs - scheduler.steady());
    scheduler.after(wait, () => void this.count());
  }

  close(): void {
    this.closed = true;
  }

  /** Never rejects: numbers that could not be read are sent on the next request. */
  private async count(): Promise<void> {
    if (this.closed) return;
    this.is = 'reading';
    this.again = false;
    try {
      this.counted(await this.parts.read());
    } catch (thrown) {
      this.parts.complain(thrown);
    }
    this.at = this.parts.scheduler.steady();
    this.is = 'idle';
    if (this.again) this.want();
  }

  private counted(today: Today): void {
    const text = JSON.stringify(today);
    if (this.closed || text === this.text) return;
    this.text = text;
    this.parts.delivered(today);
  }
}
