/** Executes the steps of the walk of a test clock: timers of actors wherever they live, commands of its keeper here. */
import type { Activation } from '../activation/activation.ts';
import type { Json } from '../model/actor.ts';
import type { Address } from '../model/address.ts';
import type { AskUntyped } from '../model/client.ts';
import type { AskResult } from '../model/envelope.ts';
import { fireTimers } from './command-router.ts';
import { isDelivered } from './hint.ts';

export interface WalkStepsParts {
  activation(kind: string, id: string): Activation | undefined;
  readonly ask: AskUntyped;
}

export class WalkSteps {
  private readonly parts: WalkStepsParts;

  constructor(parts: WalkStepsParts) {
    this.parts = parts;
  }

  /** Fires the due timers of an actor wherever it lives; how many, or null without an answer. */
  async fire({ kind, id }: Address): Promise<number | null> {
    const here = this.parts.activation(kind, id);
    if (here !== undefined) return here.lease.whileMine(here.fireTimers(true));
    const asking = { by: 'system', scope: null, idempotent: true } as const;
    const answer = await this.parts.ask({ kind, id }, fireTimers, {}, asking);
    if (!isDelivered(answer)) return null;
    // a node of an earlier version does not say how many
    return answer.is === 'ok' ? Number(answer.detail['fired'] ?? 0) : 0;
  }

  /** Executes a command here; its commit is sent together with the next one. */
  joining(to: Address, command: string, data: { readonly [key: string]: Json }): Promise<AskResult> {
    const asking = { by: 'system', scope: 'system', deadline: Infinity, joins: true } as const;
    const here = this.parts.activation(to.kind, to.id);
    return here?.deliver({ to, command, data, ...asking }) ?? Promise.resolve({ is: 'unknown' });
  }
}
