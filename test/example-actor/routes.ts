/** Holds: make one, read one. */
import { Type } from 'typebox';
import { couldBeId, mintId } from '../../src/kernel/id.ts';
import { minutes } from '../../src/kernel/time.ts';
import { askAndShow, doneView, notFound, wholeView } from '../../gateways/http/route/answer.ts';
import { route } from '../../gateways/http/route/spec.ts';
import type { ApiParts } from '../../gateways/http/api-parts.ts';
import type { Resource } from '../../gateways/http/route/description.ts';
import { about, text } from '../../gateways/http/route/schemas.ts';
import { holdAt } from './messages.ts';
import { hold } from './schema.ts';

const holds: Resource = { name: 'Holds', description: 'A hold keeps an item for a buyer for a while.' };

const createBody = Type.Object({
  item: about('What is kept.', text(100, 1)),
  minutes: Type.Integer({ minimum: 1, maximum: 60, description: 'For how long.' }),
});

export const holdRoutes = ({ client }: Pick<ApiParts, 'client'>) => [
  route({
    method: 'POST',
    at: { api: '/v1/holds' },
    resource: holds,
    operation: 'createHold',
    summary: 'Keep an item for a buyer',
    answer: hold,
    exampleBody: { item: 'Kettle', minutes: 10 },
    key: 'secret',
    reply: 201,
    mints: { hold: () => mintId('hld') },
    body: createBody,
    async handle({ caller, body, ids, identity }) {
      const to = holdAt(ids.hold);
      const until = client.now(caller.scope) + minutes(body.minutes);
      const asking = { by: 'merchant', scope: caller.scope, ...identity } as const;
      return askAndShow(client, to, 'open', { item: body.item, until }, asking, wholeView);
    },
  }),
  route({
    method: 'GET',
    at: { api: '/v1/holds/{id}' },
    resource: holds,
    operation: 'readHold',
    summary: 'Read a hold',
    answer: hold,
    object: 'hold',
    key: 'secret',
    reply: 200,
    async handle({ caller, params }) {
      const { id } = params;
      const found = couldBeId('hld', id) ? await client.read(holdAt(id), caller.scope) : null;
      return found === null ? notFound : doneView(found.view);
    },
  }),
];
