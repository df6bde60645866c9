/** What a ticket for one live socket understands. */
import { address, type Address, type Answering, type Scope } from '../../src/runtime/model/actor.ts';
import { sha256Base32 } from '../../src/kernel/hash.ts';
import { seconds, type DurationMs, type Instant } from '../../src/kernel/time.ts';

/** How long a ticket can be used, real time. */
export const ticketLifeMs: DurationMs = seconds(60);

/** Who knows the text finds the actor; its id, which is stored and travels, does not give the text away. */
export const liveTicketAt = (ticket: string): Address<LiveTicketCommands> =>
  address('live_ticket', sha256Base32(['live ticket', ticket], 24));

export interface LiveTicketCommands {
  /** Sold to whoever holds this key, for its project and mode. */
  sell: Answering<{ readonly keyId: string }, TicketSold>;
  /** Used up, by the first who asks within its time. Refuses `ticket_invalid`. */
  use: Answering<object, TicketUsed>;
  /** Its time is over. */
  expire: { readonly key: string };
}

export type TicketSold = { readonly expiresAt: Instant };

/** What the ticket was good for. */
export type TicketUsed = { readonly scope: Scope; readonly keyId: string };

export interface LiveTicketState {
  readonly status: 'sold';
  readonly keyId: string;
  readonly expiresAt: Instant;
}

export interface LiveTicketTypes {
  state: LiveTicketState;
  terminal: never;
  commands: LiveTicketCommands;
  effects: Record<never, never>;
}
