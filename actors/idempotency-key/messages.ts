/** The commands of the record of one Idempotency-Key. */
import { address, type Address, type Answering } from '../../src/runtime/model/actor.ts';
import { sha256Base32 } from '../../src/kernel/hash.ts';
import { hours, type DurationMs, type Instant } from '../../src/kernel/time.ts';

/** The record's id is derived from what the key is scoped by, so that every node finds the same record. */
export const idempotencyKeyAt = (
  scope: string,
  method: string,
  path: string,
  key: string,
): Address<IdempotencyCommands> => address('idempotency_key', sha256Base32([scope, method, path, key], 24));

/** In a record's ids: the request that created it; a request that receives other ids repeats an earlier
 *  one. In the ids of a `begin`: the request itself, which becomes the runner if it is told to run. */
export const firstRequest = 'request';

/** How long a key lives: from the first request, on the project's clock. */
export const lifeMs: DurationMs = hours(24);

/** What a request sends to its record. */
export interface BeginData {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  /** SHA-256 hex of the canonical body. */
  readonly bodyHash: string;
  /** Ids for the target if this request is the one that runs. */
  readonly ids: { readonly [name: string]: string };
  /** The node process that runs it; if that process is dead, the next request takes over at once. */
  readonly incarnation: string;
  readonly incarnationsAlive: readonly string[];
  readonly realNow: Instant;
}

/** The answer of the running generation. */
export interface CompleteData {
  readonly generation: number;
  readonly status: number;
  /** The body as text; sealed when it holds a secret. */
  readonly body: string;
  readonly sealed: boolean;
  readonly objectId: string | null;
}

export interface IdempotencyCommands {
  begin: Answering<BeginData, BeginAnswer>;
  /** The same of a record that lives longer than a day. A build that does not know it executes nothing. */
  beginFor: Answering<BeginData & { readonly lifeMs: DurationMs }, BeginAnswer>;
  /** The same while nodes change over to sessions that are their own record: a record that does not live is closed,
   *  and then no request begins one any more. */
  close: Answering<BeginData, BeginAnswer>;
  /** Stores the answer; only from the running generation, and the first wins. The stored answer is sent to
   *  the client. */
  complete: Answering<CompleteData, CompleteAnswer>;
  /** Nothing was created: the key may be used again with any body. Only the runner can report this; an
   *  older version omits `runner` and then speaks for the current runner. */
  release: { readonly generation: number; readonly runner?: string };
  /** The answer was 503: the next request takes over at once. A request that never received its generation
   *  can only name itself. */
  yield: { readonly generation: number; readonly runner?: string } | { readonly request: string };
  /** The 24 h are over. */
  forget: { readonly key: string };
}

/** What a record keeps of its request, until the 24 h are over. */
interface RequestFields {
  readonly generation: number;
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly bodyHash: string;
  readonly ids: { readonly [name: string]: string };
  readonly firstAt: Instant;
  readonly expiresAt: Instant;
}

export type IdempotencyState =
  | (RequestFields & {
      readonly status: 'running';
      readonly incarnation: string;
      /** Real time until which the first request is assumed to run. */
      readonly until: Instant;
      /** The request that has taken over; absent while the first one runs. */
      readonly runner?: string;
    })
  | (RequestFields & {
      readonly status: 'completed';
      readonly statusCode: number;
      readonly body: string;
      readonly sealed: boolean;
      readonly objectId: string | null;
    })
  | ({ readonly status: 'released' } & Pick<RequestFields, 'generation' | 'firstAt' | 'expiresAt'>)
  | ({ readonly status: 'closed' } & Pick<RequestFields, 'generation' | 'firstAt' | 'expiresAt'>);

/** What the gateway does next: run the request under these ids, answer 409 or 422, or send the stored
 *  answer. `closed`: there is no record; the object that the request creates is its own. */
export type BeginAnswer =
  | { readonly is: 'run'; readonly generation: number; readonly ids: { readonly [name: string]: string } }
  | { readonly is: 'conflict' }
  | { readonly is: 'closed' }
  | { readonly is: 'reused' }
  | { readonly is: 'replay'; readonly generation: number };

/** `stored`: the record holds the answer of this generation, this one or an earlier one; send that. `over`:
 *  the record has moved on (24 h have passed, or it was released); the new answer is correct and may be
 *  sent. */
export type CompleteAnswer = { readonly is: 'stored' } | { readonly is: 'over' };

export interface IdempotencyTypes {
  state: IdempotencyState;
  terminal: never;
  commands: IdempotencyCommands;
  effects: Record<never, never>;
}
