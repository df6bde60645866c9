/** Writes in bulk into the tables of an embedded store that is not running. */
import { collections } from '../src/compose/collections.ts';
import type { Connection } from '../src/store/sqlite-bind.ts';
import { noLog } from '../src/store/sqlite-commit-log.ts';
import { slotsOf } from '../src/store/sqlite-schema.ts';
import { writeLines } from '../src/store/sqlite-commits.ts';
import { Writer } from '../src/store/sqlite-write.ts';
import type { Write } from '../src/store/store.ts';

/** Writes each batch into the tables at once. Throws when one of it is not stored. */
export function tableWriter(connection: Connection): (writes: readonly Write[]) => void {
  const all = collections();
  const slots = { doc: slotsOf(all, 'doc'), row: slotsOf(all, 'row') };
  const writer = new Writer(connection, slots, noLog(connection), () => performance.now());
  return (writes) => {
    const bad = writer
      .commit(writes.flatMap((write) => writeLines(write, slots)))
      .find(({ is }) => is !== 'applied');
    if (bad !== undefined) throw new Error(`a document was not stored: ${JSON.stringify(bad)}`);
    writer.applyAll();
  };
}
