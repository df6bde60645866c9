/** The identities a node assigns to gateway commands for other nodes that have none (docs/decisions/0018):
 *  a repeated copy gets the stored outcome of the first.
 *  1. Numbers rise per target for as long as the process lives; a target without open asks uses no memory.
 *  2. Everything below the lowest open number is settled or given up permanently: late copies of it are
 *     dropped.
 *  3. Asks beyond what the target accepts at once have no number: no copy is sent after one that stayed
 *     unanswered. */
import { addressText } from '../model/address.ts';
import type { Envelope } from '../model/envelope.ts';
import { seqsAboveDoneMax } from '../turn/seen.ts';

interface Target {
  last: number;
  /** Rising. */
  readonly open: Set<number>;
}

export class AskNumbers {
  private readonly from: () => string;
  private readonly targets = new Map<string, Target>();
  /** The highest number among the targets that were removed. */
  private highest = 0;

  /** `from`: this node's incarnation. */
  constructor(from: () => string) {
    this.from = from;
  }

  /** The same command with an identity of this node, or unchanged when too many are open. */
  numbered(envelope: Envelope): Envelope {
    const name = addressText(envelope.to);
    const target = this.targets.get(name) ?? { last: this.highest, open: new Set() };
    const seq = target.last + 1;
    const [lowest = seq] = target.open;
    if (seq >= lowest + seqsAboveDoneMax) return envelope;
    target.last = seq;
    target.open.add(seq);
    this.targets.set(name, target);
    return { ...envelope, identity: { from: this.from(), seq, done: lowest - 1 } };
  }

  /** No copy of it will be sent any more, and no caller waits for one. */
  over({ to, identity }: Envelope): void {
    if (identity === undefined) return;
    const name = addressText(to);
    const target = this.targets.get(name);
    if (target === undefined || !target.open.delete(identity.seq) || target.open.size > 0) return;
    this.highest = Math.max(this.highest, target.last);
    this.targets.delete(name);
  }
}
