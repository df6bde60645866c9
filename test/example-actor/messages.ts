/** What a hold understands: one item kept for one buyer for a while. */
import { address, type ActorTypes, type Address } from '../../src/runtime/model/actor.ts';
import type { Instant } from '../../src/kernel/time.ts';

export const holdAt = (id: string): Address<HoldCommands> => address('hold', id);

export interface HoldCommands {
  open: { readonly item: string; readonly until: Instant };
  buy: Record<string, never>;
  /** The timer's. */
  lapse: { readonly key: string };
}

interface HoldFields {
  readonly item: string;
  readonly until: Instant;
  /** Grows with each change of the view. */
  readonly sequence: number;
}

export type HoldState =
  | (HoldFields & { readonly status: 'held' })
  | (HoldFields & { readonly status: 'bought'; readonly boughtAt: Instant })
  | (HoldFields & { readonly status: 'lapsed' });

export interface Hold extends ActorTypes {
  state: HoldState;
  terminal: 'bought' | 'lapsed';
  commands: HoldCommands;
  effects: Record<never, never>;
}
