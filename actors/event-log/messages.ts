/** What the log of one project and mode understands. Its id is its scope. */
import { address, type Address, type Scope } from '../../src/runtime/model/actor.ts';
import type { Instant } from '../../src/kernel/time.ts';

export const eventLogAt = (scope: Scope): Address<EventLogCommands> => address('event_log', scope);

export interface LoggedEvent {
  /** `<actor>:<eseq>`: the same event told twice is one journal entry. */
  readonly key: string;
  /** The evt_ id. */
  readonly eventId: string;
  readonly event: string;
  readonly objectId: string;
  /** The webhook body, byte for byte. */
  readonly envelope: string;
  readonly at: Instant;
}

export interface EventLogCommands {
  /** All unacknowledged events of one actor, oldest first. */
  append: { readonly events: readonly LoggedEvent[] };
  /** The pumps have created the deliveries of everything up to `dispatched`, and handed everything up to `published`
   *  to other systems in this round (0 unless told). */
  handledTo: { readonly dispatched: number; readonly published: number; readonly round?: number };
  /** What was published is lost: all of it once more. */
  republish: Record<string, never>;
}

export type EventLogState = {
  readonly status: 'open';
  readonly pos: number;
  readonly dispatched: number;
  readonly published: number;
  /** How often what was published was lost and began again; 0 when absent. */
  readonly round?: number;
};

export interface EventLogTypes {
  state: EventLogState;
  terminal: never;
  commands: EventLogCommands;
  effects: Record<never, never>;
}
