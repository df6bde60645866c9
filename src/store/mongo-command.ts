/** One write command and every way it can end.
 *  Boundary: speaks to the driver; what an ending means for a document is for mongo-commit.ts and mongo-rows.ts.
 *  1. One command, one attempt: the client's own retries are off (mongo-connect.ts), so an answer speaks of
 *     all that was sent. Only what was certainly not executed is tried again.
 *  2. `unsent` is proof; whatever else is not an answer is silence.
 *  3. Acknowledged means a majority has it on disk. */
import { setTimeout } from 'node:timers/promises';
import {
  MongoError,
  MongoServerError,
  MongoWriteConcernError,
  type Db,
  type Document,
  type Timestamp,
} from 'mongodb';
import type { DurationMs } from '../kernel/time.ts';

/** What became of one statement of a command. */
export interface Fault {
  readonly index: number;
  readonly code: number;
  readonly reason: string;
}

export type Reply =
  /** Executed. `n`: how many statements found or made their document; `durable`: a majority has it. */
  | {
      readonly is: 'answered';
      readonly n: number;
      readonly faults: readonly Fault[];
      readonly durable: boolean;
    }
  /** The command as a whole was turned down, perhaps in the middle: part of it may have landed. */
  | { readonly is: 'refused'; readonly reason: string }
  /** Certainly nothing was executed. `passing`: the next moment may be better. */
  | { readonly is: 'unsent'; readonly passing: boolean; readonly reason: string }
  | { readonly is: 'silent' };

/** A database, the time it has for an answer, and the latest moment of it this process has heard of. */
export interface Line {
  readonly db: Db;
  readonly answerMsMax: DurationMs;
  /** The newest operation time heard; lists ask for nothing older. */
  latest: Timestamp | null;
}

/** A server that is not primary says so before it touches anything; soon it or another is. */
const notPrimary: ReadonlySet<unknown> = new Set([10107, 10058, 13435, 13436]);
/** And so does one that does not let this user in; it will go on doing so. */
const notAllowed: ReadonlySet<unknown> = new Set([13, 18, 8000]);

/** How soon what was certainly not executed is tried again, within the time for an answer. */
const againMs = 50;

/** Names of the driver's errors that come before a connection was had. */
const unsent: ReadonlySet<string> = new Set([
  'MongoServerSelectionError',
  'MongoWaitQueueTimeoutError',
  'MongoPoolClearedError',
  'MongoTopologyClosedError',
  'MongoClientClosedError',
]);
/** All labels of one set on an error say that nothing was executed: no connection came to be, or the server
 *  had no room for the command. */
const labelsOfUnsent = [['HandshakeError'], ['SystemOverloadedError', 'RetryableError']];

/** Sends an insert or update command; again, for a while, when certainly nothing was executed: a change of
 *  primary costs time, not an error. Never rejects. */
export async function sendWrite(line: Line, command: Document): Promise<Reply> {
  const until = performance.now() + line.answerMsMax;
  for (;;) {
    const reply = await attempt(line, command);
    if (reply.is !== 'unsent' || !reply.passing || performance.now() + againMs > until) return reply;
    await setTimeout(againMs);
  }
}

async function attempt(line: Line, command: Document): Promise<Reply> {
  try {
    const reply: unknown = await line.db.command({
      ...command,
      writeConcern: { w: 'majority', j: true, wtimeout: line.answerMsMax },
    });
    return answered(line, Object(reply) as { readonly [name: string]: unknown });
  } catch (error) {
    // executed here, and no word yet from a majority
    if (error instanceof MongoWriteConcernError) return answered(line, { ...error.result });
    return ended(error);
  }
}

function answered(line: Line, reply: { readonly [name: string]: unknown }): Reply {
  hear(line, reply['operationTime']);
  const faults = Array.isArray(reply['writeErrors']) ? reply['writeErrors'].map(faultOf) : [];
  const durable = reply['writeConcernError'] === undefined;
  return { is: 'answered', n: Number(reply['n']), faults, durable };
}

function faultOf(given: unknown): Fault {
  const { index, code, errmsg } = Object(given) as { readonly [name: string]: unknown };
  return { index: Number(index), code: Number(code), reason: String(errmsg) };
}

function ended(error: unknown): Reply {
  if (!(error instanceof MongoError)) return { is: 'silent' };
  const labelled = labelsOfUnsent.some((labels) => labels.every((label) => error.hasErrorLabel(label)));
  if (notAllowed.has(error.code)) return { is: 'unsent', passing: false, reason: error.message };
  if (labelled || unsent.has(error.name) || notPrimary.has(error.code)) {
    return { is: 'unsent', passing: true, reason: error.message };
  }
  if (!(error instanceof MongoServerError)) return { is: 'silent' };
  return { is: 'refused', reason: `${String(error.code)} ${String(error.codeName ?? '')}: ${error.message}` };
}

function hear(line: Line, time: unknown): void {
  if (!isTimestamp(time)) return;
  if (line.latest === null || time.greaterThan(line.latest)) line.latest = time;
}

const isTimestamp = (value: unknown): value is Timestamp =>
  typeof value === 'object' && value !== null && '_bsontype' in value && value._bsontype === 'Timestamp';

/** Splits what is to be sent so that each part fits one command. */
export function inParts<Item extends { readonly bytes: number }>(
  items: readonly Item[],
): readonly (readonly Item[])[] {
  const parts: Item[][] = [];
  let bytes = Infinity;
  for (const item of items) {
    const last = parts.at(-1);
    if (last === undefined || last.length >= partItemsMax || bytes + item.bytes > partBytesMax) {
      parts.push([item]);
      bytes = item.bytes;
    } else {
      last.push(item);
      bytes += item.bytes;
    }
  }
  return parts;
}

const partItemsMax = 1000;
/** A command may have 48 MB, statements and all; one document 16 MiB. */
const partBytesMax = 24 * 1024 * 1024;
