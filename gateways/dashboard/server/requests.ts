/** The doors of the dashboard's log of requests.
 *  1. A search reads up to 20,000 entries: one at a time runs on a node, with projects taking turns. However many
 *     searches one login sends, they take a part of the event loop, and no other project's turn. */
import { Type } from 'typebox';
import type { ApiParts } from '../../http/api-parts.ts';
import { done, unavailable } from '../../http/route/answer.ts';
import { ownRoute } from '../../http/route/spec.ts';
import { text } from '../../http/route/schemas.ts';
import { pathCharsMax } from '../../requests/entries.ts';
import { findRequests, type Found, type Place, type Search } from '../../requests/search.ts';
import { projectOf } from '../../../src/runtime/model/address.ts';
import type { Client } from '../../../src/runtime/model/client.ts';
import { FairQueue } from '../../http/access/fair-queue.ts';

const limitUsual = 50;
/** The last of them waits for some three seconds. */
export const searchesWaitingMax = 20;

const query = Type.Object({
  id: Type.Optional(text(100)),
  key: Type.Optional(text(100)),
  path: Type.Optional(text(pathCharsMax)),
  status: Type.Optional(Type.Integer({ minimum: 100, maximum: 599 })),
  /** The `next` of the answer before. */
  after: Type.Optional(text(100)),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
});

export function requestsRoute({ client, scheduler }: Pick<ApiParts, 'client' | 'scheduler'>) {
  const find = searchesInTurn(client);
  return ownRoute({
    method: 'GET',
    at: { dashboard: 'requests' },
    does:
      'the log of requests of the last 30 days, newest first: `{data: [{id, at, method, path, ' +
      'status, keyId, durationMs, code}], next}`; `code` is that of the error, or null. Filters: ' +
      '`id`, `key` (id of a key), `status`, `path` (part of it), `limit` (1 to 100, default 50). ' +
      '`after=<next>` goes on; one answer looks through at most 20,000 requests, so it may hold ' +
      'fewer than asked for; `next` is null at the end',
    reply: 200,
    query,
    async handle({ caller: { scope }, query: { after, limit = limitUsual, ...filter } }) {
      const place = after === undefined ? null : placeFrom(after);
      const found = await find({ ...filter, scope, after: place, limit, now: scheduler.now() });
      if (found === null) return unavailable;
      const { data, next } = found;
      return done({ data, next: next === null ? null : textOf(next) });
    },
  });
}

/** null: too many others are waiting. */
export function searchesInTurn(client: Pick<Client, 'listRows'>): (search: Search) => Promise<Found | null> {
  const line = new FairQueue(searchesWaitingMax);
  return async (search) => {
    const leave = await line.enter(projectOf(search.scope));
    return leave === null ? null : findRequests(client, search).finally(leave);
  };
}

const textOf = ({ created, block, entry }: Place): string => `${created}.${block}.${entry}`;

/** null: a text that is no place begins at the newest request. */
function placeFrom(given: string): Place | null {
  const found = /^(\d{1,15})\.(rql_[0-9a-z]{24})\.(\d{1,4})$/.exec(given);
  return found === null
    ? null
    : { created: Number(found[1]), block: found[2] ?? '', entry: Number(found[3]) };
}
