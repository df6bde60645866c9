/** Which sequence of each object was sent to the room of one scope, so that nothing is sent twice.
 *  1. It keeps a bounded number of objects; for an evicted object, a state older than the start of the feed
 *     is not news. */
import { minutes, type DurationMs, type Instant } from '../../src/kernel/time.ts';
import type { ObjectState } from './changes.ts';

/** Objects kept per scope; the one sent longest ago is evicted first. */
const deliveredMax = 10_000;
/** Maximum clock difference between nodes. */
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

  /** `since`: the instant, on the scope's clock, at which the first listener began. */
  constructor(since: Instant) {
    this.since = since;
  }

  /** Whether it is news; marks it as sent. */
  take(state: ObjectState, actorId: string): boolean {
    const { change, digest, open } = state;
    const before = this.known.get(change.id);
    if (before !== undefined && before.sequence >= change.sequence) return false;
    this.known.delete(change.id);
    this.known.set(change.id, { sequence: change.sequence, digest, open, actorId });
    if (this.known.size > deliveredMax) this.forgetOne();
    return before === undefined ? this.isYoung(state) : digest === null || digest !== before.digest;
  }

  /** Whether this state of the object, or a later one, was sent. */
  has(id: string, sequence = 0): boolean {
    return (this.known.get(id)?.sequence ?? -1) >= sequence;
  }

  /** Actors with an object that will change again. */
  *openActors(): Generator<string> {
    for (const { open, actorId } of this.known.values()) if (open) yield actorId;
  }

  private isYoung({ changedAt }: ObjectState): boolean {
    return changedAt === null || changedAt >= this.since - skewMsMax;
  }

  private forgetOne(): void {
    for (const id of this.known.keys()) {
      this.known.delete(id);
      return;
    }
  }
}
