/** The database of a cluster as `galla move` writes it, before any node serves it; and how a node knows of the move.
 *  1. A record is replaced only by a newer version, so everything may be sent twice and in any order.
 *  2. What `put` resolved for is on the disks of a majority.
 *  3. The database is of one move: another one, or a database with anything in it, is refused. Nodes serve it when the
 *     move has ended, not before. */
import type { Db } from 'mongodb';
import { setTimeout as pause } from 'node:timers/promises';
import { minutes, seconds } from '../kernel/time.ts';
import { prepareDirectory } from './directory-mongo.ts';
import { answerMsUsual, connectMongo, StoreUnusable, type Connected } from './mongo-connect.ts';
import { inParts, sendWrite, type Fault, type Line } from './mongo-command.ts';
import { recordIn, storedDoc } from './mongo-record.ts';
import { moveMarkIn, moveMarkId as markId, moveMarks } from './mongo-move-mark.ts';
import { createRowWriter, type RowWriter } from './mongo-rows.ts';
import { prepareCollections, reserved } from './mongo-schema.ts';
import { createSettle } from './mongo-settle.ts';
import { MoveRefused, type Moving } from './move-source.ts';
import type { Collection, Doc, Row, SettledDoc, Store } from './store.ts';

const duplicateKey = 11000;
/** For so long a database may be away before the move gives up; nothing is lost then. */
const awayMsMax = minutes(2);
const againMs = 500;

export interface MoveTargetOptions {
  readonly url: string;
  readonly collections: readonly Collection[];
  readonly id: string;
  /** The folder, for people. */
  readonly from: string;
  /** Whether the folder is sealed: then all of it is in the database, and nothing else may be there. */
  readonly isSealed: boolean;
  readonly onWarning: (line: string) => void;
}

export interface Compared {
  /** Not there, or in an older version. */
  readonly lacking: readonly Moving[];
  /** There, but for `busy`, which was taken away since. */
  readonly settled: readonly SettledDoc[];
}

export class MoveTarget {
  /** Whether the database had been written by this move before it was opened. */
  readonly resumed: boolean;
  readonly #connected: Connected;
  readonly #line: Line;
  readonly #rows: RowWriter;
  readonly #settle: Store['settle'];

