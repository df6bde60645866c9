/** Dispatches commands to the actors served here, whether they come from this node, another node or the
 *  runtime.
 *  1. Each command runs under a lease; without a lease, its copy is answered as proven not executed.
 *  2. If the store does not answer here, a gateway on another node is notified within a second. Commands
 *     that have started by then are unknown; the others are not executed, nor are later ones until the
 *     store answers again. */
import type { Activation } from '../activation/activation.ts';
import type { AnyActor } from '../model/actor.ts';
import type { AskResult, Envelope } from '../model/envelope.ts';
import { isOfDoor } from '../activation/mailbox.ts';
import type { ActivationRegistry } from '../activation/activation-registry.ts';
import { unanswered, type StoreBreaker } from '../activation/store-breaker.ts';
import type { PartitionLease } from '../cluster/partition-lease.ts';

/** Sent to the owner of an actor whose timers should be fired by the walk of a test clock. */
export const fireTimers = '_fire';

export interface CommandDispatcherParts {
  readonly kinds: ReadonlyMap<string, AnyActor>;
  readonly registry: ActivationRegistry;
  readonly breaker: StoreBreaker;
}

export class CommandDispatcher {
  private readonly parts: CommandDispatcherParts;

  constructor(parts: CommandDispatcherParts) {
    this.parts = parts;
    parts.breaker.onOpen(() => parts.registry.turnDoorsAway());
  }

  /** Returns the actor in memory and loads it if necessary; undefined for an unknown kind, or once the
   *  lease has ended. */
  activation(lease: PartitionLease, kind: string, id: string): Activation | undefined {
    const actor = this.parts.kinds.get(kind);
    return actor === undefined ? undefined : this.parts.registry.bring(lease, actor, id);
  }

  /** Executes a command of this node. */
  async toUs(lease: PartitionLease, envelope: Envelope): Promise<AskResult> {
    const { kind, id } = envelope.to;
    const activation = this.activation(lease, kind, id);
    // its deadline has passed, or the sender knows a kind that this version does not
    if (activation === undefined) return { is: 'not_executed', why: 'moved', retryAfterMs: 0 };
    if (envelope.command !== fireTimers) return activation.deliver(envelope);
    return { is: 'ok', v: 0, detail: { fired: await activation.fireTimers(true) } };
  }

  /** Executes a command that came over the bus. */
  async toOthers(lease: PartitionLease, envelope: Envelope): Promise<AskResult> {
    const answer = this.toUs(lease, envelope);
    if (!isOfDoor(envelope)) return answer;
    // commands still waiting when a lease ends get no answer, so no caller may wait longer than the lease
    const heard = await this.parts.breaker.race(lease.whileMine(answer));
    return heard === unanswered || heard === null ? { is: 'unknown' } : heard;
  }
}
