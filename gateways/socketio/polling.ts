/** What asks the address of the sockets for anything but a websocket. By default the client of Socket.IO begins with
 *  polling: it is told what to write instead. */
import { errorReply } from '../http/route/reply.ts';
import { merchantNamespace } from '../http/routes/live-tickets.ts';
import type { Door } from '../server/door.ts';

const socketPath = '/socket.io/';

/** `baseUrl`: the public address without a trailing slash. */
export function pollingDoors(baseUrl: string): readonly Door[] {
  const line = `io('${baseUrl}${merchantNamespace}', { transports: ['websocket'], auth })`;
  const message = `Only websocket is served here. Connect with ${line}.`;
  const error = { param: 'transport', code: 'not_in_enum', message } as const;
  const details = { message, param: error.param, errors: [error] };
  return (['GET', 'POST'] as const).map((method) => ({
    method,
    path: socketPath,
    lateHeaders: [],
    handle: ({ requestId }) => errorReply('validation_failed', requestId, details),
  }));
}
