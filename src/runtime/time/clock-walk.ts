/** Walks a project's test clock from its current instant to its target, timer by timer.
 *  1. Timers fire in order of (instant, id); each sees its own instant as now.
 *  2. Everything one timer causes - commits, events, deliveries, effects - has finished before the next one
 *     fires, unless that takes longer than `stepMsMax`.
 *  3. Each step is committed by the project first, so that a successor can continue from there.
 *  4. Before the first step, no node still assumes that the clock is at rest (clocks.ts). */
import { assert } from '../../kernel/assert.ts';
import { pause, seconds, type Instant, type Scheduler } from '../../kernel/time.ts';
import type { Due, Store } from '../../store/store.ts';
import type { Json } from '../model/actor.ts';
import type { Address } from '../model/address.ts';
import type { BrokenBuild } from '../model/broken-builds.ts';
import type { AskUntyped, Client } from '../model/client.ts';
import { restKeptMs, type Clocks } from './clocks.ts';
import type { RuntimeLog } from '../model/runtime-log.ts';
import type { PartitionLease } from '../cluster/partition-lease.ts';

/** How long one step waits for what it caused. */
export const stepMsMax = seconds(20);
const checkAgainMs = 2;
/** Where other nodes do part of the work, only the store shows when it is done. */
const checkAgainSharedMs = 20;
const retryDelayMs = 200;
/** Two machines' clocks may run at slightly different rates. */
const restMarginMs = 50;

/** What a walk needs from the node. */
export interface ClockHost {
  readonly clocks: Pick<Clocks, 'walking' | 'walkOf'>;
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
  /** Fires the due timers of an actor wherever it lives; false without an answer. */
  fire(to: Address): Promise<boolean>;
  /** Every actor in memory on this clock that is not idle. */
  notIdle(clock: string): readonly { clearNow(): void }[];
  /** Loads an actor that has something left to send. */
  wake(kind: string, id: string): Promise<void>;
  /** Whether each log of this clock has dispatched all its events. */
  dispatched(clock: string): boolean;
  /** Commits what each log of this clock has dispatched. */
  saveCursors(clock: string): void;
  scanTimers(): Promise<void>;
}

export class ClockWalks {
  private readonly host: ClockHost;
  private readonly under = new Map<string, PartitionLease>();

  constructor(host: ClockHost) {
    this.host = host;
  }

  /** Called when a clock's keeper, served here, has committed: starts the walk it requests. */
  observe(clock: string, lease: PartitionLease): void {
    if (this.under.get(clock) === lease || !this.host.clocks.walking(clock)) return;
    this.under.set(clock, lease);
    void this.walk(clock, lease);
  }

  private async walk(clock: string, lease: PartitionLease): Promise<void> {
    const { host } = this;
    for (let walk = host.clocks.walkOf(clock); walk !== null && !lease.over;) {
      await this.restForgotten();
      await this.steps(clock, walk.target, lease);
      walk = host.clocks.walkOf(clock);
    }
    if (this.under.get(clock) === lease) this.under.delete(clock);
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
    const stuck = new Set<string>();
    while (!lease.over && host.clocks.walkOf(clock)?.target === target) {
      try {
        await this.settled(clock, lease);
        fired ??= await this.firedSoFar(clock);
        if (await this.step(clock, fired + 1, stuck)) fired++;
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

  /** Fires the next timer; false when there is none left up to the target, and the walk ends. */
  private async step(clock: string, fired: number, stuck: Set<string>): Promise<boolean> {
    const { host } = this;
    const walk = host.clocks.walkOf(clock);
    if (walk === null) return false;
    const due = await host.store.due({ clock, until: walk.target, limit: stuck.size + 1 });
    const next = due.find((one) => !stuck.has(nameOf(one)));
    if (next === undefined) {
      await this.command(clock, 'walkEnded', { realNow: host.scheduler.now() });
      return false;
    }
    const stands = { standsAt: Math.max(next.wake, walk.standsAt), fired };
    // without an answer, the same timer is fired again
    if (!(await this.command(clock, 'walkStep', stands)) || !(await host.fire(next))) return false;
    const [again] = await host.store.due({ clock, until: next.wake, limit: stuck.size + 1 });
    if (again === undefined || nameOf(again) !== nameOf(next)) return true;
    // a document that cannot be read, or a timer this build does not know: the other timers must not wait
    // for it
    stuck.add(nameOf(next));
    host.log.error({ clock, ...next }, 'a timer did not fire: the test clock continues without it');
    return false;
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

  /** Waits until nothing on this clock has work left, at most 20 s. */
  private async settled(clock: string, lease: PartitionLease): Promise<void> {
    const { host } = this;
    const until = host.scheduler.now() + stepMsMax;
    while (!lease.over && host.scheduler.now() < until) {
      const notIdle = host.notIdle(clock);
      for (const one of notIdle) one.clearNow();
      host.saveCursors(clock);
      if (notIdle.length === 0 && host.dispatched(clock)) {
        const busy = await host.store.busy({ clock, limit: 1 });
        if (busy.length === 0) return;
        for (const { kind, id } of busy) void host.wake(kind, id);
      }
      await pause(host.scheduler, host.sharesClocks ? checkAgainSharedMs : checkAgainMs);
    }
  }
}

const nameOf = ({ kind, id, wake }: Due): string => `${kind}/${id}@${wake}`;
