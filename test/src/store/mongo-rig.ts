/** A store on a real MongoDB under a name of its own, and what a test can make the server do to it. */
import { MongoClient } from 'mongodb';
import { openMongoStore, type MongoStore } from '../../../src/store/store-mongo.ts';
import { after, collections, docOf, first, writeOf } from '../../contract/store-samples.ts';
import { eventually } from '../../support/eventually.ts';
import { failPoint, type FailCommand, type RunningServer, type TestMongo } from '../../support/servers.ts';
import type { Doc, Write, Written } from '../../../src/store/store.ts';

/** Short, so that a silent server is given up soon. */
export const answerMsMax = 1000;
const resendsMax = 100;
/** Longer than any outage a test makes. */
const outageMsMax = 30_000;

export interface MongoRig {
  readonly store: MongoStore;
  readonly server: RunningServer;
  /** A client nothing is done to. */
  readonly bystander: MongoClient;
  readonly database: string;
  /** The outcomes of each commit, as they were reported to whoever watches them. */
  readonly reported: (readonly Written[])[];
  /** The server fails so many of this store's commands. */
  fail(mode: 'alwaysOn' | number, data: Omit<FailCommand, 'appName'>): Promise<void>;
  heal(): Promise<void>;
  close(): Promise<void>;
}

let made = 0;

/** A store with the contract's collections in a database of its own. */
export async function mongoRig(mongo: TestMongo): Promise<MongoRig> {
  const { server } = mongo;
  if (server === null) throw new Error('a server that may be hurt');
  const appName = `galla rig ${++made}`;
  const database = `galla_rig_${process.pid}_${made}`;
  const url = mongo.url(database);
  const reported: (readonly Written[])[] = [];
  const onWritten = (written: readonly Written[]): void => void reported.push(written);
  const told = { onWarning: () => undefined, onWritten };
  const store = await openMongoStore({ url, collections, ...told, answerMsMax, appName });
  const bystander = new MongoClient(url);
  return {
    store,
    server,
    bystander,
    database,
    reported,
    fail: (mode, data) => failPoint(server.url, mode, { ...data, appName }),
    heal: () => failPoint(server.url, 'off'),
    async close() {
      await failPoint(server.url, 'off');
      await Promise.all([store.close(), bystander.close()]);
    },
  };
}

export async function commitOne(store: MongoStore, write: Write): Promise<Written> {
  return first(await store.commit([write]));
}

/** Sends the identical write until its outcome is known, as the committer does. */
export async function definite(store: MongoStore, write: Write): Promise<Written> {
  for (let resends = 0; resends < resendsMax; resends++) {
    const written = await commitOne(store, write);
    if (written.is !== 'unknown') return written;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`in doubt after ${resendsMax} times`);
}

/** Five owners, each writing one version after the other; gives the last version each was told is applied.
 *  A write in doubt is sent again until it is known, and must then have been applied once. */
export const writers = (store: MongoStore, isOver: () => boolean): readonly Promise<Doc>[] =>
  Array.from({ length: 5 }, async (_, slot) => {
    const created = docOf({ slot: slot * 4 });
    await mustLand(store, writeOf(created));
    let doc = created;
    while (!isOver()) {
      const next = after(doc, { tok: `${slot}:${doc.v + 1}`, body: { v: doc.v + 1 } });
      if (await mustLand(store, writeOf(next))) doc = next;
    }
    return doc;
  });

/** False: certainly not written. Throws for a result that a single writer must never get. */
async function mustLand(store: MongoStore, write: Write): Promise<boolean> {
  const written = await eventually(
    async () => {
      const told = await commitOne(store, write);
      return told.is === 'unknown' ? null : told;
    },
    () => `a definite answer for ${write.doc.tok}`,
    outageMsMax,
  );
  if (written.is === 'stale') throw new Error(`${write.doc.tok} was overtaken, and nobody else writes`);
  return written.is === 'applied';
}
