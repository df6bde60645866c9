/** Limits timers and store calls to the lifetime of their node or lease: no callback runs after its end. */
import { days, type Scheduler } from '../../kernel/time.ts';
import type { Store } from '../../store/store.ts';

/** Timers set here do not fire once `dead`. */
export function guardedScheduler(scheduler: Scheduler, dead: () => boolean): Scheduler {
  const { nextRound } = scheduler;
  const unlessDead = (work: () => void) => (): void => (dead() ? undefined : work());
  return {
    now: () => scheduler.now(),
    steady: () => scheduler.steady(),
    after: (delay, work) =>
      dead() ? () => undefined : scheduler.after(Math.min(delay, days(1)), unlessDead(work)),
    ...(nextRound === undefined ? {} : { nextRound: (work: () => void) => nextRound(unlessDead(work)) }),
  };
}

/** Once `dead`, no call resolves; writes that were sent may still be applied. */
export function guardedStore(store: Store, dead: () => boolean): Store {
  const until = <T>(work: () => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      if (dead()) return;
      work().then(
        (value) => (dead() ? undefined : resolve(value)),
        (thrown: unknown) => (dead() ? undefined : reject(thrown)),
      );
    });
  return {
    rowsInCommit: store.rowsInCommit,
    commit: (writes) => until(() => store.commit(writes)),
    putRows: (rows) => until(() => store.putRows(rows)),
    read: (kind, id) => until(() => store.read(kind, id)),
    readRow: (kind, id) => until(() => store.readRow(kind, id)),
    readMany: (kind, ids) => until(() => store.readMany(kind, ids)),
    readManyRows: (kind, ids) => until(() => store.readManyRows(kind, ids)),
    listDocs: (query) => until(() => store.listDocs(query)),
    listRows: (query) => until(() => store.listRows(query)),
    sumRows: (query) => until(() => store.sumRows(query)),
    newestTagged: (query) => until(() => store.newestTagged(query)),
    oldestTagged: (query) => until(() => store.oldestTagged(query)),
    journalAfter: (scope, after, limit) => until(() => store.journalAfter(scope, after, limit)),
    due: (query) => until(() => store.due(query)),
    countTimers: (clock) => until(() => store.countTimers(clock)),
    busy: (query) => until(() => store.busy(query)),
    settle: (docs) => until(() => store.settle(docs)),
    purge: (query) => until(() => store.purge(query)),
    close: () => store.close(),
  };
}
