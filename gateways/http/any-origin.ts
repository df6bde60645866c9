/** Doors that pages of any origin may read: everything under /v1/public. Such a page needs no preflight for
 *  a plain GET. */
import { whenThere } from '../../src/kernel/maybe-promise.ts';
import type { Door } from '../server/door.ts';
import { anyOrigin } from './route/reply.ts';

const publicPaths = '/v1/public/';

export const withAnyOrigin = (doors: readonly Door[]): readonly Door[] =>
  doors.map((door) =>
    door.path.startsWith(publicPaths)
      ? {
          ...door,
          handle: (request) =>
            whenThere(door.handle(request), (reply) => ({
              ...reply,
              headers: { ...reply.headers, ...anyOrigin },
            })),
        }
      : door,
  );
