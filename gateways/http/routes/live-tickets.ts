/** Tickets for live sockets: a server gets one with its key and hands it to a browser, which never sees the
 *  key. gateways/socketio decides what a ticket gives access to. */
import { liveTicketAt } from '../../../actors/live-ticket/messages.ts';
import { mintId } from '../../../src/kernel/id.ts';
import { iso } from '../../../src/kernel/time.ts';
import { done, refusalOf } from '../route/answer.ts';
import type { ApiParts } from '../api-parts.ts';
import type { Resource } from '../route/description.ts';
import { route } from '../route/spec.ts';
import { liveTicket } from '../schemas/live-ticket.ts';

const liveSockets: Resource = {
  name: 'Live sockets',
  description: 'Socket.IO at `/socket.io`: what changes, as it changes, for dashboards of your own.',
};

/** The Socket.IO namespace that tickets give access to. */
export const merchantNamespace = '/merchant';

export const liveTicketRoutes = ({ client }: Pick<ApiParts, 'client'>) => [
  route({
    method: 'POST',
    at: { api: '/v1/live/tickets' },
    resource: liveSockets,
    operation: 'createLiveTicket',
    summary: 'Create a ticket for a live socket',
    description:
      'Your server creates it and your page connects with it, so that your key never ' +
      'leaves your server. A read-only key may create one, too.',
    answer: liveTicket,
    key: 'secret',
    readIsEnough: true,
    reply: 201,
    mints: { ticket: () => mintId('tkt') },
    async handle({ caller, ids, identity }) {
      const ticket = ids.ticket;
      const { keyId, scope } = caller;
      const asking = { by: 'merchant', scope, ...identity } as const;
      const sold = await client.ask(liveTicketAt(ticket), 'issue', { keyId }, asking);
      if (sold.is !== 'ok') return refusalOf(sold);
      const { expiresAt } = sold.detail;
      return done({ ticket, namespace: merchantNamespace, expiresAt: iso(expiresAt) }, true);
    },
  }),
];
