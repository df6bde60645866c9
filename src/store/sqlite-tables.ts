/** The tables behind the log: puts the newest text of a record into them, and knows which version they hold.
 *  Boundary: runs inside the caller's transaction (sqlite-write.ts).
 *  1. A record is never replaced by an older one, and an insert-only row by none: a portion of the log may be
 *     applied twice. */
import { assert } from '../kernel/assert.ts';
import { extraOf, keepRecords, keepShelves, type Entry } from './sqlite-records.ts';
import type { Connection } from './sqlite-bind.ts';
import type { Of, Slots } from './sqlite-schema.ts';
import type { Unapplied } from './sqlite-unapplied.ts';
import { docRecord, rowRecord } from './sqlite-cells.ts';
import type { Doc, Row } from './store.ts';

/** What decides whether a write fits. `e`: of a row 0. */
export type Version = Pick<Unapplied, 'v' | 'e' | 'once'>;

export interface Tables {
  versionOf(of: Of, kind: string, id: string): Version | undefined;
  put(record: Unapplied): void;
  /** Clears the caches: a transaction was rolled back. */
  forget(): void;
  readonly records: Readonly<Record<Of, ReturnType<typeof keepRecords>>>;
}

export function keepTables(connection: Connection, slots: Readonly<Record<Of, Slots>>): Tables {
  const docs = keepRecords(connection, 'doc', slots.doc);
  const rows = keepRecords(connection, 'row', slots.row);
  const shelves = keepShelves(connection);
  const entryOf = ({ of, json }: Unapplied): Entry => {
    if (of === 'doc') {
      const [head, e, clock, wake, timers, busy] = docRecord(JSON.parse(json) as Doc, json, slots.doc);
      return docs.make(head, shelves.of(head[0], head[2]), [e, clock, wake, timers, Number(busy)]);
    }
    const [head, once] = rowRecord(JSON.parse(json) as Row, json, slots.row);
    return rows.make(head, shelves.of(head[0], head[2]), [Number(once)]);
  };
  return {
    versionOf(of, kind, id) {
      const there = of === 'doc' ? docs.find({ kind, id }) : rows.find({ kind, id });
      if (there === undefined) return undefined;
      const extra = Number(extraOf(there, 0));
      return { v: there.v, e: of === 'doc' ? extra : 0, once: of === 'row' && extra !== 0 };
    },
    put(record) {
      const records = record.of === 'doc' ? docs : rows;
      const entry = entryOf(record);
      if (record.once) {
        records.insert(entry);
        return;
      }
      // most records are new: that is cheaper to find out by the insert itself
      const remembered = records.remembered(entry);
      if (remembered === undefined && records.insert(entry)) return;
      const there = remembered ?? records.find(entry);
      assert(there !== undefined, 'what cannot be inserted is there');
      if (there.v < record.v && (record.of === 'doc' || extraOf(there, 0) === 0))
        records.update(there, entry);
    },
    forget() {
      for (const memory of [shelves, docs, rows]) memory.forget();
    },
    records: { doc: docs, row: rows },
  };
}
