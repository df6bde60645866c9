/** A ticket for one live socket: obtained with a key, used once, on any node.
 *  T1. The first use deletes it: there is one writer, so only one use can be first, and every later one
 *      gets `not_found`.
 *  T2. Unused it lives 60 s of real time, in sandbox too. */
import { actor } from '../../src/runtime/model/actor.ts';
import { iso } from '../../src/kernel/time.ts';
import { ticketLifeMs, type LiveTicketTypes, type TicketIssued, type TicketGrant } from './messages.ts';
import type { Kind } from '../kind.ts';

export const liveTicket = actor<LiveTicketTypes>('live_ticket', '', {
  schema: 1,
  realTime: true,
  on: {
    issue: {
      by: 'merchant',
      creates: ({ keyId }, x) => {
        const expiresAt = x.now + ticketLifeMs;
        return x
          .become('issued', { keyId, expiresAt })
          .timer('expiry', expiresAt)
          .answer(issued({ expiresAt }));
      },
      issued: ({ expiresAt }, _c, x) => x.ok(issued({ expiresAt })),
    },
    use: {
      by: 'system',
      issued: ({ keyId, expiresAt }, _c, x) =>
        x.now < expiresAt ? x.delete().answer(grant({ scope: x.scope, keyId })) : x.refuse('ticket_invalid'),
    },
    expire: { by: 'system', issued: (_s, _c, x) => x.delete() },
  },
  effects: {},
  timers: { expiry: 'expire' },
  view: ({ keyId, expiresAt }) => ({ keyId, expiresAt: iso(expiresAt) }),
});

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

const issued = (answer: TicketIssued): TicketIssued => answer;
const grant = (answer: TicketGrant): TicketGrant => answer;
