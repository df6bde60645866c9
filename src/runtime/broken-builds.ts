/** Deliberately broken builds: each flips one line of the runtime, and the simulation must catch it, else its clean
 *  runs would mean nothing. Never set outside tests. */
import type { Doc } from '../store/store.ts';

export interface BrokenBuild {
  /** Answers leave before their commit. */
  readonly replyBeforeCommit?: boolean;
  /** What must follow a commit is kept in memory alone. */
  readonly noOutbox?: boolean;
  /** A new owner answers from what an older epoch wrote. */
  readonly noStamp?: boolean;
  /** After giving a partition away a node goes on answering for it. */
  readonly answerAfterHandOff?: boolean;
  /** What one copy proved is taken for the whole command. */
  readonly movedIsProof?: boolean;
}

/** The broken build that keeps what must follow in memory alone. */
export function withoutOutbox(doc: Doc): Doc {
  const out = doc.out.filter((row) => row.type === 'row');
  return { ...doc, out, busy: out.length > 0 || (doc.busy && doc.out.length === 0) };
}
