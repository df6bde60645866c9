/** The state of single members of the simulated replica set, beside the majority's state: a secondary that
 *  lags behind, a primary that was cut off and will roll back.
 *  1. Reads used for decisions are linearizable and never use this; only the broken build reads from one
 *     member.
 *  2. A state here was never acknowledged, or it is an earlier state of the majority. */
import type { DurationMs, Instant } from '../../../src/kernel/time.ts';
import type { Doc } from '../../../src/store/store.ts';

/** Past states kept of one document. */
const pastMax = 16;

interface Past {
  /** Until when the majority had this state. */
  readonly until: Instant;
  /** null: there was none. */
  readonly text: string | null;
}

interface Forked {
  readonly text: string;
  /** When that primary steps down and rolls it back. */
  readonly until: Instant;
}

export class Replicas {
  /** The broken build: reads used for decisions are answered by any member. */
  localRead = false;
  private readonly past = new Map<string, Past[]>();
  private readonly forked = new Map<string, Forked>();

  /** Called when the majority's state changes; `before` is the previous state. */
  replaced({ kind, id }: Named, before: string | null, now: Instant): void {
    const name = `${kind}/${id}`;
    const past = this.past.get(name) ?? [];
    past.push({ until: now, text: before });
    if (past.length > pastMax) past.shift();
    this.past.set(name, past);
  }

  /** A write that reaches only a primary without its majority; it is never acknowledged, and it is rolled
   *  back. */
  fork(doc: Doc, text: string, until: Instant): void {
    this.forked.set(`${doc.kind}/${doc.id}`, { text, until });
  }

  /** The state of a member this far behind; `truth` is the majority's state. */
  local({ kind, id }: Named, truth: Doc | null, lagMs: DurationMs, now: Instant): Doc | null {
    const name = `${kind}/${id}`;
    const forked = this.forked.get(name);
    if (forked !== undefined && now < forked.until) return JSON.parse(forked.text) as Doc;
    const past = this.past.get(name)?.find(({ until }) => until > now - lagMs);
    if (past === undefined) return truth;
    return past.text === null ? null : (JSON.parse(past.text) as Doc);
  }
}

interface Named {
  readonly kind: string;
  readonly id: string;
}
