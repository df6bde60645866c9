/** What the store holds for one actor, in this build's shape.
 *  1. A store that does not answer is asked until it does. A document that is stored but unreadable is
 *     requested only once. */
import { Backoff } from '../../kernel/backoff.ts';
import type { Scheduler } from '../../kernel/time.ts';
import { DocumentUnreadable, type Doc, type Store } from '../../store/store.ts';
import type { AnyActor } from '../model/actor.ts';
import { memoryOf } from '../turn/seen.ts';
import { upcasted } from '../model/upcast.ts';

const askAgainMsMin = 20;
const askAgainMsMax = 1000;

export interface StoredDoc {
  /** In this build's shape, or in its stored form when this build cannot upcast it; null when there is none
   *  or its text is damaged. */
  readonly doc: Doc | null;
  /** Why it cannot be read; null when it can. */
  readonly unreadable: Error | null;
}

/** Resolves when the store has answered; `onNoAnswer` is called each time it did not. */
export async function storedDoc(
  parts: { readonly store: Pick<Store, 'read'>; readonly scheduler: Scheduler },
  actor: AnyActor,
  id: string,
  onNoAnswer: (thrown: unknown) => void,
): Promise<StoredDoc> {
  for (const backoff = new Backoff(parts.scheduler, askAgainMsMin, askAgainMsMax); ; await backoff.wait()) {
    try {
      return lifted(actor, await parts.store.read(actor.kind, id));
    } catch (thrown) {
      if (thrown instanceof DocumentUnreadable) return { doc: null, unreadable: thrown };
      onNoAnswer(thrown);
    }
  }
}

/** An older build stored the list of remembered senders in another shape. */
function withMemory(doc: Doc): Doc {
  const seen = memoryOf(doc.seen);
  return seen === doc.seen ? doc : { ...doc, seen };
}

function lifted(actor: AnyActor, doc: Doc | null): StoredDoc {
  try {
    return { doc: doc === null ? null : withMemory(upcasted(actor, doc)), unreadable: null };
  } catch (thrown) {
    return { doc, unreadable: thrown instanceof Error ? thrown : new Error(String(thrown)) };
  }
}
