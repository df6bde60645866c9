/** Writes a document in an older schema, so that every living node can read it.
 *  1. A document written this way reads back as exactly the same state: nothing is lost. Otherwise it is
 *     not written.
 *  2. A document already stored in a newer schema may stay in it: nodes that cannot read it have handed it
 *     over.
 *  3. An actor without `downcast` is written in its own schema as soon as every living node knows its kind,
 *     and nodes that cannot read that schema hand it over. */
import { isDeepStrictEqual } from 'node:util';
import type { AnyActor, Json } from './actor.ts';

type Body = { readonly [key: string]: Json };

/** The schemas the nodes of a cluster support, and the schema of the stored document. */
export interface Readers {
  /** The newest schema of this kind that every living node reads; 0: one of them does not know the kind. */
  readonly readByAll: number;
  /** The schema the document is stored in; 0: there is none yet. */
  readonly storedIn: number;
}

/** The schema to write a state in; null: it cannot be written now, because a living node could not read it. */
export function schemaFor(actor: AnyActor, state: Body, { readByAll, storedIn }: Readers): number | null {
  const lowest = Math.min(readByAll, actor.schema);
  if (lowest === actor.schema || (lowest > 0 && actor.downcast === undefined)) return actor.schema;
  // a node that reads the lowest common schema also reads older ones
  const able = [lowest, storedIn].find((to) => lowered(actor, state, to) !== null);
  return able ?? null;
}

/** The state in schema `to`; null when it would not read back as the same state. */
export function lowered(actor: AnyActor, state: Body, to: number): Body | null {
  if (to === actor.schema) return state;
  const low = to < 1 ? null : (actor.downcast?.(state as never, to) ?? null);
  if (low === null || actor.upcast === undefined) return null;
  const stored = asStored(low);
  return isDeepStrictEqual(asStored(actor.upcast(stored, to)), asStored(state)) ? (stored as Body) : null;
}

const asStored = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;
