/** The actors in one node's memory, indexed by name, by lease and by test clock.
 *  1. An actor has at most one activation here, and that activation belongs to a lease that has not ended. It is an
 *     activation or at rest, never both.
 *  2. An activation that is removed is notified. It does no further work that could be mistaken for its
 *     successor's.
 *  3. One that is idle goes to rest: its parts are dropped, and its document stays as a text
 *     (docs/decisions/0051-an-actor-at-rest-is-a-text.md).
 *  4. Both together stay within a budget of bytes, except for activations with work in progress. */
import { hours, seconds, type DurationMs } from '../../kernel/time.ts';
import { Activation } from './activation.ts';
import type { ActivationHost } from './activation-host.ts';
import type { AnyActor } from '../model/actor.ts';
import type { PartitionLease } from '../cluster/partition-lease.ts';
import { docOf, resting, RestingActors } from './resting-actors.ts';

/** What one activation takes with its document, estimated by bench/living: 5 KiB of heap for a checkout session. */
export const bytesOfActivation = 6 * 1024;
/** An activation that was not used for so long goes to rest. One of which a part still counts (it has failed, or a
 *  timer of it is not accepted) is removed later, and its document is read again. */
export const restAfterMs: DurationMs = seconds(2);
const forgetAfterMs: DurationMs = seconds(120);
/** A text is used for at most so long: another node may have removed the record from the store. */
export const restMsMax: DurationMs = hours(1);
/** Activations looked at, and put to rest, before other work gets its turn. */
const looksPerSlice = 1000;
const restsPerSlice = 64;
const sliceEveryMs: DurationMs = 10;
/** When activations take more than half of the budget, so many go to rest at once, of so many looked at. */
const restsAtOnce = 64;
const looksForRoom = 256;
/** When none of them may rest, so many more come before the next look. */
const waitingForRoom = 32;

export class ActivationRegistry {
  private readonly host: ActivationHost<Activation>;
  readonly bytesMax: number;
  private readonly resting = new RestingActors();
  /** The round of `sweep` that has not ended. */
  private round: IterableIterator<Activation> | null = null;
  /** Where the last look for room has ended. */
  private hand: IterableIterator<Activation> | null = null;
  /** So many have room; when there are more, some go to rest. */
  private readonly enough: number;
  private activationsMax: number;
  private leaseEnded = false;
  private readonly byName = new Map<string, Activation>();
  private readonly byLease = new Map<PartitionLease, Set<Activation>>();
  private readonly byClock = new Map<string, Set<Activation>>();

  /** `bytesMax`: the budget of all actors in memory. */
  constructor(host: ActivationHost<Activation>, bytesMax: number) {
    this.host = host;
    this.bytesMax = bytesMax;
    this.enough = bytesMax / 2 / bytesOfActivation;
    this.activationsMax = this.enough;
  }

  /** Actors in memory, with those at rest. */
  get size(): number {
    return this.byName.size + this.resting.size;
  }

  /** What they take, estimated. */
  get bytes(): number {
    return this.byName.size * bytesOfActivation + this.resting.bytes;
  }

  /** Every activation. */
  all(): Iterable<Activation> {
    return this.byName.values();
  }

  /** The activation of an actor; undefined also when it is at rest. */
  find(kind: string, id: string): Activation | undefined {
    return this.byName.get(`${kind}/${id}`);
  }

  /** The actor if it is in memory; one at rest gets its parts. */
  inMemory(actor: AnyActor, id: string): Activation | undefined {
    const name = `${actor.kind}/${id}`;
    return this.byName.get(name) ?? this.woken(name, actor, id);
  }

  /** Returns the existing activation, the one of an actor at rest, or a new one; undefined once the lease has ended. */
  bring(lease: PartitionLease, actor: AnyActor, id: string): Activation | undefined {
    const known = this.inMemory(actor, id);
    if (known !== undefined || lease.over) return known;
    return this.added(`${actor.kind}/${id}`, new Activation(this.host, lease, actor, id));
  }

  /** Forgets an actor that does nothing: its record was removed from the store. */
  forgetIdle(kind: string, id: string): void {
    const known = this.find(kind, id);
    if (known === undefined) this.forgetResting(kind, id);
    else if (known.forgettable) this.forget(known);
  }

  /** Forgets what is known of an actor at rest: the store has something newer. */
  forgetResting(kind: string, id: string): void {
    this.resting.take(`${kind}/${id}`);
  }

