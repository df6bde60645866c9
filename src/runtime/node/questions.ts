/** The asks of this node, from its gateways and its own parts: wraps commands in envelopes and sends them
 *  to the actor, wherever it lives. */
import type { Scheduler } from '../../kernel/time.ts';
import type { Bus } from '../../bus/bus.ts';
import type { AnyActor, Json } from '../model/actor.ts';
import type { Address } from '../model/address.ts';
import type { Asking, HintOutcome, Hinting } from '../model/client.ts';
import type { AskResult, Envelope, Identity } from '../model/envelope.ts';
import { bareDone } from '../turn/turn.ts';
import { askWaitMs, askWaitMsMax, type CommandRouter } from './command-router.ts';
import { carryHint, hintWaitMs, isDelivered } from './hint.ts';

const notFound: AskResult = { is: 'refused', code: 'not_found', detail: {} };

export interface QuestionParts {
  readonly kinds: ReadonlyMap<string, AnyActor>;
  readonly scheduler: Pick<Scheduler, 'now'>;
  readonly bus: Bus;
  readonly router: CommandRouter;
  /** Whether the node was killed: nothing more is sent. */
  readonly isDead: () => boolean;
}

export class Questions {
  private readonly parts: QuestionParts;

  constructor(parts: QuestionParts) {
    this.parts = parts;
  }

  ask(to: Address, command: string, data: unknown, asking: Asking): Promise<AskResult> {
    const { kinds, scheduler, router, isDead } = this.parts;
    if (isDead()) return Promise.resolve({ is: 'unknown' });
    if (!kinds.has(to.kind)) return Promise.resolve(notFound);
    const { by, scope, identity, again, ifState, sole, idempotent, waitMs = askWaitMs } = asking;
    const wait = Math.min(waitMs, askWaitMsMax);
    const envelope: Envelope = {
      to,
      command,
      data: data as Json,
      by,
      scope,
      deadline: scheduler.now() + wait,
      ...(identity === undefined ? {} : { identity }),
      ...(again === true ? { again } : {}),
      ...(ifState === undefined ? {} : { ifState }),
      ...(sole === undefined ? {} : { sole }),
    };
    return router.ask(envelope, wait, idempotent);
  }

  hint(to: Address, command: string, data: unknown, asking: Hinting): Promise<HintOutcome> {
    const { bus, isDead } = this.parts;
    const { by, scope, waitMs = hintWaitMs } = asking;
    const envelope: Envelope = { to, command, data: data as Json, by, scope, deadline: Infinity };
    const ask = (): Promise<AskResult> =>
      this.ask(to, command, data, { by, scope, waitMs, idempotent: true });
    return isDead() ? Promise.resolve('lost') : carryHint(ask, bus, envelope);
  }

  async deliverHint({ to, command, data, by, scope }: Envelope): Promise<boolean> {
    // a node of another version may know the kind
    if (!this.parts.kinds.has(to.kind)) return false;
    return isDelivered(await this.ask(to, command, data, { by, scope, idempotent: true }));
  }

  settled(to: Address, { from, seq }: Identity): void {
    void this.ask(to, bareDone, {}, { by: 'system', scope: null, identity: { from, seq, done: seq } });
  }
}
