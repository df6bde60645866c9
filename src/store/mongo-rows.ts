/** Writes of rows to MongoDB: many calls share a command, and each call keeps its own order.
 *  Boundary: decides nothing about rows; the filters do.
 *  1. A call's rows are stored in its order; an interruption leaves a prefix of them, so a journal has no
 *     gaps.
 *  2. A row replaces only a row with a lower `v` that is not insert-only. If the stored row may not be
 *     replaced, the write also counts as done.
 *  3. At most `flightsMax` batches of calls are in progress; calls that arrive meanwhile share the next one. */
import { ReadPreference, type Document } from 'mongodb';
import { inParts, sendWrite, type Fault, type Line } from './mongo-command.ts';
import { storedRow, type Sized, type StoredRow } from './mongo-record.ts';
import type { Row } from './store.ts';

/** Batches of rows in progress at a time, and how many calls may share one. */
const flightsMax = 4;
const callsPerFlightMax = 256;

const racesMax = 20;

const duplicateKey = 11000;
/** Error codes caused by the row itself: sending it again cannot help. */
const ofTheRow: ReadonlySet<number> = new Set([2, 9, 14, 22, 52, 121, 10334, 17419, 17420]);

/** Consecutive rows of a call that fit one command. */
interface Run {
  readonly kind: string;
  readonly once: boolean;
  readonly rows: readonly Sized<StoredRow>[];
}

/** One caller's rows. `ended` is set when no more of them may be sent. */
interface Call {
  readonly runs: readonly Run[];
  ended: 'unknown' | Error | null;
  readonly resolve: (result: 'applied' | 'unknown') => void;
  readonly reject: (error: Error) => void;
}

interface Entry extends Sized<StoredRow> {
  readonly call: Call;
}

export interface RowWriter {
  /** Rejects for a row that can never be stored; the rows before it are stored then. */
  put(rows: readonly Row[]): Promise<'applied' | 'unknown'>;
}

export function createRowWriter(line: Line): RowWriter {
  const queue: Call[] = [];
  let flights = 0;

  const fly = async (): Promise<void> => {
    while (queue.length > 0) {
      const calls = queue.splice(0, callsPerFlightMax);
      // whatever fails on the way, no caller waits for ever
      const failed = await sendCalls(line, calls).then(
        () => null,
        () => 'unknown' as const,
      );
      for (const { ended, resolve, reject } of calls) {
        if (ended instanceof Error) reject(ended);
        else resolve(failed ?? ended ?? 'applied');
      }
    }
    flights--;
  };

  return {
    async put(rows) {
      if (rows.length === 0) return 'applied';
      const runs = runsOf(rows);
      return new Promise((resolve, reject) => {
        queue.push({ runs, ended: null, resolve, reject });
        if (flights >= flightsMax) return;
        flights++;
        void fly();
      });
    },
  };
}

function runsOf(rows: readonly Row[]): readonly Run[] {
  const runs: { readonly kind: string; readonly once: boolean; readonly rows: Sized<StoredRow>[] }[] = [];
  for (const row of rows) {
    const { kind, once } = row;
    const last = runs.at(-1);
    if (last?.kind === kind && last.once === once) last.rows.push(storedRow(row));
    else runs.push({ kind, once, rows: [storedRow(row)] });
  }
  return runs;
}

/** The first runs of all calls, then the second runs: no call's rows overtake one another. */
async function sendCalls(line: Line, calls: readonly Call[]): Promise<void> {
  const stages = Math.max(...calls.map(({ runs }) => runs.length));
  for (let stage = 0; stage < stages; stage++) {
    const groups = new Map<string, { readonly run: Run; readonly entries: Entry[] }>();
    for (const call of calls) {
      const run = call.runs[stage];
      if (run === undefined || call.ended !== null) continue;
      const key = `${run.kind} ${run.once}`;
      const group = groups.get(key) ?? { run, entries: [] };
      groups.set(key, group);
      for (const { stored, bytes } of run.rows) group.entries.push({ stored, bytes, call });
    }
    await Promise.all([...groups.values()].map(({ run, entries }) => sendAll(line, run, entries)));
  }
}

async function sendAll(line: Line, { kind, once }: Run, entries: readonly Entry[]): Promise<void> {
  let left = entries;
  // so many rows go by themselves: one of them cannot be written by the driver
  let oneByOne = 0;
  // each round advances at least one row, unless the row raced with another writer for its first version
  for (let rounds = 0; rounds < 3 * entries.length + racesMax; rounds++) {
    left = left.filter(({ call }) => call.ended === null);
    const [whole] = inParts(left);
    if (whole === undefined) return;
    const part = oneByOne > 0 ? whole.slice(0, 1) : whole;
    const reply = await sendWrite(line, once ? insertOf(kind, part) : updateOf(kind, part));
    if (reply.is === 'unsendable' && part.length > 1) {
      oneByOne = part.length;
      continue;
    }
    if (oneByOne > 0) oneByOne--;
    const [fault] = reply.is === 'answered' ? reply.faults : [];
    if (reply.is === 'unsendable') {
      for (const { call } of part) call.ended = new Error(`a row cannot be stored: ${reply.reason}`);
    } else if (reply.is !== 'answered' || !reply.durable) {
      for (const { call } of part) call.ended = 'unknown';
    } else if (fault === undefined) {
      left = left.slice(part.length);
    } else {
      const { index, code } = fault;
      const met = part[index];
      if (met !== undefined && code !== duplicateKey) met.call.ended = endOf(fault);
      // sent in order: the rows after the failed one were not processed
      left = await withoutDone(line, kind, left.slice(index));
    }
  }
  for (const { call } of left) call.ended ??= 'unknown';
}

const endOf = ({ code, reason }: Fault): 'unknown' | Error =>
  ofTheRow.has(code) ? new Error(`a row cannot be stored: ${reason}`) : 'unknown';

/** Insert-only rows: for a database, an insert is much cheaper than searching for an old document first. */
const insertOf = (kind: string, part: readonly Entry[]): Document => ({
  insert: kind,
  documents: part.map(({ stored }) => stored),
  ordered: true,
});

const updateOf = (kind: string, part: readonly Entry[]): Document => ({
  update: kind,
  updates: part.map(({ stored }) => ({
    q: { _id: stored._id, v: { $lt: stored.v }, once: { $ne: true } },
    u: stored,
    upsert: true,
  })),
  ordered: true,
});

/** After one row was already there, more may be (the whole call is sent again): they are checked together,
 *  not one by one. An existing row is not always newer: two writers may race for the first version. */
async function withoutDone(line: Line, kind: string, left: readonly Entry[]): Promise<readonly Entry[]> {
  if (left.length === 0) return left;
  const asked = inParts(left)[0] ?? [];
  try {
    const found = await line.db
      .collection<StoredRow>(kind, { readConcern: { level: 'linearizable' } })
      .find({ _id: { $in: asked.map(({ stored }) => stored._id) } })
      .project<Pick<StoredRow, '_id' | 'v' | 'once'>>({ v: 1, once: 1 })
      .batchSize(asked.length + 1)
      .withReadPreference(ReadPreference.primary)
      .maxTimeMS(line.answerMsMax)
      .toArray();
    const there = new Map(found.map((row) => [row._id, row]));
    return left.filter(({ stored }) => {
      const is = there.get(stored._id);
      return is === undefined || !(stored.once || is.once || is.v >= stored.v);
    });
  } catch {
    for (const { call } of left) call.ended ??= 'unknown';
    return [];
  }
}