  private woken(name: string, actor: AnyActor, id: string): Activation | undefined {
    const rested = this.resting.take(name);
    if (rested === undefined || rested.lease.over) return undefined;
    const woken = new Activation(this.host, rested.lease, actor, id);
    const doc = docOf(actor.kind, id, rested.text);
    woken.held.wakeUp(doc, rested.stamped);
    woken.outbox.found(doc);
    this.livesOn(woken, doc.clock);
    return this.added(name, woken);
  }

  private added(name: string, fresh: Activation): Activation {
    if (this.byName.size >= this.activationsMax) this.makeRoom();
    this.byName.set(name, fresh);
    added(this.byLease, fresh.lease, fresh);
    this.fit();
    return fresh;
  }

  /** Those at rest get what activations leave of the budget. */
  private fit(): void {
    this.resting.fitInto(this.bytesMax - this.byName.size * bytesOfActivation);
  }

  /** Drops an actor from memory; its complete state is in the store. */
  forget(activation: Activation): void {
    if (this.byName.get(activation.name) === activation) this.byName.delete(activation.name);
    activation.leave();
    removed(this.byLease, activation.lease, activation);
    if (activation.clock !== null) removed(this.byClock, activation.clock, activation);
  }

  /** Drops every actor of a lease that has ended. */
  drop(lease: PartitionLease): void {
    for (const activation of this.byLease.get(lease) ?? []) this.forget(activation);
    // those at rest are not used any more; the next sweep drops them
    this.leaseEnded = true;
  }

  /** Whether any actor of a lease still has work in progress. */
  underWay(lease: PartitionLease): boolean {
    for (const one of this.byLease.get(lease) ?? []) if (one.underWay) return true;
    return false;
  }

  /** Returns commands from gateways that have not started executing. */
  turnDoorsAway(): void {
    for (const one of this.byName.values()) one.turnDoorsAway();
  }

  /** Called with the clock an actor's document shows. */
  livesOn(activation: Activation, clock: string | null): void {
    if (clock !== null) added(this.byClock, clock, activation);
  }

  /** Every actor on this clock that is not idle. */
  notIdle(clock: string): readonly Activation[] {
    return [...(this.byClock.get(clock) ?? [])].filter((one) => !one.isIdle);
  }

  /** Puts activations to rest that have been idle for a while, in slices. */
  sweep(): void {
    if (this.leaseEnded) this.resting.dropEnded();
    this.leaseEnded = false;
    this.resting.dropBefore(this.host.scheduler.now() - restMsMax);
    this.activationsMax = this.enough;
    // an iterator that stands still would hold what has left the map
    this.hand = null;
    if (this.round !== null) return;
    this.round = this.byName.values();
    this.slice(this.round);
  }

  private slice(round: IterableIterator<Activation>): void {
    const now = this.host.scheduler.now();
    for (let [looks, rests] = [0, 0]; looks < looksPerSlice && rests < restsPerSlice; looks++) {
      const { value: one, done } = round.next();
      if (done === true) {
        this.round = null;
        return;
      }
      const unused = now - one.lastUsedAt;
      if (unused >= restAfterMs && one.mayRest) {
        this.rest(one);
        rests++;
      } else if (unused >= forgetAfterMs && one.forgettable) this.forget(one);
    }
    this.host.scheduler.after(sliceEveryMs, () => this.slice(round));
  }

  private rest(one: Activation): void {
    const { doc, stamped } = one.held;
    this.forget(one);
    const now = this.host.scheduler.now();
    // the store may create a deleted actor anew
    if (doc !== null && !doc.gone) this.resting.put(one.name, resting(doc, one.lease, stamped, now));
    this.fit();
  }

  /** Puts some to rest that may, in the order in which they came. */
  private makeRoom(): void {
    let rests = 0;
    const looksMax = Math.min(looksForRoom, this.byName.size);
    for (let looks = 0; looks < looksMax && rests < restsAtOnce; looks++) {
      this.hand ??= this.byName.values();
      const { value: one, done } = this.hand.next();
      if (done === true) this.hand = null;
      else if (one.mayRest) {
        this.rest(one);
        rests++;
      }
    }
    // where all are at work, the next look waits for more of them
    this.activationsMax = rests > 0 ? this.enough : this.byName.size + waitingForRoom;
  }
}

function added<Key>(sets: Map<Key, Set<Activation>>, key: Key, one: Activation): void {
  const set = sets.get(key) ?? new Set();
  sets.set(key, set.add(one));
}

function removed<Key>(sets: Map<Key, Set<Activation>>, key: Key, one: Activation): void {
  const set = sets.get(key);
  set?.delete(one);
  if (set?.size === 0) sets.delete(key);
}