  private constructor(connected: Connected, resumed: boolean) {
    this.#connected = connected;
    this.resumed = resumed;
    const { documents } = connected;
    this.#line = {
      get db() {
        return documents.db;
      },
      answerMsMax: answerMsUsual,
      latest: null,
    };
    this.#rows = createRowWriter(this.#line);
    this.#settle = createSettle(this.#line);
  }

  /** Marks the database as of this move. Rejects with one line for one that cannot be used, or is not empty. */
  static async open(options: MoveTargetOptions): Promise<MoveTarget> {
    const { url, collections, onWarning } = options;
    let resumed = false;
    const connected = await connectMongo({
      url,
      onWarning,
      answerMsMax: answerMsUsual,
      appName: 'galla move',
      async prepare(db) {
        resumed = await marked(db, options);
        await prepareDirectory(db);
        await prepareCollections(db, collections);
      },
    });
    return new MoveTarget(connected, resumed);
  }

  /** Rejects with MoveRefused when the database is away for too long, or takes a record never. */
  async put(records: readonly Moving[]): Promise<void> {
    const { docs, rows } = newestOf(records);
    await Promise.all([
      ...grouped(docs).map(([kind, some]) => this.#putDocs(kind, some)),
      ...grouped(rows).map(([, some]) => untilDone(async () => (await this.#rows.put(some)) === 'applied')),
    ]);
  }

  /** What the database has of these records. Rejects with MoveRefused for one that it has with another content. */
  async compare(records: readonly Moving[]): Promise<Compared> {
    const kinds = grouped(records.map(({ record }) => record));
    const found = await Promise.all(kinds.map(([kind, some]) => this.#stored(kind, some)));
    const there = new Map(found.flat().map((one) => [nameOf(one), one]));
    const settled: Doc[] = [];
    const lacking = records.filter(({ of, record }) => {
      const stored = there.get(nameOf(record));
      if (stored === undefined || stored.v < record.v) return true;
      if (stored.v > record.v) return false;
      if (contentOf(stored) !== contentOf(record)) throw differs(record);
      if (of === 'doc' && !record.busy && 'busy' in stored && stored.busy) settled.push(record);
      return false;
    });
    return { lacking, settled };
  }

  /** Of these documents nothing is to be sent any more. */
  settle(docs: readonly SettledDoc[]): Promise<void> {
    return untilDone(async () => {
      await this.#settle(docs);
      return true;
    });
  }

  /** How many records of each kind there are. */
  async counts(kinds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const counted = kinds.map(async (kind): Promise<readonly [string, number]> => {
      const { db } = this.#connected.lists;
      return [kind, await db.collection(kind).estimatedDocumentCount({ maxTimeMS: answerMsUsual })];
    });
    return new Map(await Promise.all(counted));
  }

  /** From now on nodes serve the database. */
  async end(): Promise<void> {
    await untilDone(async () => {
      const { db } = this.#connected.directory;
      const found = { _id: markId } as const;
      const ended = await moveMarks(db).updateOne(found, { $set: { state: 'moved', at: new Date() } });
      return ended.acknowledged && ended.matchedCount === 1;
    });
  }

  close(): Promise<void> {
    return this.#connected.close();
  }

  async #putDocs(kind: string, docs: readonly Doc[]): Promise<void> {
    for (const part of inParts(docs.map(storedDoc)))
      await untilDone(async () => {
        const reply = await sendWrite(this.#line, {
          update: kind,
          updates: part.map(({ stored }) => ({
            q: { _id: stored._id, v: { $lt: stored.v } },
            u: stored,
            upsert: true,
          })),
          ordered: false,
        });
        if (reply.is === 'unsendable') throw new MoveRefused(`a ${kind} cannot be written: ${reply.reason}`);
        if (reply.is !== 'answered') return false;
        // a newer version, or this one, is there
        const fault = reply.faults.find(({ code }) => code !== duplicateKey);
        if (fault !== undefined) throw notWritten(kind, fault);
        return reply.durable;
      });
  }

  async #stored(kind: string, records: readonly (Doc | Row)[]): Promise<readonly (Doc | Row)[]> {
    let found: readonly (Doc | Row)[] = [];
    await untilDone(async () => {
      const stored = await this.#connected.documents.db
        .collection<{ readonly _id: string }>(kind, { readConcern: { level: 'majority' } })
        .find({ _id: { $in: records.map(({ id }) => id) } }, { maxTimeMS: answerMsUsual })
        .toArray();
      found = stored.map((one) => recordIn<Doc | Row>(kind, one));
      return true;
    });
    return found;
  }
}

const nameOf = ({ kind, id }: Doc | Row): string => `${kind}/${id}`;

const differs = (record: Doc | Row): MoveRefused =>
  new MoveRefused(
    `${nameOf(record)} has another content in the new database: drop that database, remove move.json from the data ` +
      'folder, and move again',
  );

const notWritten = (kind: string, { code, reason }: Fault): MoveRefused =>
  new MoveRefused(`a ${kind} was not taken by the new database: ${code} ${reason}`);

/** Whether the database was marked by this move before. */
async function marked(db: Db, { id, from, isSealed }: MoveTargetOptions): Promise<boolean> {
  const mark = await moveMarkIn(db);
  if (mark === null && isSealed)
    throw new StoreUnusable(
      `the database ${db.databaseName} is not the one that ${from} was moved to, or has lost it: nodes would begin ` +
        'anew on it. Name the right one, or restore it',
    );
  if (mark !== null && mark.id !== id)
    throw new StoreUnusable(
      `the database ${db.databaseName} was moved into from ${mark.from} by another move: name an empty database`,
    );
  if (mark?.state === 'moved' && !isSealed)
    throw new StoreUnusable(
      `nodes serve the database ${db.databaseName} since ${from} was moved to it, and this folder is from before: ` +
        'nothing is written. Keep the nodes, and do not start a service on this folder',
    );
  if (mark !== null) return true;
  await assertEmpty(db);
  await moveMarks(db).insertOne({ _id: markId, move: id, state: 'copying', from, at: new Date() });
  // a node that had started on the empty database does not know of the mark
  if ((await db.collection(reserved.nodes).findOne({})) !== null) {
    await moveMarks(db).deleteOne({ _id: markId });
    throw notEmpty(db, reserved.nodes);
  }
  return false;
}

async function assertEmpty(db: Db): Promise<void> {
  const there = await db.listCollections({}, { nameOnly: true }).toArray();
  for (const { name } of there) {
    if (name.startsWith('system.')) continue;
    if ((await db.collection(name).findOne({}, { maxTimeMS: answerMsUsual })) !== null)
      throw notEmpty(db, name);
  }
}

const notEmpty = (db: Db, name: string): StoreUnusable =>
  new StoreUnusable(
    `the database ${db.databaseName} is not empty (${name}): name an empty one, ` +
      'and start no node before the move has begun',
  );

/** Repeats what proved nothing; what is repeated does no harm. */
async function untilDone(attempt: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + awayMsMax;
  for (;;) {
    let why = 'it confirms no write';
    try {
      if (await attempt()) return;
    } catch (error) {
      if (error instanceof MoveRefused) throw error;
      why = error instanceof Error ? error.message : String(error);
    }
    if (performance.now() > until)
      throw new MoveRefused(
        `the new database does not answer for ${awayMsMax / seconds(1)} s (${why}): ` +
          'run the same command again, it goes on',
      );
    await pause(againMs);
  }
}

/** Without what may be taken away from a record while its version stays. */
const contentOf = (record: Doc | Row): string =>
  JSON.stringify('busy' in record ? { ...record, busy: false } : record);

/** Of each record the version that is to be written: of an insert-only row the first, of anything else the newest. */
function newestOf(records: readonly Moving[]): {
  readonly docs: readonly Doc[];
  readonly rows: readonly Row[];
} {
  const docs = new Map<string, Doc>();
  const rows = new Map<string, Row>();
  for (const { of, record } of records) {
    const name = nameOf(record);
    if (of === 'doc') {
      if ((docs.get(name)?.v ?? -1) <= record.v) docs.set(name, record);
    } else {
      const known = rows.get(name);
      if (known === undefined || (!known.once && known.v < record.v)) rows.set(name, record);
    }
  }
  return { docs: [...docs.values()], rows: [...rows.values()] };
}

function grouped<Item extends { readonly kind: string }>(
  items: readonly Item[],
): readonly (readonly [kind: string, items: readonly Item[]])[] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(item.kind);
    if (group === undefined) groups.set(item.kind, [item]);
    else group.push(item);
  }
  return [...groups];
}
