/** A ticket for a live socket. */
import { shown } from '../route/description.ts';
import { object, text, time } from './parts.ts';

export const liveTicket = shown(
  object('LiveTicket', 'Opens one live socket.', {
    ticket: text('What the page connects with. Shown this once.'),
    namespace: text('The Socket.IO namespace it opens.'),
    expiresAt: time('When it stops working: after 60 seconds.'),
  }),
  { ticket: 'tkt_9m2c7y1q4w8e5r3t6z0xkdvb', namespace: '/merchant', expiresAt: '2026-11-21T15:34:10.857Z' },
);
