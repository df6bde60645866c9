/** What the room of one scope has been told of each object, so that nobody is told the same twice.
 *  1. It remembers so many objects; of those forgotten, what has not changed since before the feed began is no news. */
import { minutes, type DurationMs, type Instant } from '../../src/kernel/time.ts';
import type { Standing } from './changes.ts';

/** Objects remembered per scope; the one told longest ago is forgotten first. */
export const deliveredMax = 10_000;
/** Clocks of nodes may differ by this much. */
const skewMsMax: DurationMs = minutes(1);

interface Known {
  readonly sequence: number;
  readonly digest: string | null;
  readonly open: boolean;
  /** The actor that holds it. */
  readonly actorId: string;
}

export class DeliveredSequences {
  private readonly since: Instant;
  private readonly known = new Map<string, Known>();

  /** `since`: the instant, on the scope's clock, at which the first of those who listen began to. */
  constructor(since: Instant) {
    this.since = since;
  }

  /** Whether it is news; from now on it is not. */
  take(standing: Standing, actorId: string): boolean {
    const { change, digest, open } = standing;
    const before = this.known.get(change.id);
    if (before !== undefined && before.sequence >= change.sequence) return false;
    this.known.delete(change.id);
    this.known.set(change.id, { sequence: change.sequence, digest, open, actorId });
    if (this.known.size > deliveredMax) this.forgetOne();
    return before === undefined ? this.isYoung(standing) : digest === null || digest !== before.digest;
  }

  /** Whether this, or something later, of the object was told. */
  has(id: string, sequence = 0): boolean {
    return (this.known.get(id)?.sequence ?? -1) >= sequence;
  }

  /** Actors that hold an object more will come of. */
  *openActors(): Generator<string> {
    for (const { open, actorId } of this.known.values()) if (open) yield actorId;
  }

  private isYoung({ changedAt }: Standing): boolean {
    return changedAt === null || changedAt >= this.since - skewMsMax;
  }

  private forgetOne(): void {
    for (const id of this.known.keys()) {
      this.known.delete(id);
      return;
    }
  }
}
