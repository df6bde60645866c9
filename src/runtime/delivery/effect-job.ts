/** One effect on its way from the outbox through its lane to its runner. */
import type { Instant } from '../../kernel/time.ts';
import type { OutRow } from '../../store/store.ts';
import type { Scope } from '../model/address.ts';

/** What a runner is told beside the effect's data. */
export interface EffectContext {
  readonly scope: Scope;
  readonly actorId: string;
  /** `<actor>:<q>`: the same for every run of this effect. */
  readonly key: string;
  /** Now on the actor's clock. */
  now(): Instant;
}

export type EffectOutRow = Extract<OutRow, { type: 'effect' }>;

/** One effect to run and what to do with what comes of it. */
export interface EffectJob {
  readonly row: EffectOutRow;
  readonly context: EffectContext;
  /** Resolves true when it may run, false when it is another node's by now. */
  readonly ready: () => Promise<boolean>;
  /** Claims a `once` effect; false when somebody has before. null: may run more than once. */
  readonly begin: (() => Promise<boolean>) | null;
  /** Resolves when the result is committed. */
  readonly finish: (result: object | 'unknown') => Promise<void>;
  /** Called when there is no room for it: it must be offered again, with all others, when `offerAll` is called. */
  readonly park: () => void;
}
