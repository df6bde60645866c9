/** Deliberately broken builds: each flips one line of the runtime, and the simulation must catch it, else its clean
 *  runs would mean nothing. Never set outside tests. */
import type { Doc } from '../../store/store.ts';

export interface BrokenBuild {
  /** Answers leave before their commit. */
  readonly replyBeforeCommit?: boolean;
  /** What must follow a commit is kept in memory alone. */
  readonly noOutbox?: boolean;
  /** A new owner answers from what an older epoch wrote. */
  readonly noStamp?: boolean;
  /** A node goes on answering when its session has ended and its partitions may be in other hands. */
  readonly answerAfterHandOff?: boolean;
  /** A test clock walks while other nodes may still believe that it rests. */
  readonly walksAtOnce?: boolean;
  /** What a later copy proved of itself is taken for the whole command, though an earlier one stayed silent. */
  readonly movedIsProof?: boolean;
  /** The copy after a silent one goes as a command of its own. */
  readonly repeatsAsNew?: boolean;
}

/** The broken build that keeps what must follow in memory alone. */
export function withoutOutbox(doc: Doc): Doc {
  const out = doc.out.filter((row) => row.type === 'row');
  return { ...doc, out, busy: out.length > 0 || (doc.busy && doc.out.length === 0) };
}
