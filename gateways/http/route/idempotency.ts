/** A POST with an Idempotency-Key takes effect once.
 *  Boundary: between the checked request and its handler; the record itself is an actor, `idempotency_key`.
 *  Sessions of POST /v1/checkout are their own record (keyed-sessions.ts).
 *  1. The record stores the new objects' ids and its generation before anything is executed. The identity of
 *     the command follows from the generation, so a repeat finds what was done.
 *  2. A result, a 409, a 422 and a 500 are stored before they are sent. Where the record already holds the
 *     answer of another run of this generation, that one is sent.
 *  3. Any other 4xx proves that nothing was created: it is not stored, and the key is free again. After a 503
 *     the record stays running, and the next request with the key takes it over with the same ids. */
import {
  firstRequest,
  idempotencyKeyAt,
  type BeginAnswer,
  type IdempotencyCommands,
  type IdempotencyState,
} from '../../../actors/idempotency-key/messages.ts';
import { errors, type ErrorCode } from '../../../src/errors.ts';
import { canonicalJson } from '../../../src/kernel/canonical-json.ts';
import { sha256Hex } from '../../../src/kernel/hash.ts';
import type { Seal } from '../../../src/kernel/seal.ts';
import { pause, seconds, type DurationMs, type Scheduler } from '../../../src/kernel/time.ts';
import type { Address } from '../../../src/runtime/model/address.ts';
import type { AskResult } from '../../../src/runtime/model/envelope.ts';
import type { Asking, Client } from '../../../src/runtime/model/client.ts';
import { refusalOf, refused, unavailable, type Answer, type Refused } from './answer.ts';
import type { Caller } from '../access/auth.ts';
import type { DoorReply } from '../../server/door.ts';
import { conflictReply, jsonReply } from './reply.ts';
import type { JsonObject } from './request.ts';

export const isIdempotencyKey = (text: string): boolean => /^[\x21-\x7e]{1,255}$/.test(text);

export interface Ids {
  readonly [name: string]: string;
}

/** A request to run once. */
export interface Keyed {
  readonly key: string;
  readonly caller: Caller;
  readonly method: string;
  /** As sent, with its ids. */
  readonly path: string;
  /** The whole input, unknown fields included. */
  readonly body: JsonObject;
  /** A file that came beside it, as bytes. */
  readonly file: Buffer | null;
  /** Used if this request is the one that runs. */
  readonly ids: Ids;
  readonly requestId: string;
  /** Actors asked by the request that outlive it. */
  readonly outlivedBy: readonly Address[];
}

/** Permission to run, with the ids and the identity of the record. */
export interface Run {
  readonly is: 'run';
  readonly ids: Ids;
  readonly asking: Pick<Asking, 'identity' | 'again'>;
  readonly record: KeyRecord;
  readonly generation: number;
  /** The request that runs it: this one. */
  readonly runner: string;
  readonly caller: Caller;
  readonly outlivedBy: readonly Address[];
}

export type KeyRecord = Address<IdempotencyCommands>;

/** Do not run: send this answer. */
export type Settled = { readonly is: 'reply'; readonly reply: DoorReply } | Refused;

/** There is no record, and none begins any more: the object that the request creates is its own. */
export interface Closed {
  readonly is: 'closed';
}

export interface Idempotency {
  begin(keyed: Keyed): Promise<Run | Settled | Closed>;
  /** The same, but only where a record lives; otherwise none begins here any more. */
  close(keyed: Keyed): Promise<Run | Settled | Closed>;
  /** Settles the record with the answer found and returns the final reply. `rendered` is that answer as a
   *  reply. */
  finish(run: Run, answer: Answer, rendered: DoorReply): Promise<DoorReply | Refused>;
}

export interface IdempotencyOptions {
  readonly client: Client;
  readonly seal: Seal;
  /** Real time. */
  readonly scheduler: Scheduler;
  /** Absent: those of `Idempotency-Key`. */
  readonly records?: Records;
}

