/** Walks a project's test clock from where it stands to its target, timer by timer (engine 8, decisions 19).
 *  1. Timers fire in order of (instant, id), each seeing its own instant as now.
 *  2. What one causes is over - commits, events, deliveries, effects - before the next one fires.
 *  3. Each step is committed by the project first: a successor goes on from there.
 *  4. Before the first step nobody believes any more that the clock rests (clocks.ts). */
import { seconds, type Instant } from '../kernel/time.ts';
import type { Due } from '../store/store.ts';
import type { Json } from './actor.ts';
import { restKeptMs } from './clocks.ts';
import type { Node } from './node.ts';
import type { Tenure } from './tenure.ts';

/** How long one step waits for what it caused. */
export const stepMsMax = seconds(20);
const lookAgainMs = 2;
/** Where others do part of the work, only the store knows when it is done. */
const lookAgainSharedMs = 20;
const retryDelayMs = 200;
/** Two machines' seconds are not quite the same. */
const restMarginMs = 50;

export class ClockWalks {
  private readonly node: Node;
  private readonly under = new Map<string, Tenure>();

  constructor(node: Node) {
    this.node = node;
  }

  /** Called when a clock's keeper, served here, committed: begins the walk it asks for. */
  heed(clock: string, tenure: Tenure): void {
    if (this.under.get(clock) === tenure || !this.node.clocks.walking(clock)) return;
    this.under.set(clock, tenure);
    void this.walk(clock, tenure);
  }

  private async walk(clock: string, tenure: Tenure): Promise<void> {
    const { node } = this;
    for (let walk = node.clocks.walkOf(clock); walk !== null && !tenure.over;) {
      await this.restForgotten();
      await this.steps(clock, walk.target, tenure);
      walk = node.clocks.walkOf(clock);
    }
    if (this.under.get(clock) === tenure) this.under.delete(clock);
    await node.scanTimers();
  }

  /** Others may believe for a moment that the clock still rests, and act on it. */
  private async restForgotten(): Promise<void> {
    const { node } = this;
    if (node.sharesClocks && node.faults.walksAtOnce !== true) await node.pause(restKeptMs + restMarginMs);
  }

  /** One walk, to its end. Two walks of a clock never have one target: each begins at or after the end of the last. */
  private async steps(clock: string, target: Instant, tenure: Tenure): Promise<void> {
    const { node } = this;
    let fired: number | null = null;
    const stuck = new Set<string>();
    while (!tenure.over && node.clocks.walkOf(clock)?.target === target) {
      try {
        await this.settled(clock, tenure);
        fired ??= await this.firedSoFar(clock);
        if (await this.step(clock, fired + 1, stuck)) fired++;
      } catch (thrown) {
        node.log.warn({ clock, err: thrown }, 'the clock waits for the store');
        await node.pause(retryDelayMs);
      }
    }
  }

  /** A successor goes on counting where the last node stopped. */
  private async firedSoFar(clock: string): Promise<number> {
    const keeper = await this.node.read<{ readonly fired: number }>({ kind: 'project', id: clock }, null);
    return keeper?.state.fired ?? 0;
  }

  /** Fires the next timer; false when there is none left up to the target, and the walk ends. */
  private async step(clock: string, fired: number, stuck: Set<string>): Promise<boolean> {
    const { node } = this;
    const walk = node.clocks.walkOf(clock);
    if (walk === null) return false;
    const due = await node.store.due({ clock, until: walk.target, limit: stuck.size + 1 });
    const next = due.find((one) => !stuck.has(nameOf(one)));
    if (next === undefined) {
      await this.tell(clock, 'walkEnded', { realNow: node.scheduler.now() });
      return false;
    }
    const stands = { standsAt: Math.max(next.wake, walk.standsAt), fired };
    // no word is no answer: the same timer comes again
    if (!(await this.tell(clock, 'walkStep', stands)) || !(await node.fire(next))) return false;
    const [again] = await node.store.due({ clock, until: next.wake, limit: stuck.size + 1 });
    if (again === undefined || nameOf(again) !== nameOf(next)) return true;
    // a document nobody can read, a timer this build does not know: the others must not wait for it
    stuck.add(nameOf(next));
    node.log.error({ clock, ...next }, 'a timer does not fire; the clock goes on without it');
    return false;
  }

  private async tell(
    clock: string,
    command: string,
    data: { readonly [key: string]: Json },
  ): Promise<boolean> {
    const result = await this.node.ask({ kind: 'project', id: clock }, command, data, {
      by: 'system',
      scope: 'system',
    });
    if (result.is !== 'ok') await this.node.pause(retryDelayMs);
    return result.is === 'ok';
  }

  /** Waits until nothing on this clock has anything left to do, at most 20 s. */
  private async settled(clock: string, tenure: Tenure): Promise<void> {
    const { node } = this;
    const until = node.scheduler.now() + stepMsMax;
    while (!tenure.over && node.scheduler.now() < until) {
      const restless = node.restless(clock);
      for (const one of restless) one.clearNow();
      node.saveCursors(clock);
      if (restless.length === 0 && node.dispatched(clock)) {
        const busy = await node.store.busy({ clock, limit: 1 });
        if (busy.length === 0) return;
        for (const { kind, id } of busy) void node.stirUp(kind, id);
      }
      await node.pause(node.sharesClocks ? lookAgainSharedMs : lookAgainMs);
    }
  }
}

const nameOf = ({ kind, id, wake }: Due): string => `${kind}/${id}@${wake}`;
