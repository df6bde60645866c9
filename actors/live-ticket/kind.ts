/** The kind of tickets for merchants' sockets. */
import type { Kind } from '../kind.ts';
import { liveTicket } from './live-ticket.ts';

export const liveTicketKind = {
  actor: liveTicket,
  refusals: {
    ticket_invalid: {
      status: 401,
      type: 'authentication_error',
      message: 'This ticket is unknown, used or expired. Request a new one.',
    },
  },
} as const satisfies Kind;
