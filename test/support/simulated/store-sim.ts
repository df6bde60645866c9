/** A model of a remote store for the seeded simulation: its answers may be late, lost or incomplete; its
 *  contents are always correct.
 *  Boundary: time and randomness are passed in; faults are what `weather` sets at the moment of sending.
 *  1. Each write has its own result: a batch can be cut anywhere (with `rowsInCommit`: whole or not at
 *     all).
 *  2. `unknown` proves nothing: the write may have been applied, may be applied much later, or never.
 *  3. Requests of a dead client may still be applied; it never gets an answer.
 *  4. Documents and rows go in and out through JSON, so that no two parties share an object; the
 *     directory's objects are frozen, so that sharing them is safe.
 *  5. The state of single members without a majority (store-sim-replicas.ts) is never used for reads that
 *     decide. */
import { assert } from '../../../src/kernel/assert.ts';
import type { Directory } from '../../../src/store/directory.ts';
import { DirectoryDisk, frozen, simDirectory } from './directory-sim.ts';
import { Disk, type Landed } from './store-sim-disk.ts';
import { Line, type Hold, type Interception, type LineParts, type Traffic } from './store-sim-line.ts';
import { Replicas } from './store-sim-replicas.ts';
import { calmWeather, type Weather } from './store-sim-weather.ts';
import type { Instant, Scheduler } from '../../../src/kernel/time.ts';
import {
  readManyMax,
  settleMax,
  type Doc,
  type Purged,
  type PurgeQuery,
  type Row,
  type SettledDoc,
  type Store,
  type Write,
  type Written,
} from '../../../src/store/store.ts';

export interface SimStoreOptions {
  readonly scheduler: Scheduler;
  /** A seeded number in [0, 1). */
  readonly chance: () => number;
  /** Documents and rows are applied together, as in SQLite; otherwise separately, as in MongoDB. */
  readonly rowsInCommit: boolean;
  /** It lives in the process that writes to it, as SQLite does: nothing of a dead process is applied any more. */
  readonly endsWithProcess?: boolean;
  /** Called at the instant something is applied; for checkers. */
  readonly onLanded?: (landed: Landed) => void;
}

/** One process's connection. `kill` simulates the death of that process. */
export interface SimConnection extends Store {
  readonly directory: Directory;
  kill(): void;
  /** Before this instant none of this process's requests arrive, and it gets no answer: its network is cut. */
  cutUntil(at: Instant): void;
}

export interface SimStore {
  readonly disk: Disk;
  readonly weather: Weather;
  readonly interception: Interception;
  readonly directory: DirectoryDisk;
  readonly replicas: Replicas;
  /** Requests that were sent and have been neither applied nor lost. */
  readonly traffic: Readonly<Traffic>;
  connect(hold?: Hold): SimConnection;
}

/** A new, empty store. */
export function createSimStore(options: SimStoreOptions): SimStore {
  const { scheduler, onLanded } = options;
  const weather = { ...calmWeather };
  const replicas = new Replicas();
  const disk = new Disk(false, (landed) => {
    if (landed.is === 'doc' && landed.doc.gone) sweepLater(landed.doc);
    onLanded?.(landed);
  });
  const sweepLater = ({ kind, id }: Doc): void =>
    void scheduler.after(weather.tombstoneMs, () => disk.purge(kind, id));
  const interception: Interception = {};
  const traffic: Traffic = { writes: 0 };
  const directory = new DirectoryDisk();
  return {
    disk,
    weather,
    interception,
    directory,
    replicas,
    traffic,
    connect: (hold = (work) => work()) =>
      connection({ ...options, disk, weather, interception, directory, replicas, traffic, hold }),
  };
}

interface Machine extends SimStoreOptions, LineParts {
  readonly disk: Disk;
  readonly directory: DirectoryDisk;
  readonly replicas: Replicas;
}

