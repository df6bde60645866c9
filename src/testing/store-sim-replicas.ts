/** What single members of the simulated replica set hold, beside the truth that a majority holds: a secondary that is
 *  behind, a primary that was cut off and will forget (rollback).
 *  1. Reads that decide are linearizable and never come here; only the broken build reads what one member says.
 *  2. Nothing here was ever acknowledged, or it is the truth's own past. */
import type { DurationMs, Instant } from '../kernel/time.ts';
import type { Doc } from '../store/store.ts';

/** Past states kept of one document. */
const pastMax = 16;

interface Past {
  /** Until when the truth was this. */
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
  /** The broken build: deciding reads take what the next member says. */
  localRead = false;
  private readonly past = new Map<string, Past[]>();
  private readonly forked = new Map<string, Forked>();

  /** Called when the truth changes; `before` is what stood until now. */
  replaced({ kind, id }: Named, before: string | null, now: Instant): void {
    const name = `${kind}/${id}`;
    const past = this.past.get(name) ?? [];
    past.push({ until: now, text: before });
    if (past.length > pastMax) past.shift();
    this.past.set(name, past);
  }

  /** A write that reaches only a primary without its majority; nobody ever hears of it, and it is rolled back. */
  fork(doc: Doc, text: string, until: Instant): void {
    this.forked.set(`${doc.kind}/${doc.id}`, { text, until });
  }

  /** What a member this far behind shows; `truth` is what the majority holds. */
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
