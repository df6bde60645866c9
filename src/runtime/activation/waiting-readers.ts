/** Readers of one actor that wait until work in progress has finished.
 *  1. Each gets exactly one result: the state committed then, or the end of the lease. */
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

  resolveAll(doc: Doc | null): void {
    for (const { look } of this.waiting.splice(0)) look(doc);
  }

  end(): void {
    for (const { over } of this.waiting.splice(0)) over(new LeaseOver());
  }
}
