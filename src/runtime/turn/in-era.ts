/** The document with which an actor goes on after a restore (docs/decisions/0060). */
import type { Doc } from '../../store/store.ts';
import type { AnyActor } from '../model/actor.ts';
import { eraOfQ, eraStep, qBefore, type Eras } from '../model/era.ts';

/** The same document when it is in this era already. It is committed with whatever the turn changes, or not at all:
 *  then the next turn begins so again. */
export function inEra(actor: AnyActor, doc: Doc, eras: Eras): Doc {
  const since = eras.slice(eraOfQ(doc.oq));
  if (since.length === 0) return doc;
  const { body, eseq } = doc;
  return {
    ...doc,
    body: body === null ? null : ((actor.restored?.(body as never, since) ?? body) as Doc['body']),
    oq: Math.max(doc.oq, qBefore(eras.length)),
    eseq: eseq + since.length * eraStep,
  };
}
