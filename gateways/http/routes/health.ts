/** Whether this process can serve, for a proxy or a supervisor.
 *  GET /health: ready to serve, or what is missing; includes `leaving` once the node was told to shut down.
 *  GET /live: the process works, whatever it lacks. */
import type { Door } from '../../server/door.ts';
import { jsonReply } from '../route/reply.ts';
import type { ApiParts } from '../api-parts.ts';

const ofAll = { method: 'GET', lateHeaders: [], always: true } as const;

export const healthDoors = ({ health }: Pick<ApiParts, 'health'>): readonly Door[] => [
  {
    ...ofAll,
    path: '/health',
    handle: async () => {
      const { missing, away } = health();
      if (missing.length > 0)
        return jsonReply(503, JSON.stringify({ status: 'unavailable', missing }), { 'Retry-After': '1' });
      return jsonReply(200, JSON.stringify({ status: 'ok', ...(away.length > 0 ? { away } : {}) }));
    },
  },
  { ...ofAll, path: '/live', handle: async () => jsonReply(200, '{"status":"ok"}') },
];
