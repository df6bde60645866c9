/** Group commit on MongoDB: sends a batch in lanes and determines the result of each of its writes.
 *  Boundary: documents only; rows are written by mongo-rows.ts.
 *  1. A batch is sent in as few commands as possible, because a command costs much more than one more write
 *     within it. A large batch is split by partition into lanes, which run in parallel.
 *  2. Only a creation inserts; a change replaces a document that has the named version and no newer epoch, or
 *     nothing at all.
 *  3. `applied`, `stale` and `error` are proof. A document that carries our `tok` is ours, whatever an
 *     answer reported.
 *  4. A write that was once in doubt never gets `error` of the store: an earlier copy of it may still arrive. */
import { ReadPreference, type Document } from 'mongodb';
import { inParts, sendWrite, type Fault, type Line, type Reply } from './mongo-command.ts';
import { RecordTooLarge, storedDoc, type StoredDoc } from './mongo-record.ts';
import type { Write, Written } from './store.ts';

const lanesMax = 4;
/** A lane of its own pays off from this many writes. */
export const laneWritesMin = 64;
/** Writes remembered as in doubt; above this number, every write counts as in doubt. */
const doubtsMax = 100_000;

const applied: Written = { is: 'applied' };
const stale: Written = { is: 'stale' };
const unknown: Written = { is: 'unknown' };
const refusedNow = (reason: string): Written => ({ is: 'error', of: 'store', reason });
const unstorable = (reason: string): Written => ({ is: 'error', of: 'document', reason });

/** Error codes caused by the document itself: it would be rejected again. */
const ofTheDocument: ReadonlySet<number> = new Set([2, 9, 14, 22, 52, 121, 10334, 17419, 17420]);
const duplicateKey = 11000;

/** A write as it is sent. */
interface Sending {
  /** Its place in the batch. */
  readonly at: number;
  readonly kind: string;
  readonly lane: number;
  readonly expect: number;
  readonly stored: StoredDoc;
  readonly bytes: number;
}

export interface Commits {
  /** One result per write, same order. Never rejects. */
  commit(writes: readonly Write[]): Promise<readonly Written[]>;
}

export function createCommits(line: Line): Commits {
  const doubts = new Set<string>();
  const doubted = (tok: string): boolean => doubts.size >= doubtsMax || doubts.has(tok);

  const settle = ({ stored: { tok } }: Sending, told: Written): Written => {
    const written = told.is === 'error' && told.of === 'store' && doubted(tok) ? unknown : told;
    if (written.is !== 'unknown') doubts.delete(tok);
    else if (doubts.size < doubtsMax) doubts.add(tok);
    return written;
  };

  const sendPart = async (part: readonly Sending[], results: Written[]): Promise<void> => {
    const reply = await sendWrite(line, commandOf(part));
    if (reply.is === 'unsendable' && part.length > 1) {
      for (const one of part) await sendPart([one], results);
      return;
    }
    const verdicts = await judged(line, part, reply);
    for (const sending of part) results[sending.at] = settle(sending, verdicts.get(sending) ?? unknown);
  };

  const sendLane = async (lane: readonly Sending[], results: Written[]): Promise<void> => {
    const groups = grouped(lane, ({ kind, expect }) => `${kind} ${expect === 0 ? 'new' : 'known'}`);
    await Promise.all(
      [...groups.values()].map(async (group) => {
        for (const part of inParts(group)) await sendPart(part, results);
      }),
    );
  };

  return {
    async commit(writes) {
      const results: Written[] = [];
      const sent: Sending[] = [];
      const lanes = Math.min(lanesMax, Math.max(1, Math.floor(writes.length / laneWritesMin)));
      for (const [at, write] of writes.entries()) {
        const sending = sendingOf(write, at, lanes);
        if ('is' in sending) results[at] = sending;
        else sent.push(sending);
      }
      const byLane = grouped(sent, ({ lane }) => lane);
      await Promise.all([...byLane.values()].map((lane) => sendLane(lane, results)));
      return results;
    },
  };
}

