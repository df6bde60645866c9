/** Events: everything that happened in the last 90 days, newest first, byte for byte as webhooks of the same version
 *  carry it. An older event no longer exists for a reader, whether or not it has been removed from the store. */
import { Type } from 'typebox';
import { couldBeId } from '../../../src/kernel/id.ts';
import type { Row } from '../../../src/store/store.ts';
import { doneText, notFound } from '../route/answer.ts';
import { given, isPage, listQuery, pageOf, queryOf, span } from '../route/paging.ts';
import type { ApiParts } from '../api-parts.ts';
import type { Resource } from '../route/description.ts';
import { route } from '../route/spec.ts';
import { event } from '../schemas/event.ts';
import { listOf } from '../schemas/parts.ts';
import { eventsKeptFrom } from '../event-window.ts';

export const events: Resource = {
  name: 'Events',
  description:
    'Everything that happened, in one ordered log for each project and mode. Webhooks, ' +
    'lists and the stream carry the same bytes.',
};

const eventsQuery = Type.Object({
  type: Type.Optional(
    Type.String({ means: 'eventTypes', description: 'Only these event types, separated by commas.' }),
  ),
  objectId: Type.Optional(Type.String({ description: 'Only events about the object with this id.' })),
  ...listQuery,
});

export const eventRoutes = ({ client, versions }: Pick<ApiParts, 'client' | 'versions'>) => [
  route({
    method: 'GET',
    at: { api: '/v1/events', dashboard: true },
    resource: events,
    operation: 'listEvents',
    summary: 'List events',
    description: 'Of the last 90 days, in reverse order of the log.',
    answer: listOf(event),
    key: 'secret',
    reply: 200,
    query: eventsQuery,
    async handle({ caller, query }) {
      const page = pageOf(query);
      if (!isPage(page)) return page;
      const { type, objectId } = query;
      const { items, total } = await client.listRows(
        queryOf('journal', caller.scope, page, query, {
          equals: given({ objectId }),
          range: span('created', eventsKeptFrom(client, caller.scope), undefined),
          ...(type === undefined ? {} : { anyOf: { event: [...new Set(type.split(','))] } }),
        }),
      );
      const data = items.map((row) => versions.event(caller.apiVersion, envelopeOf(row)).text).join(',');
      return doneText(`{"data":[${data}],"total":${total},"page":${page.page},"limit":${page.limit}}`);
    },
  }),
  route({
    method: 'GET',
    at: { api: '/v1/events/{id}', dashboard: true },
    resource: events,
    operation: 'readEvent',
    summary: 'Read an event',
    answer: event,
    object: 'event',
    key: 'secret',
    reply: 200,
    async handle({ caller, params }) {
      const id = params.id;
      if (!couldBeId('evt', id)) return notFound;
      const { items } = await client.listRows({
        kind: 'journal',
        scope: caller.scope,
        equals: { eventId: id },
        range: span('created', eventsKeptFrom(client, caller.scope), undefined),
        page: 1,
        limit: 1,
      });
      const [event] = items;
      return event === undefined
        ? notFound
        : doneText(versions.event(caller.apiVersion, envelopeOf(event)).text);
    },
  }),
];

/** The journal stores the envelope as text, so that every reader gets the same bytes. */
const envelopeOf = ({ body: { envelope } }: Row): string =>
  typeof envelope === 'string' ? envelope : 'null';
