/** Actors that are at rest: what each has committed, as one text. An actor at rest has no parts; the next command or
 *  read makes them from the text, without asking the store.
 *  1. A text is what the store holds, written or found under the lease it was kept with; it is used under that lease
 *     only.
 *  2. Rows of `out` are left out: all of them are done, and the next commit takes them out of the stored document.
 *  3. In order of rest: those that have rested longest leave memory first. */
import type { Instant } from '../../kernel/time.ts';
import type { Doc } from '../../store/store.ts';
import type { PartitionLease } from '../cluster/partition-lease.ts';

/** What one takes beside its text: its place in the map, its name and two small objects. Measured by bench/living. */
export const bytesBesideText = 256;

/** One actor at rest. */
export interface Resting {
  readonly lease: PartitionLease;
  /** Whether the document may be used for answers: it was written or stamped under this lease. */
  readonly stamped: boolean;
  readonly text: string;
  readonly since: Instant;
  /** What it takes, estimated. */
  readonly bytes: number;
}

/** The values of a document without kind, id and `out`, in one order: names would be a sixth of the text. */
type Values = readonly [
  Doc['scope'],
  Doc['clock'],
  Doc['slot'],
  Doc['v'],
  Doc['e'],
  Doc['tok'],
  Doc['sv'],
  Doc['at'],
  Doc['created'],
  Doc['gone'],
  Doc['tags'],
  Doc['body'],
  Doc['seen'],
  Doc['oq'],
  Doc['eseq'],
  Doc['timers'],
  Doc['wake'],
  Doc['busy'],
];

/** The text of a document that has nothing left to send. */
export function textOf(doc: Doc): string {
  const { scope, clock, slot, v, e, tok, sv, at, created, gone, tags, body, seen, oq, eseq, timers } = doc;
  const beforeBody = [scope, clock, slot, v, e, tok, sv, at, created, gone, tags] as const;
  const values: Values = [...beforeBody, body, seen, oq, eseq, timers, doc.wake, doc.busy];
  return JSON.stringify(values);
}

/** The document of a text that `textOf` has made. */
export function docOf(kind: string, id: string, text: string): Doc {
  const values = JSON.parse(text) as Values;
  const [scope, clock, slot, v, e, tok, sv, at, created, gone, tags, ...more] = values;
  const [body, seen, oq, eseq, timers, wake, busy] = more;
  const head = { kind, id, scope, clock, slot, v, e, tok, sv, at, created, gone, tags };
  return { ...head, body, seen, out: [], oq, eseq, timers, wake, busy };
}

/** A character above 255 makes each character of a text take two bytes. */
const isWide = /[\u0100-\uffff]/;

/** An actor with this document, at rest. */
export function resting(doc: Doc, lease: PartitionLease, stamped: boolean, since: Instant): Resting {
  const text = textOf(doc);
  const bytes = bytesBesideText + (isWide.test(text) ? 2 * text.length : text.length);
  return { lease, stamped, text, since, bytes };
}

/** To leave memory in portions costs less: each begins with a walk over the places of those that left before. */
const portions = 256;

export class RestingActors {
  private readonly byName = new Map<string, Resting>();
  /** What all of them take, estimated. */
  bytes = 0;

  get size(): number {
    return this.byName.size;
  }

  put(name: string, one: Resting): void {
    this.take(name);
    this.byName.set(name, one);
    this.bytes += one.bytes;
  }

  /** Removes it from here; undefined when it is not here. */
  take(name: string): Resting | undefined {
    const one = this.byName.get(name);
    if (one === undefined) return undefined;
    this.byName.delete(name);
    this.bytes -= one.bytes;
    return one;
  }

  /** Drops those that have rested longest, until the others fit. */
  fitInto(bytesMax: number): void {
    if (this.bytes <= bytesMax) return;
    const target = bytesMax - bytesMax / portions;
    for (const name of this.byName.keys()) {
      if (this.bytes <= target) return;
      this.take(name);
    }
  }

  /** Drops those that have rested since before this instant. */
  dropBefore(instant: Instant): void {
    for (const [name, { since }] of this.byName) {
      if (since >= instant) return;
      this.take(name);
    }
  }

  /** Drops those of leases that have ended. */
  dropEnded(): void {
    for (const [name, { lease }] of this.byName) if (lease.over) this.take(name);
  }
}
