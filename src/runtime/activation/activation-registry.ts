/** The actors in one node's memory, indexed by name, by lease and by test clock.
 *  1. An actor has at most one activation here, and that activation belongs to a lease that has not ended.
 *  2. An activation that is removed is notified. It does no further work that could be mistaken for its
 *     successor's. */
import { seconds, type Instant } from '../../kernel/time.ts';
import { Activation } from './activation.ts';
import type { ActivationHost } from './activation-host.ts';
import type { AnyActor } from '../model/actor.ts';
import type { PartitionLease } from '../cluster/partition-lease.ts';

/** Actors kept in memory. Above this bound, idle actors are removed, the oldest first. */
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

  /** Returns the existing activation or a new one; undefined once the lease has ended. */
  bring(lease: PartitionLease, actor: AnyActor, id: string): Activation | undefined {
    const name = `${actor.kind}/${id}`;
    const known = this.byName.get(name);
    if (known !== undefined || lease.over) return known;
    const fresh = new Activation(this.host, lease, actor, id);
    this.byName.set(name, fresh);
    added(this.byLease, lease, fresh);
    return fresh;
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

  /** Removes actors that have been idle for two minutes. Above the bound, removes any idle actor, the
   *  oldest first. */
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
