/** One effect on its way from the outbox through its lane to its runner. */
import type { Instant } from '../../kernel/time.ts';
import type { OutRow } from '../../store/store.ts';
import type { Scope } from '../model/address.ts';

/** What a runner receives beside the effect's data. */
export interface EffectContext {
  readonly scope: Scope;
  readonly actorId: string;
  /** `<actor>:<q>`: the same for every run of this effect. */
  readonly key: string;
  /** Now on the actor's clock. */
  now(): Instant;
}

export type EffectOutRow = Extract<OutRow, { type: 'effect' }>;

/** One effect to run, and the callbacks for its result. */
export interface EffectJob {
  readonly row: EffectOutRow;
  readonly context: EffectContext;
  /** Resolves true when it may run, false when another node owns it by now. */
  readonly ready: () => Promise<boolean>;
  /** Claims an `atMostOnce` effect; false when it was already claimed. null: may run more than once. */
  readonly begin: (() => Promise<boolean>) | null;
  /** Resolves when the result is committed. */
  readonly finish: (result: object | 'unknown') => Promise<void>;
  /** Called when the lane has no room for it. When the lane has room again, it must be offered
   *  together with all others. */
  readonly park: () => void;
}
