/** The doors of the dashboard's log of requests. */
import { Type } from 'typebox';
import type { ApiParts } from '../../http/api-parts.ts';
import { done } from '../../http/route/answer.ts';
import type { MakeBareRoute } from '../../http/route/route.ts';
import { text } from '../../http/route/schemas.ts';
import { pathCharsMax } from '../../requests/request-log.ts';
import { findRequests, type Place } from '../../requests/search.ts';
import type { Door } from '../../server/door.ts';
import { apiBase } from './api-base.ts';

const limitUsual = 50;

const query = Type.Object({
  id: Type.Optional(text(100)),
  key: Type.Optional(text(100)),
  path: Type.Optional(text(pathCharsMax)),
  status: Type.Optional(Type.Integer({ minimum: 100, maximum: 599 })),
  /** The `next` of the answer before. */
  after: Type.Optional(text(100)),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
});

export const requestDoors = (
  make: MakeBareRoute,
  { client, scheduler }: Pick<ApiParts, 'client' | 'scheduler'>,
): readonly Door[] => [
  make({
    method: 'GET',
    path: `${apiBase}/requests`,
    key: 'secret',
    reply: 200,
    query,
    async handle({ caller: { scope }, query: { after, limit = limitUsual, ...filter } }) {
      const place = after === undefined ? null : placeFrom(after);
      const now = scheduler.now();
      const { data, next } = await findRequests(client, { ...filter, scope, after: place, limit, now });
      return done({ data, next: next === null ? null : textOf(next) });
    },
  }),
];

const textOf = ({ created, block, entry }: Place): string => `${created}.${block}.${entry}`;

/** null: a text that is no place begins at the newest request. */
function placeFrom(given: string): Place | null {
  const found = /^(\d{1,15})\.(rql_[0-9a-z]{24})\.(\d{1,4})$/.exec(given);
  return found === null
    ? null
    : { created: Number(found[1]), block: found[2] ?? '', entry: Number(found[3]) };
}
