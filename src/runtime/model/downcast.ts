/** Says a document in an older schema, so that every node that lives can read what is written.
 *  1. What is written so reads back as the very same state: nothing is lost on the way. What cannot is not written.
 *  2. A document that stands in a newer schema already may stay in it: who cannot read it has handed it over.
 *  3. An actor without `downcast` is written in its own schema at once, and older nodes hand it over. */
import { isDeepStrictEqual } from 'node:util';
import type { AnyActor, Json } from './actor.ts';

type Body = { readonly [key: string]: Json };

/** What the nodes of a cluster understand, and how a document stands now. */
export interface Readers {
  /** The newest schema of this kind that every living node reads; 0: one of them does not know the kind. */
  readonly readByAll: number;
  /** The schema the document is stored in; 0: there is none yet. */
  readonly storedIn: number;
}

/** The schema a state is to be written in; null: not now, some node that lives could not read it. */
export function schemaFor(actor: AnyActor, state: Body, { readByAll, storedIn }: Readers): number | null {
  const lowest = Math.min(readByAll, actor.schema);
  if (lowest === actor.schema || (lowest > 0 && actor.downcast === undefined)) return actor.schema;
  // who reads the lowest reads what is older, too
  const able = [lowest, storedIn].find((to) => lowered(actor, state, to) !== null);
  return able ?? null;
}

/** The state in schema `to`; null when that does not come back as the same state. */
export function lowered(actor: AnyActor, state: Body, to: number): Body | null {
  if (to === actor.schema) return state;
  const low = to < 1 ? null : (actor.downcast?.(state as never, to) ?? null);
  if (low === null || actor.upcast === undefined) return null;
  const stored = asStored(low);
  return isDeepStrictEqual(asStored(actor.upcast(stored, to)), asStored(state)) ? (stored as Body) : null;
}

const asStored = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;