function connection(machine: Machine): SimConnection {
  const { disk } = machine;
  const line = new Line(machine);
  return {
    rowsInCommit: machine.rowsInCommit,
    commit: (writes) => sendCommit(machine, line, writes),
    putRows: (rows) => sendRows(machine, line, rows),
    read: (kind, id) => line.read(() => decided(machine, line, kind, id)),
    readRow: (kind, id) => line.read(() => disk.readRow(kind, id)),
    readMany: (kind, ids) =>
      line.read(() => {
        assert(ids.length <= readManyMax, `at most ${readManyMax} documents are read at once`);
        return ids.flatMap((id) => disk.readDoc(kind, id) ?? []);
      }),
    readManyRows: (kind, ids) =>
      line.read(() => {
        assert(ids.length <= readManyMax, `at most ${readManyMax} rows are read at once`);
        return ids.flatMap((id) => disk.readRow(kind, id) ?? []);
      }),
    listDocs: (query) => line.read(() => disk.listDocs(query)),
    listRows: (query) => line.read(() => disk.listRows(query)),
    sumRows: (query) => line.read(() => disk.sumRows(query)),
    newestTagged: (query) => line.read(() => disk.newestTagged(query)),
    oldestTagged: (query) => line.read(() => disk.oldestTagged(query)),
    journalAfter: (scope, after, limit) => line.read(() => disk.journalAfter(scope, after, limit)),
    due: (query) => line.read(() => disk.due(query)),
    countTimers: (clock) => line.read(() => disk.countTimers(clock)),
    busy: (query) => line.read(() => disk.busy(query)),
    settle: (docs) => sendSettle(line, disk, docs),
    purge: (query) => sendPurge(line, disk, query),
    close: () => {
      line.closed = true;
      return Promise.resolve();
    },
    directory: simDirectory(
      machine.directory,
      (what, land) => asked(machine, line, what, land),
      machine.scheduler,
    ),
    kill: () => line.kill(),
    cutUntil: (at) => {
      line.cutUntil = at;
    },
  };
}

/** The newest acknowledged version; the broken build uses the answer of any member. */
function decided(
  { disk, replicas, weather, scheduler }: Machine,
  line: Line,
  kind: string,
  id: string,
): Doc | null {
  const truth = disk.readDoc(kind, id);
  if (!replicas.localRead) return truth;
  return replicas.local({ kind, id }, truth, line.upTo(weather.behindMsMax), scheduler.now());
}

/** One change of the directory: applied once or never (a registration possibly twice); rejects without an
 *  answer. */
async function asked<Answer>(
  { scheduler, weather, traffic }: Machine,
  line: Line,
  what: string,
  land: () => Answer,
): Promise<Answer> {
  const heard: { answer: () => Answer } = { answer: unanswered };
  const arrive = (): void => {
    heard.answer = answerOf(land);
  };
  if (what === 'register' && line.happens(weather.repeated)) {
    traffic.writes++;
    scheduler.after(line.upTo(weather.repeatedMsMax), () => {
      traffic.writes--;
      answerOf(land);
    });
  }
  const answer = await line.write<() => Answer>({
    request: { is: 'directory', what },
    parts: [arrive],
    answer: () => heard.answer,
    silence: () => unanswered,
    refusal: () => unanswered,
  });
  return answer();
}

function unanswered(): never {
  throw new Error('the store did not answer');
}

/** The result at that instant: a value or a thrown error. */
function answerOf<Answer>(land: () => Answer): () => Answer {
  try {
    const answer = frozen(land());
    return () => answer;
  } catch (thrown) {
    return () => {
      throw thrown;
    };
  }
}

/** A copy of what was sent, independent of its sender's objects. */
interface Copied<Item> {
  readonly item: Item;
  readonly text: string;
}

function copied<Item>(item: Item): Copied<Item> {
  const text = JSON.stringify(item);
  return { item: JSON.parse(text) as Item, text };
}

