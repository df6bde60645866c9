/** GET /health: ready to serve, or what is missing; includes `leaving` once the node was told to shut down. */
import type { Door } from '../../server/door.ts';
import { jsonReply } from '../route/reply.ts';
import type { ApiParts } from '../api-parts.ts';

export const healthDoor = ({ health }: Pick<ApiParts, 'health'>): Door => ({
  method: 'GET',
  path: '/health',
  lateHeaders: [],
  always: true,
  handle: async () => {
    const missing = health();
    return missing.length === 0
      ? jsonReply(200, '{"status":"ok"}')
      : jsonReply(503, JSON.stringify({ status: 'unavailable', missing }), { 'Retry-After': '1' });
  },
});
