/** The actors in one node's memory: found by name, by the lease they belong to, by the test clock they live on.
 *  1. At most one activation speaks for an actor here; it belongs to a lease that is not over.
 *  2. Whoever leaves is told: nothing of it goes on that could be taken for its successor's. */
import { seconds, type Instant } from '../../kernel/time.ts';
import { Activation } from './activation.ts';
import type { ActivationHost } from './activation-host.ts';
import type { AnyActor } from '../model/actor.ts';
import type { PartitionLease } from '../cluster/partition-lease.ts';

/** Actors in memory; above it quiet ones leave, the oldest first. */
export const activationsMax = 100_000;
const idleMs = seconds(120);

export class ActivationRegistry {
  private readonly host: ActivationHost<Activation>;
  private readonly byName = new Map<string, Activation>();
  private readonly byLease = new Map<PartitionLease, Set<Activation>>();
  private readonly byClock = new Map<string, Set<Activation>>();

  constructor(host: ActivationHost<Activation>) {
    this.host = host;
  }

  get size(): number {
    return this.byName.size;
  }

  all(): Iterable<Activation> {
    return this.byName.values();
  }

  find(kind: string, id: string): Activation | undefined {
    return this.byName.get(`${kind}/${id}`);
  }

  /** The one that is there, or a new one; undefined once the lease is over. */
  bring(lease: PartitionLease, actor: AnyActor, id: string): Activation | undefined {
    const name = `${actor.kind}/${id}`;
    const known = this.byName.get(name);
    if (known !== undefined || lease.over) return known;
    const fresh = new Activation(this.host, lease, actor, id);
    this.byName.set(name, fresh);
    added(this.byLease, lease, fresh);
    return fresh;
  }

  /** Drops an actor from memory; the store has all there is to know of it. */
  forget(activation: Activation): void {
    if (this.byName.get(activation.name) === activation) this.byName.delete(activation.name);
    activation.leave();
    removed(this.byLease, activation.lease, activation);
    if (activation.clock !== null) removed(this.byClock, activation.clock, activation);
  }

  /** Drops everything of a lease that is over. */
  drop(lease: PartitionLease): void {
    for (const activation of this.byLease.get(lease) ?? []) this.forget(activation);
  }

  /** Whether anything of a lease is still under way. */
  underWay(lease: PartitionLease): boolean {
    for (const one of this.byLease.get(lease) ?? []) if (one.underWay) return true;
    return false;
  }

  /** Commands of doors that have not begun are given back. */
  turnDoorsAway(): void {
    for (const one of this.byName.values()) one.turnDoorsAway();
  }

  /** Called with the clock an actor's document shows. */
  livesOn(activation: Activation, clock: string | null): void {
    if (clock !== null) added(this.byClock, clock, activation);
  }

  /** Everything that lives on this clock and is not at rest. */
  notIdle(clock: string): readonly Activation[] {
    return [...(this.byClock.get(clock) ?? [])].filter((one) => !one.quiet);
  }

  /** Forgets actors that have been idle for two minutes; above the bound any quiet one, oldest in memory first. */
  sweep(now: Instant): void {
    let over = this.byName.size - activationsMax;
    for (const one of this.byName.values()) {
      if (!one.forgettable || (over <= 0 && now - one.lastUsedAt < idleMs)) continue;
      this.forget(one);
      over--;
    }
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
