/** Readers of one actor who wait until what is under way is over.
 *  1. Each is told once: what is committed then, or that its lease has ended. */
import type { Doc } from '../../store/store.ts';
import { LeaseOver } from '../cluster/partition-lease.ts';

interface Reader {
  readonly look: (doc: Doc | null) => void;
  readonly over: (why: LeaseOver) => void;
}

export class WaitingReaders {
  private waiting: Reader[] = [];

  get none(): boolean {
    return this.waiting.length === 0;
  }

  /** Rejects with LeaseOver. */
  next(): Promise<Doc | null> {
    return new Promise((look, over) => this.waiting.push({ look, over }));
  }

  tell(doc: Doc | null): void {
    for (const { look } of this.waiting.splice(0)) look(doc);
  }

  end(): void {
    for (const { over } of this.waiting.splice(0)) over(new LeaseOver());
  }
}