/** Which record a request has, and how long it keeps which answers. */
export interface Records {
  at(keyed: Keyed): KeyRecord;
  hashOf(keyed: Keyed): string;
  askingOf(caller: Caller): Pick<Asking, 'by' | 'scope'>;
  /** null: a day on the clock of its project. */
  readonly lifeMs: DurationMs | null;
  fateOf(code: ErrorCode): Fate;
}

/** The effect on the record of an answer that is not a result. */
export type Fate = 'keep' | 'release' | 'yield';

const ofHeader: Records = {
  at: ({ caller, method, path, key }) => idempotencyKeyAt(caller.scope, method, path, key),
  hashOf,
  askingOf: ({ scope }) => ({ by: 'merchant', scope }),
  lifeMs: null,
  fateOf(code) {
    const { status } = errors[code];
    if (status === 503) return 'yield';
    return status === 409 || status === 422 || status === 500 ? 'keep' : 'release';
  },
};

/** How long an answer waits for its record to be released. */
const letGoMsMax: DurationMs = 500;
const letGoAgainMs: DurationMs = seconds(1);
/** After this time a record counts as abandoned. */
const heldMsMax: DurationMs = seconds(30);

export const createIdempotency = (options: IdempotencyOptions): Idempotency => ({
  begin: (keyed) => begin(options, keyed, 'begin'),
  close: (keyed) => begin(options, keyed, 'close'),
  finish: (run, answer, rendered) => finish(options, run, answer, rendered),
});

async function begin(
  options: IdempotencyOptions,
  keyed: Keyed,
  how: 'begin' | 'close',
): Promise<Run | Settled | Closed> {
  const { client, scheduler, records = ofHeader } = options;
  const { caller, method, path, key, requestId } = keyed;
  const record = records.at(keyed);
  const ids = { ...keyed.ids, [firstRequest]: requestId };
  const data = {
    key,
    method,
    path,
    bodyHash: records.hashOf(keyed),
    ids,
    incarnation: client.incarnation,
    incarnationsAlive: client.incarnationsAlive,
    realNow: scheduler.now(),
  };
  const onLate = (late: AskResult<BeginAnswer>): void => leave(options, record, keyed, late);
  const asking = { ...records.askingOf(caller), onLate };
  const { lifeMs } = records;
  const result = await (lifeMs === null
    ? client.ask(record, how, data, asking)
    : client.ask(record, 'beginFor', { ...data, lifeMs }, asking));
  // it may have begun, or may still begin: a later request must not wait 30 s for a handler that has stopped
  if (result.is === 'unknown') void letGo(options, record, caller, { request: requestId });
  if (result.is !== 'ok') return refusalOf(result);
  const begun = result.detail;
  switch (begun.is) {
    case 'closed':
      return { is: 'closed' };
    case 'conflict':
      return { is: 'reply', reply: conflictReply() };
    case 'reused':
      return refused('idempotency_key_reused');
    case 'replay':
      return (await stored(options, caller, record)) ?? unavailable;
    case 'run':
      return {
        is: 'run',
        record,
        caller,
        outlivedBy: keyed.outlivedBy,
        generation: begun.generation,
        runner: requestId,
        ids: begun.ids,
        asking: {
          identity: { from: `k:${record.id}`, seq: begun.generation, done: begun.generation - 1 },
          again: begun.ids[firstRequest] !== requestId,
        },
      };
  }
}

/** Of all that was sent. */
export function hashOf({ body, file }: Pick<Keyed, 'body' | 'file'>): string {
  const fields = canonicalJson(body);
  return sha256Hex(file === null ? fields : `${fields}\n${sha256Hex(file)}`);
}

