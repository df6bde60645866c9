/** The commands and the state of a plan. */
import type { Provider } from '../../src/providers/catalog.ts';
import type { Paisa } from '../../src/kernel/money.ts';
import type { Instant } from '../../src/kernel/time.ts';
import { address, type ActorTypes, type Address } from '../../src/runtime/model/actor.ts';
import type { Interval } from '../subscription/calendar.ts';
import type { DunningTerms } from '../subscription/invoice-dates.ts';
import type { Metadata } from '../metadata.ts';
import type { PlanCopy } from '../subscription/state.ts';

export const planAt = (id: string): Address<PlanCommands> => address('plan', id);

/** What the merchant sets, validated at the gateway. */
export interface PlanRequest {
  readonly name: string;
  readonly description: string | null;
  readonly amount: Paisa;
  readonly interval: Interval;
  /** 0 to 365. */
  readonly trialDays: number;
  readonly defaultProvider: Provider | null;
  readonly terms: DunningTerms;
  readonly metadata: Metadata;
}

/** Absent: unchanged. `metadata` merges by key, and null deletes a key. */
export type PlanChange = Partial<
  Pick<PlanRequest, 'name' | 'description' | 'defaultProvider' | 'metadata'>
> & {
  readonly active?: boolean;
  readonly terms?: Partial<DunningTerms>;
};

export interface PlanCommands {
  create: PlanRequest;
  /** Refuses `metadata_too_many_keys`. */
  change: PlanChange;
}

export interface PlanFields extends PlanRequest {
  readonly sequence: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export type PlanState =
  | (PlanFields & { readonly status: 'active' })
  /** It takes no new subscriptions. */
  | (PlanFields & { readonly status: 'inactive' });

export interface PlanTypes extends ActorTypes {
  state: PlanState;
  terminal: never;
  commands: PlanCommands;
  effects: Record<never, never>;
}

/** What a subscription keeps of a plan. */
export const planCopyOf = (
  id: string,
  { name, amount, interval, defaultProvider, terms }: PlanFields,
): PlanCopy => ({ id, name, amount, interval, defaultProvider, terms });
