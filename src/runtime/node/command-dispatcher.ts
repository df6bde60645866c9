/** Commands for the actors served here, whoever brings them: this node, another one, the runtime itself.
 *  1. Each runs under a tenure; where there is none, its copy was proved undone.
 *  2. The door of another node hears within a second that the store is silent here. What has begun by then is unknown;
 *     what has not is not executed, and neither is what comes before the store speaks again. */
import type { Activation } from '../activation/activation.ts';
import type { AnyActor } from '../model/actor.ts';
import type { AskResult, Envelope } from '../model/envelope.ts';
import { isOfDoor } from '../activation/mailbox.ts';
import type { Memory } from '../activation/activation-registry.ts';
import { silence, type StoreBreaker } from '../activation/store-breaker.ts';
import type { Tenure } from '../cluster/partition-lease.ts';

/** Sent to the owner of an actor whose timers the walk of a test clock wants fired. */
export const fireTimers = '_fire';

export interface AnswersParts {
  readonly kinds: ReadonlyMap<string, AnyActor>;
  readonly memory: Memory;
  readonly breaker: StoreBreaker;
}

export class Answers {
  private readonly parts: AnswersParts;

  constructor(parts: AnswersParts) {
    this.parts = parts;
    parts.breaker.onSilence(() => parts.memory.turnDoorsAway());
  }

  /** The actor in memory, brought there if need be; undefined for a kind nobody plays, or once the tenure is over. */
  activation(tenure: Tenure, kind: string, id: string): Activation | undefined {
    const actor = this.parts.kinds.get(kind);
    return actor === undefined ? undefined : this.parts.memory.bring(tenure, actor, id);
  }

  /** Executes a command of this node's. */
  async toUs(tenure: Tenure, envelope: Envelope): Promise<AskResult> {
    const { kind, id } = envelope.to;
    const activation = this.activation(tenure, kind, id);
    // its time is over, or the asker knows a kind that this version does not
    if (activation === undefined) return { is: 'not_executed', why: 'moved', retryAfterMs: 0 };
    if (envelope.command !== fireTimers) return activation.deliver(envelope);
    await activation.fireTimers(true);
    return { is: 'ok', v: 0, detail: {} };
  }

  /** Executes a command that came over the bus. */
  async toOthers(tenure: Tenure, envelope: Envelope): Promise<AskResult> {
    const answer = this.toUs(tenure, envelope);
    if (!isOfDoor(envelope)) return answer;
    // what waits at the end of a tenure is never answered, and nobody may wait for it longer than that
    const heard = await this.parts.breaker.race(tenure.whileMine(answer));
    return heard === silence || heard === null ? { is: 'unknown' } : heard;
  }
}
