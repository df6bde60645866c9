/** Writes many documents at once into the store of a service that is not running: into SQLite by the store's own
 *  writer, into MongoDB by its driver, each record as the store would write it. */
import { MongoClient } from 'mongodb';
import { openConnection } from '../src/store/sqlite-bind.ts';
import { databaseFile } from '../src/store/sqlite-schema.ts';
import { storedDoc } from '../src/store/mongo-record.ts';
import type { Doc } from '../src/store/store.ts';
import { tableWriter } from './table-writer.ts';

const batch = 1000;
const busyMs = 5000;

/** Writes them, each a new one. */
export interface Bulk {
  put(docs: readonly Doc[]): Promise<void>;
  close(): Promise<void>;
}

export function bulkSqlite(dataDir: string): Bulk {
  const connection = openConnection(databaseFile(dataDir), busyMs);
  const put = tableWriter(connection);
  connection.exec('PRAGMA synchronous = OFF');
  return {
    put(docs) {
      for (const some of batches(docs)) {
        put(some.map((doc) => ({ expect: 0, doc, rows: [] })));
      }
      return Promise.resolve();
    },
    close: () => Promise.resolve(connection.close()),
  };
}

export async function bulkMongo(url: string): Promise<Bulk> {
  const client = await new MongoClient(url).connect();
  return {
    async put(docs) {
      for (const kind of new Set(docs.map((doc) => doc.kind))) {
        const shelf = client.db().collection<{ readonly _id: string }>(kind);
        for (const some of batches(docs.filter((doc) => doc.kind === kind)))
          await shelf.insertMany(
            some.map((doc) => storedDoc(doc).stored),
            { ordered: false },
          );
      }
    },
    close: () => client.close(),
  };
}

function* batches(docs: readonly Doc[]): Generator<readonly Doc[]> {
  for (let from = 0; from < docs.length; from += batch) yield docs.slice(from, from + batch);
}
