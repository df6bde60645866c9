/** Commands for the actors served here, whoever brings them: this node, another one, the runtime itself.
 *  1. Each runs under a lease; where there is none, its copy was proved undone.
 *  2. The door of another node hears within a second that the store is silent here. What has begun by then is unknown;
 *     what has not is not executed, and neither is what comes before the store speaks again. */
import type { Activation } from '../activation/activation.ts';
import type { AnyActor } from '../model/actor.ts';
import type { AskResult, Envelope } from '../model/envelope.ts';
import { isOfDoor } from '../activation/mailbox.ts';
import type { ActivationRegistry } from '../activation/activation-registry.ts';
import { silence, type StoreBreaker } from '../activation/store-breaker.ts';
import type { PartitionLease } from '../cluster/partition-lease.ts';

/** Sent to the owner of an actor whose timers the walk of a test clock wants fired. */
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
    parts.breaker.onSilence(() => parts.registry.turnDoorsAway());
  }

  /** The actor in memory, brought there if need be; undefined for a kind nobody plays, or once the lease is over. */
  activation(lease: PartitionLease, kind: string, id: string): Activation | undefined {
    const actor = this.parts.kinds.get(kind);
    return actor === undefined ? undefined : this.parts.registry.bring(lease, actor, id);
  }

  /** Executes a command of this node's. */
  async toUs(lease: PartitionLease, envelope: Envelope): Promise<AskResult> {
    const { kind, id } = envelope.to;
    const activation = this.activation(lease, kind, id);
    // its time is over, or the asker knows a kind that this version does not
    if (activation === undefined) return { is: 'not_executed', why: 'moved', retryAfterMs: 0 };
    if (envelope.command !== fireTimers) return activation.deliver(envelope);
    await activation.fireTimers(true);
    return { is: 'ok', v: 0, detail: {} };
  }

  /** Executes a command that came over the bus. */
  async toOthers(lease: PartitionLease, envelope: Envelope): Promise<AskResult> {
    const answer = this.toUs(lease, envelope);
    if (!isOfDoor(envelope)) return answer;
    // what waits at the end of a lease is never answered, and nobody may wait for it longer than that
    const heard = await this.parts.breaker.race(lease.whileMine(answer));
    return heard === silence || heard === null ? { is: 'unknown' } : heard;
  }
}
