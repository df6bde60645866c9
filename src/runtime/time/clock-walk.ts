/** Walks a project's test clock from its current instant to its target, timer by timer, unless its keeper stops it.
 *  1. Timers fire in order of (instant, id); each sees its own instant as now.
 *  2. Everything one timer causes - commits, events, deliveries, effects - has finished before the next one
 *     fires, unless that takes longer than `stepMsMax`.
 *  3. Each step is committed by the project first, so that a successor can continue from there.
 *  4. Before the first step, no node still assumes that the clock is at rest (clocks.ts).
 *  5. Where this node makes every commit on the clock, a walk asks the store what is due once, and not at each step
 *     (due-on-clock.ts). */
import { assert } from '../../kernel/assert.ts';
import { pause, seconds, type Instant, type Scheduler } from '../../kernel/time.ts';
import type { Doc, Due, Store } from '../../store/store.ts';
import type { Json } from '../model/actor.ts';
import type { Address } from '../model/address.ts';
import type { AskResult } from '../model/envelope.ts';
import type { BrokenBuild } from '../model/broken-builds.ts';
import type { AskUntyped, Client } from '../model/client.ts';
import { restKeptMs, type Clocks } from './clocks.ts';
import { DueOnClock, dueName } from './due-on-clock.ts';
import type { RuntimeLog } from '../model/runtime-log.ts';
import type { WorkWatch } from './work-watch.ts';
import type { PartitionLease } from '../cluster/partition-lease.ts';

/** How long one step waits for what it caused. */
const stepMsMax = seconds(20);
/** Work that has ended is noticed at once. */
const checkAgainMs = 20;
/** Where other nodes do part of the work, only the store shows when it is done: it is asked again after this, and after
 *  twice as long each time, at most `checkAgainSharedMsMax`. */
const checkAgainSharedMs = 2;
const checkAgainSharedMsMax = 20;
const retryDelayMs = 200;
/** An actor that sets its timer to the same instant more often than this will not stop. */
export const firingsAtOneInstantMax = 256;
/** Two machines' clocks may run at slightly different rates. */
const restMarginMs = 50;

/** What one walk has found out. */
interface Known {
  /** Timers that do not fire. */
  readonly stuck: Set<string>;
  /** Whether this node's memory shows all work there is on the clock. */
  inMemory: boolean;
}

/** What a walk needs from the node. */
export interface ClockHost {
  readonly clocks: Pick<Clocks, 'walking' | 'walkOf' | 'stand'>;
  readonly scheduler: Scheduler;
  readonly store: Pick<Store, 'due' | 'busy'>;
  readonly log: RuntimeLog;
  readonly faults: BrokenBuild;
  /** The kind whose actors keep the clocks; null: no clock ever walks. */
  readonly clockKeeperKind: string | null;
  /** Whether other nodes do part of the work. */
  readonly sharesClocks: boolean;
  readonly ask: AskUntyped;
  readonly read: Client['read'];
  readonly walkSteps: {
    /** Fires the due timers of an actor wherever it lives; how many, or null without an answer. */
    fire(to: Address): Promise<number | null>;
    /** Executes a command here; its commit is sent together with the next one. */
    joining(to: Address, command: string, data: { readonly [key: string]: Json }): Promise<AskResult>;
  };
  /** Every actor in memory on this clock that is not idle. */
  readonly registry: { notIdle(clock: string): readonly { clearNow(): void }[] };
  readonly pumps: {
    /** Whether each log of this clock has dispatched all its events. */
    idle(clock: string): boolean;
    /** Commits what each log of this clock has dispatched. */
    saveNow(clock: string): void;
  };
  readonly work: Pick<WorkWatch, 'watch' | 'unwatch' | 'left' | 'untilEnded'>;
  /** Loads an actor that has something left to send. */
  wake(kind: string, id: string): Promise<void>;
  scanTimers(): Promise<void>;
}

