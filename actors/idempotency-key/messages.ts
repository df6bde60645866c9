/** What the record of one Idempotency-Key understands. */
import { address, type Address, type Answering } from '../../src/runtime/model/actor.ts';
import { sha256Base32 } from '../../src/kernel/hash.ts';
import type { Instant } from '../../src/kernel/time.ts';

/** The record's id follows from what the key is scoped by, so every node finds the same one. */
export const idempotencyKeyAt = (
  scope: string,
  method: string,
  path: string,
  key: string,
): Address<IdempotencyCommands> => address('idempotency_key', sha256Base32([scope, method, path, key], 24));

/** Among a record's ids: the request that began it. One that gets other ids back repeats an earlier one. Among the ids
 *  a `begin` brings: the request itself, who runs if it is told to. */
export const firstRequest = 'request';

/** What a request brings to its record. */
export interface BeginData {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  /** SHA-256 hex of the canonical body. */
  readonly bodyHash: string;
  /** Ids the target will use should this request be the one that runs. */
  readonly ids: { readonly [name: string]: string };
  /** The node process that runs it; a dead one is taken over at once. */
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
  /** Stores the answer; only the running generation, the first wins. The stored one is what leaves. */
  complete: Answering<CompleteData, CompleteAnswer>;
  /** Nothing was created: the key may be used again with any body. Only who runs can say so; `runner` is left out by
   *  an older version, which then speaks for whoever runs. */
  release: { readonly generation: number; readonly runner?: string };
  /** The answer was 503: whoever comes next takes over at once. Who was never told his generation names himself
   *  alone. */
  yield: { readonly generation: number; readonly runner?: string } | { readonly request: string };
  /** 24 h are over. */
  forget: { readonly key: string };
}

/** What a record holds of its request, until the 24 h are over. */
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
      /** Real time until which the first request is believed to run. */
      readonly until: Instant;
      /** The request that has taken over; absent while the one that began it runs. */
      readonly runner?: string;
    })
  | (RequestFields & {
      readonly status: 'completed';
      readonly statusCode: number;
      readonly body: string;
      readonly sealed: boolean;
      readonly objectId: string | null;
    })
  | ({ readonly status: 'released' } & Pick<RequestFields, 'generation' | 'firstAt' | 'expiresAt'>);

/** What the door does next: run it under these ids, 409, 422, or send the stored answer. */
export type BeginAnswer =
  | { readonly is: 'run'; readonly generation: number; readonly ids: { readonly [name: string]: string } }
  | { readonly is: 'conflict' }
  | { readonly is: 'reused' }
  | { readonly is: 'replay'; readonly generation: number };

/** `stored`: the record holds the answer of this generation, this one or an earlier one; send that.
 *  `over`: the record has moved on (24 h are past, or released); what was brought is true and may leave. */
export type CompleteAnswer = { readonly is: 'stored' } | { readonly is: 'over' };

export interface IdempotencyTypes {
  state: IdempotencyState;
  terminal: never;
  commands: IdempotencyCommands;
  effects: Record<never, never>;
}
