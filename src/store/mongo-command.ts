/** One write command and all its possible outcomes.
 *  Boundary: talks to the driver; mongo-commit.ts and mongo-rows.ts interpret an outcome for a document.
 *  1. One command, one attempt: the client's own retries are off (mongo-connect.ts), so an answer covers
 *     everything that was sent. Only a command that was certainly not executed is retried.
 *  2. `unsent` is proof; anything else that is not an answer proves nothing.
 *  3. Acknowledged means that a majority has it on disk.
 *  4. The operation time of every answer is noted, also of an error. */
import { setTimeout } from 'node:timers/promises';
import {
  BSON,
  MongoError,
  MongoServerError,
  MongoWriteConcernError,
  type Db,
  type Document,
  type Timestamp,
} from 'mongodb';
import type { DurationMs } from '../kernel/time.ts';

/** The result of one statement of a command. */
export interface Fault {
  readonly index: number;
  readonly code: number;
  readonly reason: string;
}

export type Reply =
  /** Executed. `n`: how many statements found or created their document; `durable`: a majority has it. */
  | {
      readonly is: 'answered';
      readonly n: number;
      readonly faults: readonly Fault[];
      readonly durable: boolean;
    }
  /** The whole command was rejected, perhaps in the middle: part of it may have been applied. */
  | { readonly is: 'refused'; readonly reason: string }
  /** Certainly nothing was executed. `passing`: the cause is temporary. */
  | { readonly is: 'unsent'; readonly passing: boolean; readonly reason: string }
  /** The same, and it never will be: the driver cannot write this command. */
  | { readonly is: 'unsendable'; readonly reason: string }
  | { readonly is: 'silent' };

/** A database, its time limit for an answer, and the latest operation time this process has seen. */
export interface Line {
  readonly db: Db;
  readonly answerMsMax: DurationMs;
  /** The newest operation time seen; lists read nothing older. */
  latest: Timestamp | null;
}

/** A server that is not primary reports this before it changes anything; soon it or another one will be
 *  primary. */
const notPrimary: ReadonlySet<unknown> = new Set([10107, 10058, 13435, 13436]);
/** A server that does not authorise this user also reports it first; this error is permanent. */
const notAllowed: ReadonlySet<unknown> = new Set([13, 18, 8000]);

/** The interval before a retry of what was certainly not executed, within the time limit for an answer. */
const againMs = 50;

/** Names of the driver's errors that occur before a connection is available. */
const unsent: ReadonlySet<string> = new Set([
  'MongoServerSelectionError',
  'MongoWaitQueueTimeoutError',
  'MongoPoolClearedError',
  'MongoTopologyClosedError',
  'MongoClientClosedError',
]);
/** If all labels of one set are on an error, nothing was executed: no connection was established, or the
 *  server had no capacity for the command. */
const labelsOfUnsent = [['HandshakeError'], ['SystemOverloadedError', 'RetryableError']];

/** Sends an insert, update or delete command. Retries for a while when certainly nothing was executed, so that a
 *  change of primary causes a delay, not an error. Never rejects. */
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
    // executed here, but not yet confirmed by a majority
    if (error instanceof MongoWriteConcernError) return answered(line, { ...error.result });
    // a command that failed may have been executed in part: no list may be older than that
    if (error instanceof MongoServerError) noteOperationTime(line, Reflect.get(error, 'operationTime'));
    return error instanceof MongoError ? ended(error) : thrownAt(command, error);
  }
}

function answered(line: Line, reply: { readonly [name: string]: unknown }): Reply {
  noteOperationTime(line, reply['operationTime']);
  const faults = Array.isArray(reply['writeErrors']) ? reply['writeErrors'].map(faultOf) : [];
  const durable = reply['writeConcernError'] === undefined;
  return { is: 'answered', n: Number(reply['n']), faults, durable };
}

function faultOf(given: unknown): Fault {
  const { index, code, errmsg } = Object(given) as { readonly [name: string]: unknown };
  return { index: Number(index), code: Number(code), reason: String(errmsg) };
}

/** An error that is not of the driver's conversation with a server: nothing was sent if the command cannot be written.
 *  Otherwise it may have come from reading an answer. */
function thrownAt(command: Document, error: unknown): Reply {
  if (isWritable(command)) return { is: 'silent' };
  return { is: 'unsendable', reason: error instanceof Error ? error.message : String(error) };
}

function isWritable(command: Document): boolean {
  try {
    return BSON.calculateObjectSize(command) <= bodyBytesMax && BSON.serialize(command).length > 0;
  } catch {
    return false;
  }
}

function ended(error: MongoError): Reply {
  const labelled = labelsOfUnsent.some((labels) => labels.every((label) => error.hasErrorLabel(label)));
  if (notAllowed.has(error.code)) return { is: 'unsent', passing: false, reason: error.message };
  if (labelled || unsent.has(error.name) || notPrimary.has(error.code)) {
    return { is: 'unsent', passing: true, reason: error.message };
  }
  if (!(error instanceof MongoServerError)) return { is: 'silent' };
  return { is: 'refused', reason: `${String(error.code)} ${String(error.codeName ?? '')}: ${error.message}` };
}

function noteOperationTime(line: Line, time: unknown): void {
  if (!isTimestamp(time)) return;
  if (line.latest === null || time.greaterThan(line.latest)) line.latest = time;
}

const isTimestamp = (value: unknown): value is Timestamp =>
  typeof value === 'object' && value !== null && '_bsontype' in value && value._bsontype === 'Timestamp';

/** Splits the statements so that each part fits one command. */
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
/** The driver puts the statements of a command into its body, which may have so much. */
const bodyBytesMax = 16 * 1024 * 1024 + 16 * 1024;
/** A record that is larger than this goes by itself. */
const partBytesMax = 12 * 1024 * 1024;
