/** What the rest of the house must know of one kind of actor. Each kind's folder exports one descriptor; what is a list
 *  of kinds elsewhere - collections, events and their samples, public errors - is derived from them (cast.ts). */
import type { AnyActor, Scope } from '../src/runtime/model/actor.ts';
import type { PublicError } from '../src/kernel/public-error.ts';
import type { Instant } from '../src/kernel/time.ts';
import type { EndpointState } from './webhook-endpoint/messages.ts';

export interface Kind {
  readonly actor: AnyActor;
  /** Collections of the rows it writes beside its documents. */
  readonly rows?: readonly RowCollection[];
  /** The events it emits, each with a sample of its data. */
  readonly events?: { readonly [event: string]: MakeSample };
  /** Codes it may refuse with that are its own, as the API answers them. */
  readonly refusals?: { readonly [code: string]: PublicError };
}

export interface RowCollection {
  readonly kind: string;
  /** Fields of a row's body that lists filter by. */
  readonly indexes: readonly string[];
}

/** Whose sample it is, and when. */
export interface SampleOf {
  readonly eventId: string;
  readonly scope: Scope;
  readonly now: Instant;
  /** The endpoint that is tried. */
  readonly endpoint: { readonly id: string; readonly state: EndpointState };
}

/** Data of an event. */
export type SampleData = { readonly sequence: number; readonly [field: string]: unknown };

/** Made by the functions that make the real data, so what a shop learns to read is what it will get. */
export type MakeSample = (of: SampleOf) => SampleData;

/** Data that is no API object, and its sequence. */
export const bareSample = (data: object): SampleData => ({ sequence: 1, toJSON: () => data });
