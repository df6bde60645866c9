/** Partitions that answer "no responders" for long. While one moves to its next owner that lasts a moment; longer
 *  for an owner that lives means that a server does not know its subscription (docs/decisions/0056). */
import type { DurationMs, Scheduler } from '../kernel/time.ts';
import type { CopyAnswer } from './bus.ts';

/** A partition that nobody has asked for so long is forgotten. */
const forgottenAfterMs: DurationMs = 5000;
/** Fewer copies than this prove nothing. */
const copiesMin = 3;

interface Missed {
  readonly since: DurationMs;
  last: DurationMs;
  copies: number;
}

export class Unreached {
  private readonly scheduler: Pick<Scheduler, 'steady'>;
  private readonly missed = new Map<number, Missed>();

  constructor(scheduler: Pick<Scheduler, 'steady'>) {
    this.scheduler = scheduler;
  }

  /** Notes the answer to one copy that was sent. */
  note(partition: number, { is }: CopyAnswer): void {
    if (is !== 'nobody') return void this.missed.delete(partition);
    const now = this.scheduler.steady();
    const known = this.missed.get(partition);
    if (known === undefined || now - known.last > forgottenAfterMs)
      this.missed.set(partition, { since: now, last: now, copies: 1 });
    else [known.last, known.copies] = [now, known.copies + 1];
  }

  /** Those with no other answer for at least this long. */
  lasting(forMs: DurationMs): readonly number[] {
    const now = this.scheduler.steady();
    for (const [p, { last }] of this.missed) if (now - last > forgottenAfterMs) this.missed.delete(p);
    return [...this.missed]
      .filter(([, { since, last, copies }]) => copies >= copiesMin && last - since >= forMs)
      .map(([p]) => p);
  }

  /** The connection broke: what was not reached says nothing about the next one. */
  clear(): void {
    this.missed.clear();
  }
}
