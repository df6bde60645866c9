/** A ticket for one live socket: obtained with a key, used once, on any node.
 *  T1. The first use deletes it: there is one writer, so only one use can be first, and every later one
 *      gets `not_found`.
 *  T2. Unused it lives 60 s of real time, in sandbox too. */
import { actor } from '../../src/runtime/model/actor.ts';
import { iso } from '../../src/kernel/time.ts';
import { ticketLifeMs, type LiveTicketTypes, type TicketSold, type TicketUsed } from './messages.ts';

export const liveTicket = actor<LiveTicketTypes>('live_ticket', '', {
  schema: 1,
  realTime: true,
  on: {
    sell: {
      by: 'merchant',
      creates: ({ keyId }, x) => {
        const expiresAt = x.now + ticketLifeMs;
        return x.become('sold', { keyId, expiresAt }).timer('expiry', expiresAt).answer(sold({ expiresAt }));
      },
      sold: ({ expiresAt }, _c, x) => x.ok(sold({ expiresAt })),
    },
    use: {
      by: 'system',
      sold: ({ keyId, expiresAt }, _c, x) =>
        x.now < expiresAt ? x.bury().answer(used({ scope: x.scope, keyId })) : x.refuse('ticket_invalid'),
    },
    expire: { by: 'system', sold: (_s, _c, x) => x.bury() },
  },
  effects: {},
  timers: { expiry: 'expire' },
  view: ({ keyId, expiresAt }) => ({ keyId, expiresAt: iso(expiresAt) }),
});

const sold = (answer: TicketSold): TicketSold => answer;
const used = (answer: TicketUsed): TicketUsed => answer;
