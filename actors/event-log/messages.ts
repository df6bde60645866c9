/** The commands of the log of one project and mode. Its id is its scope. */
import { address, type Address, type Scope } from '../../src/runtime/model/actor.ts';
import { days, type DurationMs, type Instant } from '../../src/kernel/time.ts';

/** How long events and their deliveries can be read, followed and recovered, on the clock of their project. */
export const eventsKeptMs: DurationMs = days(90);

/** How long their texts are stored: longer than a delivery may still be tried that was opened on the last of
 *  those days (nine delays of at most 24 h and 10 %). */
export const eventTextsKeptMs: DurationMs = eventsKeptMs + days(14);

export const eventLogAt = (scope: Scope): Address<EventLogCommands> => address('event_log', scope);

export interface LoggedEvent {
  /** `<actor>:<eseq>`: the same event sent twice is one journal entry. */
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
  /** The next `count` positions are given to the node, which places events there in the commits that cause them. */
  reserve: { readonly count: number };
  /** The pumps have created the deliveries of everything up to `dispatched`, and published everything up to
   *  `published` for other systems in this round (default 0). */
  handledTo: { readonly dispatched: number; readonly published: number; readonly round?: number };
  /** What was published is lost: publish all of it again. */
  republish: Record<string, never>;
}

export type EventLogState = {
  readonly status: 'open';
  readonly pos: number;
  readonly dispatched: number;
  readonly published: number;
  /** How often the published events were lost and publishing started again; 0 when absent. */
  readonly round?: number;
};

export interface EventLogTypes {
  state: EventLogState;
  terminal: never;
  commands: EventLogCommands;
  effects: Record<never, never>;
}
