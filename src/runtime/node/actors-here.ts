/** The actors that this node serves, for its own parts: commands come by the router. */
import { pause, type Scheduler } from '../../kernel/time.ts';
import type { Activation } from '../activation/activation.ts';
import type { ActivationRegistry } from '../activation/activation-registry.ts';
import type { Ownership } from '../cluster/ownership.ts';
import type { AnyActor } from '../model/actor.ts';
import type { Doc } from '../../store/store.ts';
import { LeaseOver } from '../cluster/partition-lease.ts';
import { dueHeldMsMax } from '../time/due-queue.ts';
import { bareDone } from '../turn/turn.ts';

export interface ActorsHereParts {
  readonly kinds: ReadonlyMap<string, AnyActor>;
  readonly registry: Pick<ActivationRegistry, 'find' | 'bring' | 'forgetResting'>;
  readonly ownership: Pick<Ownership, 'leaseOf'>;
  readonly scheduler: Scheduler;
  /** Whether the node was killed: it serves nothing more. */
  readonly isDead: () => boolean;
}

export class ActorsHere {
  private readonly parts: ActorsHereParts;

  constructor(parts: ActorsHereParts) {
    this.parts = parts;
  }

  /** The actor in memory, loaded if necessary; undefined for an unknown kind or one served elsewhere. */
  activation(kind: string, id: string): Activation | undefined {
    const { kinds, registry, ownership, isDead } = this.parts;
    const known = registry.find(kind, id);
    if (known !== undefined) return known;
    const lease = isDead() ? undefined : ownership.leaseOf(id);
    const actor = kinds.get(kind);
    return lease === undefined || actor === undefined ? undefined : registry.bring(lease, actor, id);
  }

  /** Loads an actor that has something left to send. */
  async wake(kind: string, id: string): Promise<void> {
    const { registry } = this.parts;
    const known = registry.find(kind, id);
    if (known !== undefined) return known.refresh();
    registry.forgetResting(kind, id);
    const fresh = this.activation(kind, id);
    await fresh?.committed().catch(() => null);
    // effects that only wait for room in a lane stay in the store
    fresh?.leaveIfParked();
  }

  /** What an actor that this node serves has committed, from memory: it is loaded, and stamped, first. undefined:
   *  another node serves it, or this one cannot say now. */
  async shown(kind: string, id: string): Promise<Doc | null | undefined> {
    const one = this.activation(kind, id);
    if (one === undefined) return undefined;
    try {
      await one.lease.whileMine(one.shown());
      const stamp = { to: { kind, id }, command: bareDone, data: {}, by: 'system', scope: null } as const;
      // any turn stamps; this one does nothing else
      if (!one.held.stamped) await one.lease.whileMine(one.deliver({ ...stamp, deadline: Infinity }));
      const doc = one.answersReads ? await one.lease.whileMine(one.shown()) : undefined;
      return one.answersReads ? doc : undefined;
    } catch (thrown) {
      if (thrown instanceof LeaseOver) return undefined;
      throw thrown;
    }
  }

  /** Fires what is due of one actor. If its kind limits how many work at once, waits until everything that follows has
   *  been sent, but not for targets that do not answer. */
  async fireDue(kind: string, id: string): Promise<void> {
    const due = this.activation(kind, id);
    if (due === undefined) return;
    await due.lease.whileMine(due.fireTimers(false));
    if (due.actor.dueAtOnceMax === undefined) return;
    await due.lease.whileMine(Promise.race([due.untilDone(), pause(this.parts.scheduler, dueHeldMsMax)]));
  }
}