/** The record was begun after all, but its handler has stopped: the next request takes it over at once. */
function leave(
  options: IdempotencyOptions,
  record: KeyRecord,
  { caller, requestId: runner }: Keyed,
  result: AskResult<BeginAnswer>,
): void {
  const begun = result.is === 'ok' ? result.detail : null;
  if (begun?.is === 'run') void letGo(options, record, caller, { generation: begun.generation, runner });
}

/** Tells the record that its handler has stopped. Retries until the record has accepted it, a node is sure
 *  to deliver it, or the record would expire anyway. Never rejects. */
async function letGo(
  { client, scheduler, records = ofHeader }: IdempotencyOptions,
  record: KeyRecord,
  caller: Caller,
  who: IdempotencyCommands['yield'],
): Promise<void> {
  const until = scheduler.steady() + heldMsMax;
  while ((await client.hint(record, 'yield', who, records.askingOf(caller))) === 'lost') {
    if (scheduler.steady() >= until) return;
    await pause(scheduler, letGoAgainMs);
  }
}

/** The record's stored answer as a reply; null when it holds none any more. */
async function stored(
  { client, seal, records = ofHeader }: IdempotencyOptions,
  caller: Caller,
  record: KeyRecord,
): Promise<Settled | null> {
  const found = await client.read<IdempotencyState>(record, records.askingOf(caller).scope);
  if (found === null || found.state.status !== 'completed') return null;
  const text = storedText(seal, record.id, found.state);
  return { is: 'reply', reply: jsonReply(found.state.statusCode, text, { 'Idempotent-Replayed': 'true' }) };
}

type Completed = Extract<IdempotencyState, { status: 'completed' }>;

/** The stored body of a record, decrypted. */
export const storedText = (seal: Seal, recordId: string, { body, sealed }: Completed): string =>
  sealed ? seal.open(body, aboutRecord(recordId)) : body;

/** Associated data (AEAD) of a sealed body. */
const aboutRecord = (recordId: string): string => `idempotency ${recordId}`;

async function finish(
  options: IdempotencyOptions,
  run: Run,
  answer: Answer,
  rendered: DoorReply,
): Promise<DoorReply | Refused> {
  const { client, seal, scheduler, records = ofHeader } = options;
  const { record, generation, runner, caller } = run;
  const asking: Asking = records.askingOf(caller);
  const fate = answer.is === 'done' ? 'keep' : records.fateOf(answer.code);
  if (fate === 'yield') {
    // normally the key is free when the 503 is sent; if there is no record to tell, the client does not wait
    // for it
    const free = letGo(options, record, caller, { generation, runner });
    await Promise.race([free, pause(scheduler, letGoMsMax)]);
    return rendered;
  }
  if (fate === 'release') {
    // whatever the result, the answer is final: at worst the key is busy for 30 s more
    await client.ask(record, fate, { generation, runner }, asking);
    forget(client, run);
    return rendered;
  }
  const secret = answer.is === 'done' && answer.secret;
  const text = typeof rendered.body === 'string' ? rendered.body : '';
  const result = await client.ask(
    record,
    'complete',
    {
      generation,
      status: rendered.status,
      sealed: secret,
      body: secret ? seal.seal(text, aboutRecord(record.id)) : text,
      objectId: answer.is === 'done' ? answer.objectId : null,
    },
    asking,
  );
  if (result.is !== 'ok') {
    // do not wait 30 s for an answer that may exist: the next request takes the record over
    void letGo(options, record, caller, { generation, runner });
    return unavailable;
  }
  forget(client, run);
  const kept = result.detail.is === 'stored' ? await stored(options, caller, record) : null;
  return kept === null || kept.is !== 'reply' || kept.reply.body === text ? rendered : kept.reply;
}

/** Actors that outlive the request may forget the key now; otherwise a project would keep every key of a
 *  day. */
function forget(client: Client, { outlivedBy, asking: { identity } }: Run): void {
  if (identity !== undefined) for (const to of outlivedBy) client.settled(to, identity);
}
