/** What is due on one walking test clock, in memory: read from the store once, then kept up to date by every commit on
 *  that clock.
 *  1. Right only where this node makes every commit on the clock, and only while none of them is under way.
 *  2. What is held is complete up to `horizon`. What is due later is read when all of that has fired.
 *  3. A commit counts more than an answer of the store that was requested before it. */
import { Heap } from '../../kernel/heap.ts';
import type { Instant } from '../../kernel/time.ts';
import type { Doc, Due } from '../../store/store.ts';

/** Due actors read at once; twice as many are held at most. */
export const dueKeptMax = 10_000;

/** When an actor wakes; null: never. */
type Changed = Pick<Doc, 'kind' | 'id' | 'wake'>;

export class DueOnClock {
  private readonly until: Instant;
  private readonly read: (limit: number) => Promise<readonly Due[]>;
  /** Earlier entries of an actor stay here until they come first. */
  private readonly heap = new Heap<Due>((one, other) => bySoonest(one, other) < 0);
  /** When each actor that is held wakes, by name. */
  private readonly wakes = new Map<string, Instant>();
  /** The last one up to which all are held; null: all up to `until`. */
  private horizon: Due | null = null;
  private filled = false;
  /** What was committed while the store is asked. */
  private meanwhile: Changed[] = [];

  /** Of what is due until then, `read` gives the first of the store by (wake, id), at most `limit`; it may reject. */
  constructor(until: Instant, read: (limit: number) => Promise<readonly Due[]>) {
    this.until = until;
    this.read = read;
  }

  /** Called with each document committed on the clock. */
  committed(doc: Changed): void {
    if (this.filled) this.hold(doc);
    else this.meanwhile.push(doc);
  }

  /** The first one that is due and not left out; undefined: none is. Rejects when the store has to be asked and does
   *  not answer. */
  async next(leftOut: ReadonlySet<string>): Promise<Due | undefined> {
    for (;;) {
      const held = this.filled ? this.firstHeld(leftOut) : undefined;
      if (held !== undefined || (this.filled && this.horizon === null)) return held;
      await this.fill(dueKeptMax + leftOut.size);
    }
  }

  /** Whether this actor still wakes at this instant. */
  has(due: Due): boolean {
    return this.wakes.get(nameOf(due)) === due.wake;
  }

  private firstHeld(leftOut: ReadonlySet<string>): Due | undefined {
    for (let { first } = this.heap; first !== undefined; first = this.heap.first) {
      if (this.has(first)) {
        if (!leftOut.has(dueName(first))) return first;
        this.wakes.delete(nameOf(first));
      }
      this.heap.pop();
    }
    return undefined;
  }

  private async fill(limit: number): Promise<void> {
    this.filled = false;
    this.meanwhile = [];
    const found = await this.read(limit);
    this.horizon = (found.length < limit ? null : found.at(-1)) ?? null;
    this.heap.takeAll();
    this.wakes.clear();
    for (const due of found) this.hold(due);
    for (const doc of this.meanwhile.splice(0)) this.hold(doc);
    this.filled = true;
  }

  private hold({ kind, id, wake }: Changed): void {
    const name = nameOf({ kind, id });
    if (wake === null || wake > this.until || this.isBeyond({ kind, id, wake })) {
      this.wakes.delete(name);
      return;
    }
    if (this.wakes.get(name) === wake) return;
    this.wakes.set(name, wake);
    this.heap.push({ kind, id, wake });
    if (this.heap.size > 2 * dueKeptMax) this.cut();
  }

  private isBeyond(due: Due): boolean {
    return this.horizon !== null && bySoonest(due, this.horizon) > 0;
  }

  /** Leaves the soonest ones. */
  private cut(): void {
    const held = this.heap
      .takeAll()
      .filter((due) => this.has(due))
      .toSorted(bySoonest);
    this.wakes.clear();
    if (held.length > dueKeptMax) this.horizon = held[dueKeptMax - 1] ?? null;
    for (const due of held.slice(0, dueKeptMax)) this.hold(due);
  }
}

/** Names an actor and its instant: armed for another one, it is not left out. */
export const dueName = ({ kind, id, wake }: Due): string => `${kind}/${id}@${wake}`;

const nameOf = ({ kind, id }: Pick<Due, 'kind' | 'id'>): string => `${kind}/${id}`;

/** As the stores order it. */
const bySoonest = (one: Due, other: Due): number =>
  one.wake - other.wake || compare(one.id, other.id) || compare(one.kind, other.kind);

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