/** One result per write: applied with a definite answer, or still open. */
function sendCommit(machine: Machine, line: Line, writes: readonly Write[]): Promise<readonly Written[]> {
  const apart = writes.every(({ rows }) => rows.length === 0);
  assert(machine.rowsInCommit || apart, 'rows ride in `out` of this store');
  const sent = writes.map(({ expect, doc, rows }) => ({ expect, doc: copied(doc), rows: rows.map(copied) }));
  const results: (Written | null)[] = sent.map(() => null);
  const landOne = (index: number): void => {
    const write = sent[index];
    assert(write !== undefined, 'a write per index');
    const { item } = write.doc;
    const before = machine.disk.text(item.kind, item.id);
    results[index] = machine.disk.landWrite(write.expect, write.doc);
    if (results[index].is !== 'applied') return;
    if (machine.replicas.localRead) machine.replicas.replaced(item, before, machine.scheduler.now());
    for (const { item, text } of write.rows) machine.disk.landRow(item, text);
  };
  const parts = machine.rowsInCommit ? [sent.map((_, index) => index)] : line.parts(sent.length);
  return line.write({
    request: {
      is: 'commit',
      writes: sent.map(({ expect, doc, rows }) => ({
        expect,
        doc: doc.item,
        rows: rows.map(({ item }) => item),
      })),
    },
    parts: parts.map((part) => () => part.forEach(landOne)),
    answer: () => results.map((result) => result ?? { is: 'unknown' as const }),
    silence: () => sent.map(() => ({ is: 'unknown' as const })),
    refusal: () => sent.map(() => full),
    update: sent.every(({ expect }) => expect > 0),
    fork: (until) => {
      for (const { expect, doc } of sent)
        if ((machine.disk.readDoc(doc.item.kind, doc.item.id)?.v ?? 0) === expect)
          machine.replicas.fork(doc.item, doc.text, until);
    },
  });
}

/** Rows of one call are applied in order; a cut leaves a prefix. */
function sendRows(machine: Machine, line: Line, rows: readonly Row[]): Promise<'applied' | 'unknown'> {
  const sent = rows.map(copied);
  let landed = 0;
  const parts = line.parts(sent.length).map((part) => () => {
    // ordered: rows after a lost one are never applied
    if (part[0] !== landed) return;
    for (const index of part) {
      const row = sent[index];
      assert(row !== undefined, 'a row per index');
      machine.disk.landRow(row.item, row.text);
      landed += 1;
    }
  });
  return line.write({
    request: { is: 'rows', rows: sent.map(({ item }) => item) },
    parts,
    answer: () => (landed === sent.length ? 'applied' : 'unknown'),
    silence: () => 'unknown',
    refusal: () => 'unknown',
  });
}

/** Each document separately; one that is cut off stays busy. */
async function sendSettle(line: Line, disk: Disk, docs: readonly SettledDoc[]): Promise<void> {
  assert(docs.length <= settleMax, `at most ${settleMax} documents are settled at once`);
  const answered = await line.write<boolean>({
    request: { is: 'settle', docs },
    parts: line.parts(docs.length).map((part) => () => {
      for (const at of part) if (docs[at] !== undefined) disk.settle(docs[at]);
    }),
    answer: () => true,
    silence: () => false,
    refusal: () => false,
    update: true,
  });
  if (!answered) throw new Error('the store did not answer');
}

/** Applied at once or never: a purge that is cut in the middle is two smaller ones. */
async function sendPurge(line: Line, disk: Disk, query: PurgeQuery): Promise<Purged> {
  const heard: { purged: Purged | null } = { purged: null };
  const purged = await line.write<Purged | null>({
    request: { is: 'purge', query },
    parts: [
      () => {
        heard.purged = disk.purgeOldest(query);
      },
    ],
    answer: () => heard.purged,
    silence: () => null,
    refusal: () => null,
  });
  if (purged === null) throw new Error('the store did not answer');
  return purged;
}

const full: Written = { is: 'error', of: 'store', reason: 'database or disk is full' };