/** The write as it is sent, or the reason why it can never be sent. */
function sendingOf({ expect, doc }: Write, at: number, lanes: number): Sending | Written {
  try {
    return { at, kind: doc.kind, lane: (doc.slot >> 2) % lanes, expect, ...storedDoc(doc) };
  } catch (error) {
    return unstorable(error instanceof RecordTooLarge ? error.message : String(error));
  }
}

/** Writes of one kind, either all creations or none. */
function commandOf(part: readonly Sending[]): Document {
  const [first] = part;
  if (first?.expect === 0) {
    return { insert: first.kind, documents: part.map(({ stored }) => stored), ordered: false };
  }
  return {
    update: first?.kind,
    updates: part.map(({ expect, stored }) => ({
      q: { _id: stored._id, v: expect, e: { $lte: stored.e } },
      u: stored,
    })),
    ordered: false,
  };
}

type Verdicts = ReadonlyMap<Sending, Written>;

async function judged(line: Line, part: readonly Sending[], reply: Reply): Promise<Verdicts> {
  switch (reply.is) {
    case 'silent':
      return new Map();
    case 'unsent':
      return new Map(part.map((sending) => [sending, refusedNow(reply.reason)]));
    case 'unsendable':
      return new Map(part.map((sending) => [sending, unstorable(reply.reason)]));
    case 'refused':
      return readBack(line, part, refusedNow(reply.reason));
    case 'answered':
      return answered(line, part, reply);
  }
}

async function answered(
  line: Line,
  part: readonly Sending[],
  { n, faults, durable }: Extract<Reply, { is: 'answered' }>,
): Promise<Verdicts> {
  const verdicts = new Map<Sending, Written>();
  for (const fault of faults) {
    const sending = part[fault.index];
    const verdict = verdictOf(fault);
    if (sending !== undefined && verdict !== null) verdicts.set(sending, verdict);
  }
  if (!durable) return verdicts;
  const faulty = new Set(faults.map(({ index }) => index));
  const isNew = part[0]?.expect === 0;
  // A partial match does not show which statements matched; for inserts, each failure is named.
  const told = isNew || n === part.length - faulty.size;
  const open: Sending[] = [];
  for (const [index, sending] of part.entries()) {
    if (verdicts.has(sending)) continue;
    if (told && !faulty.has(index)) verdicts.set(sending, applied);
    else open.push(sending);
  }
  for (const [sending, verdict] of await readBack(line, open, stale)) verdicts.set(sending, verdict);
  return verdicts;
}

/** What an error alone proves; null when the stored document must be read. */
function verdictOf({ code, reason }: Fault): Written | null {
  if (code === duplicateKey) return null;
  return ofTheDocument.has(code) ? unstorable(reason) : refusedNow(`${code}: ${reason}`);
}

/** Determines the result from what is stored now; `untouched` is the result if the document is still as the
 *  writer expected it. */
async function readBack(line: Line, part: readonly Sending[], untouched: Written): Promise<Verdicts> {
  const [first] = part;
  if (first === undefined) return new Map();
  try {
    // One reply, no cursor: only a single reply is linearizable.
    const found = await line.db
      .collection<StoredDoc>(first.kind, { readConcern: { level: 'linearizable' } })
      .find({ _id: { $in: part.map(({ stored }) => stored._id) } })
      .project<Pick<StoredDoc, '_id' | 'v' | 'tok'>>({ v: 1, tok: 1 })
      .batchSize(part.length + 1)
      .withReadPreference(ReadPreference.primary)
      .maxTimeMS(line.answerMsMax)
      .toArray();
    const there = new Map(found.map((doc) => [doc._id, doc]));
    return new Map(
      part.map((sending) => {
        const { stored, expect } = sending;
        const is = there.get(stored._id);
        if (is?.tok === stored.tok) return [sending, applied];
        return [sending, (is?.v ?? 0) === expect ? untouched : stale];
      }),
    );
  } catch {
    return new Map();
  }
}

function grouped<Key>(sent: readonly Sending[], keyOf: (sending: Sending) => Key): Map<Key, Sending[]> {
  const groups = new Map<Key, Sending[]>();
  for (const sending of sent) {
    const key = keyOf(sending);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [sending]);
    else group.push(sending);
  }
  return groups;
}