export class ClockWalks {
  private readonly host: ClockHost;
  private readonly under = new Map<string, PartitionLease>();
  /** Of each clock that walks here. */
  private readonly lastFired = new Map<string, { readonly name: string; readonly times: number }>();
  /** What is due on the clocks of which this node's memory shows everything. */
  private readonly kept = new Map<string, DueOnClock>();

  constructor(host: ClockHost) {
    this.host = host;
  }

  /** Called when a clock's keeper, served here, has committed: starts the walk it requests. */
  observe(clock: string, lease: PartitionLease): void {
    if (this.under.get(clock) === lease || !this.host.clocks.walking(clock)) return;
    this.under.set(clock, lease);
    this.host.work.watch();
    void this.walk(clock, lease);
  }

  /** Called with each document committed here. */
  committed(doc: Doc): void {
    if (doc.clock !== null) this.kept.get(doc.clock)?.committed(doc);
  }

  private async walk(clock: string, lease: PartitionLease): Promise<void> {
    const { host } = this;
    for (let walk = host.clocks.walkOf(clock); walk !== null && !lease.over;) {
      await this.restForgotten();
      await this.steps(clock, walk.target, lease);
      this.kept.delete(clock);
      walk = host.clocks.walkOf(clock);
    }
    if (this.under.get(clock) === lease) {
      this.under.delete(clock);
      this.lastFired.delete(clock);
      if (this.under.size === 0) this.host.work.unwatch();
    }
    await host.scanTimers();
  }

  /** Other nodes may assume for a moment that the clock is still at rest, and act on it. */
  private async restForgotten(): Promise<void> {
    const { host } = this;
    if (host.sharesClocks && host.faults.walksAtOnce !== true)
      await pause(host.scheduler, restKeptMs + restMarginMs);
  }

  /** One complete walk. Two walks of a clock never have the same target: each starts at or after the end of
   *  the last. */
  private async steps(clock: string, target: Instant, lease: PartitionLease): Promise<void> {
    const { host } = this;
    let fired: number | null = null;
    const known: Known = { stuck: new Set(), inMemory: false };
    while (!lease.over && host.clocks.walkOf(clock)?.target === target) {
      try {
        await this.settled(clock, lease, known);
        fired ??= await this.firedSoFar(clock);
        if (await this.step(clock, fired + 1, known)) fired++;
      } catch (thrown) {
        host.log.warn({ clock, err: thrown }, 'a test clock could not be advanced: retrying');
        await pause(host.scheduler, retryDelayMs);
      }
    }
  }

  /** A successor continues counting where the last node stopped. */
  private async firedSoFar(clock: string): Promise<number> {
    const keeper = await this.host.read<{ readonly fired: number }>(this.keeperOf(clock), null);
    return keeper?.state.fired ?? 0;
  }

  /** Fires the next timer; false when there is none left up to the target, or the walk is stopped: it ends. */
  private async step(clock: string, fired: number, known: Known): Promise<boolean> {
    const { host } = this;
    const walk = host.clocks.walkOf(clock);
    if (walk === null) return false;
    const next = walk.stops === true ? undefined : await this.nextOf(clock, walk.target, known);
    if (next === undefined) {
      await this.command(clock, 'walkEnded', { realNow: host.scheduler.now() });
      return false;
    }
    const stands = { standsAt: Math.max(next.wake, walk.standsAt), fired };
    // without an answer, the same timer is fired again
    const accepted = await this.fired(clock, next, stands, known.inMemory);
    if (accepted === null) return false;
    // an actor may have several things to do at one instant, and sets its timer to it again
    if (accepted > 0 && this.countAt(clock, dueName(next)) <= firingsAtOneInstantMax) return true;
    if (!(await this.isStillDue(clock, next, known))) return true;
    // a document that cannot be read, or a timer this build does not know: the other timers must not wait
    // for it
    known.stuck.add(dueName(next));
    host.log.error({ clock, ...next }, 'a timer did not fire: the test clock continues without it');
    return false;
  }

