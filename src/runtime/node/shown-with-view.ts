/** What another node shows of an actor gets its view here: the state alone crosses the wire. */
import type { AnyActor } from '../model/actor.ts';
import type { Snapshot } from '../model/client.ts';
import type { Shown } from '../model/envelope.ts';

/** null: this build cannot read it, and reads the store. */
export function shownWithView(
  actor: AnyActor | undefined,
  { state, meta, v, schema }: Shown,
): (Shown & Snapshot) | null {
  if (actor === undefined || schema !== actor.schema) return null;
  try {
    return { state, meta, v, schema, view: actor.view(state as never, meta) };
  } catch {
    // the read that follows reports the view
    return null;
  }
}
