/** Fires the due timers of one actor in memory.
 *  1. While a clock is walking, only the walk fires timers.
 *  2. An armed timer fires until the actor has accepted it; while one firing is in progress, it does not
 *     fire again. */
import { SmallSet } from '../../kernel/small-set.ts';
import type { Doc } from '../../store/store.ts';
import type { AnyActor } from '../model/actor.ts';
import type { Clocks } from '../time/clocks.ts';
import type { Envelope } from '../model/envelope.ts';
import type { RuntimeMeters } from '../model/meters.ts';

/** What firing needs from the node. */
export interface TimerHost {
  readonly clocks: Pick<Clocks, 'fresh' | 'now' | 'walking'>;
  readonly meters: Pick<RuntimeMeters, 'timer'>;
}

/** The actor in memory whose timers these are. */
export interface TimerOwner {
  readonly actor: Pick<AnyActor, 'kind' | 'timers'>;
  readonly id: string;
  deliverSurely(envelope: Envelope): Promise<void>;
}

export class DueTimers {
  private readonly host: TimerHost;
  private readonly owner: TimerOwner;
  private readonly firing = new SmallSet<number>();

  constructor(host: TimerHost, owner: TimerOwner) {
    this.host = host;
    this.owner = owner;
  }

  /** Whether no firing is in progress. */
  get none(): boolean {
    return this.firing.size === 0;
  }

  /** Resolves when everything due by now has been accepted, and says how many timers that were; `walked` when a
   *  test-clock walk requests it. */
  async fire(doc: Doc, walked: boolean): Promise<number> {
    const { clocks } = this.host;
    // this node may not know the walk's last step yet
    const fresh = walked ? clocks.fresh(doc.clock) : null;
    if (fresh !== null) await fresh;
    if (clocks.walking(doc.clock) && !walked) return 0;
    const now = clocks.now(doc.clock);
    const due = doc.timers
      .filter(({ at, gen }) => at <= now && !this.firing.has(gen))
      .sort((a, b) => a.at - b.at || a.gen - b.gen);
    const accepted = await Promise.all(due.map((timer) => this.deliver(doc, timer, now - timer.at)));
    return accepted.filter(Boolean).length;
  }

  private async deliver(doc: Doc, { name, gen }: Doc['timers'][number], lateMs: number): Promise<boolean> {
    const { host, owner } = this;
    const [base = '', ...key] = name.split('/');
    const command = owner.actor.timers[base];
    // a timer of another version waits for a node that knows it
    if (command === undefined) return false;
    this.firing.add(gen);
    host.meters.timer(lateMs);
    await owner.deliverSurely({
      to: { kind: owner.actor.kind, id: owner.id },
      command,
      data: { key: key.join('/') },
      by: 'system',
      scope: doc.scope,
      deadline: Infinity,
      timer: { name, gen },
    });
    this.firing.delete(gen);
    return true;
  }
}
