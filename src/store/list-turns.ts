/** Bounds what the lists of one project may cost the database: a few at a time, the others wait, and what is too much
 *  is refused. So slow lists of one merchant delay only that merchant's lists.
 *  Boundary: counts; the lists are the caller's. */
import { Semaphore } from '../kernel/semaphore.ts';
import type { Scope } from '../runtime/model/address.ts';

/** Lists, counts and sums of a project and mode that run at a time on one node. */
export const listsAtOnceMax = 4;
/** Those that wait for their turn; each that runs has the time limit of an answer. */
export const listsWaitingMax = 16;

export class ListTurns {
  private readonly scopes = new Map<Scope | null, Semaphore>();

  /** Runs a list of this scope in its turn; null: it is of no single project. Rejects as the list does, and with
   *  SemaphoreFull when too many wait. */
  async pass<Result>(scope: Scope | null, list: () => Promise<Result>): Promise<Result> {
    const known = this.scopes.get(scope);
    const turns = known ?? new Semaphore(listsAtOnceMax, listsWaitingMax);
    if (known === undefined) this.scopes.set(scope, turns);
    try {
      return await turns.pass(list);
    } finally {
      if (turns.idle && this.scopes.get(scope) === turns) this.scopes.delete(scope);
    }
  }
}