  private async nextOf(clock: string, until: Instant, { stuck, inMemory }: Known): Promise<Due | undefined> {
    const { store } = this.host;
    if (!inMemory) {
      const due = await store.due({ clock, until, limit: stuck.size + 1 });
      return due.find((one) => !stuck.has(dueName(one)));
    }
    const kept = this.kept.get(clock) ?? new DueOnClock(until, (limit) => store.due({ clock, until, limit }));
    this.kept.set(clock, kept);
    return kept.next(stuck);
  }

  private async isStillDue(clock: string, due: Due, { stuck }: Known): Promise<boolean> {
    const kept = this.kept.get(clock);
    if (kept !== undefined) return kept.has(due);
    const found = await this.host.store.due({ clock, until: due.wake, limit: stuck.size + 1 });
    return found.some((one) => dueName(one) === dueName(due));
  }

  /** Commits the step and fires its timer; how many have fired, or null without an answer. Where this node's memory
   *  shows everything, the step waits for the timer's commit, and both are one commit as a rule. If the keeper is busy,
   *  the timer may be stored first: after a crash between the two, the next step moves the clock on. */
  private async fired(
    clock: string,
    next: Due,
    stands: { readonly standsAt: Instant; readonly fired: number },
    inMemory: boolean,
  ): Promise<number | null> {
    const { host } = this;
    if (!inMemory) return (await this.command(clock, 'walkStep', stands)) ? host.walkSteps.fire(next) : null;
    host.clocks.stand(clock, stands.standsAt);
    const stepped = host.walkSteps.joining(this.keeperOf(clock), 'walkStep', stands);
    const accepted = await host.walkSteps.fire(next);
    return (await stepped).is === 'ok' ? accepted : null;
  }

  /** How often the timers of this actor have fired in a row at this instant. */
  private countAt(clock: string, name: string): number {
    const before = this.lastFired.get(clock);
    const times = before?.name === name ? before.times + 1 : 1;
    this.lastFired.set(clock, { name, times });
    return times;
  }

  /** A clock is named by the id of its keeper. */
  private keeperOf(clock: string): Address {
    const { clockKeeperKind } = this.host;
    assert(clockKeeperKind !== null, 'a clock walks only where an actor keeps it');
    return { kind: clockKeeperKind, id: clock };
  }

  private async command(
    clock: string,
    command: string,
    data: { readonly [key: string]: Json },
  ): Promise<boolean> {
    const result = await this.host.ask(this.keeperOf(clock), command, data, {
      by: 'system',
      scope: 'system',
    });
    if (result.is !== 'ok') await pause(this.host.scheduler, retryDelayMs);
    return result.is === 'ok';
  }

  /** Waits until nothing on this clock has work left, at most 20 s. Once the store has shown that there is none, memory
   *  shows what the next timers cause, unless other nodes do part of the work. */
  private async settled(clock: string, lease: PartitionLease, known: Known): Promise<void> {
    const { host } = this;
    const until = host.scheduler.now() + stepMsMax;
    let again = checkAgainSharedMs;
    while (!lease.over && host.scheduler.now() < until) {
      const rests = known.inMemory ? this.restsHere(clock) : await this.restsInStore(clock);
      if (rests) {
        known.inMemory = !host.sharesClocks;
        return;
      }
      // nothing is awaited since memory was looked at: what ends from here on is heard
      if (host.sharesClocks) {
        await pause(host.scheduler, again);
        again = Math.min(again * 2, checkAgainSharedMsMax);
      } else await host.work.untilEnded(clock, checkAgainMs);
    }
    // what is left may be in the store alone
    known.inMemory = false;
    this.kept.delete(clock);
  }

  private restsHere(clock: string): boolean {
    return !this.host.work.left(clock) && this.host.pumps.idle(clock);
  }

  private async restsInStore(clock: string): Promise<boolean> {
    const { host } = this;
    const notIdle = host.registry.notIdle(clock);
    for (const one of notIdle) one.clearNow();
    host.pumps.saveNow(clock);
    if (notIdle.length > 0 || !host.pumps.idle(clock)) return false;
    const busy = await host.store.busy({ clock, limit: 1 });
    for (const { kind, id } of busy) void host.wake(kind, id);
    return busy.length === 0;
  }
}
