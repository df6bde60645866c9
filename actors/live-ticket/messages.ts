/** The commands of a ticket for one live socket. */
import { address, type Address, type Answering, type Scope } from '../../src/runtime/model/actor.ts';
import { sha256Base32 } from '../../src/kernel/hash.ts';
import { seconds, type DurationMs, type Instant } from '../../src/kernel/time.ts';

/** How long a ticket can be used, real time. */
export const ticketLifeMs: DurationMs = seconds(60);

/** The ticket's text leads to the actor; its id, which is stored and sent, does not reveal the text. */
export const liveTicketAt = (ticket: string): Address<LiveTicketCommands> =>
  address('live_ticket', sha256Base32(['live ticket', ticket], 24));

export interface LiveTicketCommands {
  /** Issued for the holder of this key, for its project and mode. */
  issue: Answering<{ readonly keyId: string }, TicketIssued>;
  /** Used by the first request within its lifetime. Refuses `ticket_invalid`. */
  use: Answering<object, TicketGrant>;
  /** Its lifetime is over. */
  expire: { readonly key: string };
}

export type TicketIssued = { readonly expiresAt: Instant };

/** What the ticket grants access to. */
export type TicketGrant = { readonly scope: Scope; readonly keyId: string };

export interface LiveTicketState {
  readonly status: 'issued';
  readonly keyId: string;
  readonly expiresAt: Instant;
}

export interface LiveTicketTypes {
  state: LiveTicketState;
  terminal: never;
  commands: LiveTicketCommands;
  effects: Record<never, never>;
}
