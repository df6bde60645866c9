/** Deliberately broken builds: each changes one line of the runtime, and the simulation must detect it;
 *  otherwise its clean runs would prove nothing. Never set outside tests. */
import type { Doc, Row } from '../../store/store.ts';
import type { AnyEffectRow } from './actor.ts';

export interface BrokenBuild {
  /** Answers are sent before their commit. */
  readonly replyBeforeCommit?: boolean;
  /** What must follow a commit is kept in memory only. */
  readonly noOutbox?: boolean;
  /** A new owner answers from what an older epoch wrote. */
  readonly noStamp?: boolean;
  /** A node still answers when its session has ended and other nodes may own its partitions. */
  readonly answerAfterHandOff?: boolean;
  /** A test clock walks while other nodes may still assume that it is at rest. */
  readonly walksAtOnce?: boolean;
  /** Proof about a later copy is taken as proof about the whole command, though an earlier copy got no
   *  answer. */
  readonly movedIsProof?: boolean;
  /** The copy after an unanswered one is sent as a new command. */
  readonly repeatsAsNew?: boolean;
  /** Every effect may run before its commit, as only reads may. */
  readonly callsBeforeCommit?: boolean;
  /** An effect that may run only once is run again when its result is unknown. */
  readonly callsAgain?: boolean;
  /** Readers of a journal pass positions whose commits have not ended. */
  readonly readsPastGaps?: boolean;
}

/** Whether the effect may run only once. */
export const isOnce = ({ mode }: Pick<AnyEffectRow, 'mode'>, { callsAgain }: BrokenBuild): boolean =>
  mode === 'atMostOnce' && callsAgain !== true;

/** The broken build that keeps what must follow in memory only. */
export function withoutOutbox(doc: Doc): Doc {
  const out = doc.out.filter((row) => row.type === 'row');
  return { ...doc, out, busy: out.length > 0 || (doc.busy && doc.out.length === 0) };
}

/** The same for the events that are rows of the commit. */
export const withoutEvents = (rows: readonly Row[]): readonly Row[] =>
  rows.filter(({ kind }) => kind !== 'journal');
