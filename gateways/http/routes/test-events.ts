/** Events that a merchant makes up in the sandbox. */
import { Type } from 'typebox';
import { eventKinds, madeUpEvent } from '../../../actors/events.ts';
import { eventLogAt } from '../../../actors/event-log/messages.ts';
import { mintId } from '../../../src/kernel/id.ts';
import type { ApiParts } from '../api-parts.ts';
import { doneText, refusalOf, unavailable } from '../route/answer.ts';
import { route } from '../route/spec.ts';
import { testEvent } from '../schemas/test-event.ts';
import { sandbox } from './test-clock.ts';

const testEventBody = Type.Object({
  type: Type.Enum([...eventKinds], { description: 'The event type.' }),
  data: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      means: 'exact',
      description:
        'Fields that replace those of the sample, each as a whole. Send a number beyond ' +
        '9007199254740991 as text.',
    }),
  ),
});

export const testEventRoutes = ({ client }: Pick<ApiParts, 'client'>) => [
  route({
    method: 'POST',
    at: { api: '/v1/test/events' },
    resource: sandbox,
    operation: 'createTestEvent',
    summary: 'Make up an event',
    description:
      'Stores and delivers a sample of this type, with its top-level fields replaced by those of `data`. ' +
      'Listed, streamed and sent to the endpoints as a real event is, with `"test": true`.',
    answer: testEvent,
    exampleBody: { type: 'test.ping', data: { message: 'ping' } },
    key: 'sandbox',
    reply: 201,
    mints: { event: () => mintId('evt') },
    outlivedBy: ({ scope }) => [eventLogAt(scope)],
    body: testEventBody,
    async handle({ caller: { scope }, body, ids, identity }) {
      const { event: eventId } = ids;
      const { type, data = {} } = body;
      const at = client.now(scope);
      const key = `test_event/${eventId}:1`;
      const event = {
        key,
        eventId,
        event: type,
        at,
        ...madeUpEvent(type, { eventId, scope, now: at }, data),
      };
      const asking = { by: 'system', scope, ...identity } as const;
      const appended = await client.ask(eventLogAt(scope), 'append', { events: [event] }, asking);
      if (appended.is !== 'ok') return refusalOf(appended);
      // a repeat answers with the event as it was stored first
      const stored = (await client.readRow('journal', key, scope))?.body['envelope'];
      return typeof stored === 'string' ? { ...doneText(stored), objectId: eventId } : unavailable;
    },
  }),
];
