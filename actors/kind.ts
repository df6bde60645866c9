/** What the rest of the service must know about one kind of actor. The file of each table exports its descriptor, or a
 *  `kind.ts` beside it; all other lists of kinds - collections, events and their samples, public errors - are derived
 *  from the descriptors (cast.ts). */
import type { AnyActor, IndexedField, Scope, ValuesOf } from '../src/runtime/model/actor.ts';
import type { PublicError } from '../src/kernel/public-error.ts';
import type { DurationMs, Instant } from '../src/kernel/time.ts';
import type { EndpointState } from './webhook-endpoint/messages.ts';

export interface Kind {
  readonly actor: AnyActor;
  /** How long its documents are kept after their creation, on the clock of their project. Then they are removed
   *  for good as soon as they are at rest. Without it they have no end. */
  readonly keptMs?: DurationMs;
  /** Collections of the rows it writes beside its documents. */
  readonly rows?: readonly RowCollection[];
  /** The events it emits, each with a sample of its data. */
  readonly events?: { readonly [event: string]: MakeSample };
  /** The refusal codes of this kind, as the API answers them. */
  readonly refusals?: { readonly [code: string]: PublicError };
}

export interface RowCollection {
  readonly kind: string;
  /** Fields of a row's body that lists filter by. */
  readonly indexes: readonly IndexedField[];
  /** `byField`, of insert-only rows alone: they are looked for by the first of `indexes`, never by id and never
   *  through all of a scope. */
  readonly listed?: 'byField';
  /** Those of `indexes` that lists may be ordered by, newest first. */
  readonly orders?: readonly string[];
  /** How long its rows are kept after their creation; without it they have no end. */
  readonly kept?: KeptRows;
}

export interface KeptRows {
  readonly ms: DurationMs;
  /** Only rows in which this indexed field has one of these values; the others have no end. */
  readonly only?: ValuesOf;
  /** Their age is counted in real time, not on the clock of their project. */
  readonly realTime?: true;
}

/** The owner and the time of a sample. */
export interface SampleOf {
  readonly eventId: string;
  readonly scope: Scope;
  readonly now: Instant;
  /** The endpoint that is tested. */
  readonly endpoint: { readonly id: string; readonly state: EndpointState };
}

/** Data of an event. */
export type SampleData = { readonly sequence: number; readonly [field: string]: unknown };

/** Built by the functions that build the real data, so that what a merchant tests against equals what it
 *  will receive. */
export type MakeSample = (of: SampleOf) => SampleData;

/** Data that is not an API object, and its sequence. */
export const bareSample = (data: object): SampleData => ({ sequence: 1, toJSON: () => data });
