/** Rows of a database that no service has open: what a restore adds before the database gets its name.
 *  Boundary: synchronous underneath, in a process of its own.
 *  1. What is acknowledged is in the tables, and on disk after `close`. */
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { openConnection, type Connection } from './sqlite-bind.ts';
import { noLog } from './sqlite-commit-log.ts';
import { rowLines } from './sqlite-commits.ts';
import { readSql } from './sqlite-query.ts';
import { prepareSchema, slotsOf } from './sqlite-schema.ts';
import { Writer } from './sqlite-write.ts';
import type { Collection, Row, Store } from './store.ts';

export interface OfflineRows extends Pick<Store, 'readRow' | 'putRows'> {
  close(): void;
}

/** Opens it, in the schema of this build. Throws what SQLite says, and where the database was not stopped in good
 *  order. */
export function openRows(path: string, collections: readonly Collection[]): OfflineRows {
  const connection = openConnection(path);
  try {
    return rowsOf(connection, path, collections);
  } catch (error) {
    connection.close();
    throw error;
  }
}

function rowsOf(connection: Connection, path: string, collections: readonly Collection[]): OfflineRows {
  prepareSchema(connection, path, collections);
  const slots = { doc: slotsOf(collections, 'doc'), row: slotsOf(collections, 'row') };
  const wal = { written: () => undefined, copyNow: () => undefined };
  const writer = new Writer(connection, slots, noLog(connection), () => performance.now(), wal);
  return {
    async readRow(kind, id) {
      const [json] = connection.statement(readSql('row')).first([id, kind]) ?? [];
      // this store wrote it
      return typeof json === 'string' ? (JSON.parse(json) as Row) : null;
    },
    async putRows(rows) {
      if (!writer.putRows(rows.flatMap((row) => rowLines(row, slots)))) return 'unknown';
      writer.applyAll();
      return 'applied';
    },
    close() {
      connection.close();
      const file = openSync(path, 'r+');
      fsyncSync(file);
      closeSync(file);
    },
  };
}
