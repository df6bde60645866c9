/** Holds: make one, read one. */
import { Type } from 'typebox';
import { couldBeId, mintId } from '../../src/kernel/id.ts';
import { minutes } from '../../src/kernel/time.ts';
import { doneView, notFound, refusalOf, unavailable } from '../../gateways/http/route/answer.ts';
import type { Door } from '../../gateways/server/door.ts';
import type { MakeRoute } from '../../gateways/http/route/route.ts';
import type { ApiParts } from '../../gateways/http/api-parts.ts';
import { text } from '../../gateways/http/route/schemas.ts';
import { holdAt } from './messages.ts';

export const holdRoutes = (route: MakeRoute, { client }: Pick<ApiParts, 'client'>): readonly Door[] => [
  route({
    method: 'POST',
    path: '/v1/holds',
    key: 'secret',
    reply: 201,
    mints: { hold: () => mintId('hld') },
    body: Type.Object({ item: text(100, 1), minutes: Type.Integer({ minimum: 1, maximum: 60 }) }),
    async handle({ caller, body, ids, identity }) {
      const to = holdAt(ids['hold'] ?? '');
      const until = client.now(caller.scope) + minutes(body.minutes);
      const asking = { by: 'merchant', scope: caller.scope, ...identity } as const;
      const result = await client.ask(to, 'open', { item: body.item, until }, asking);
      if (result.is !== 'ok') return refusalOf(result);
      const made = await client.read(to, caller.scope);
      return made === null ? unavailable : doneView(made.view);
    },
  }),
  route({
    method: 'GET',
    path: '/v1/holds/{id}',
    key: 'secret',
    reply: 200,
    async handle({ caller, params }) {
      const id = params['id'] ?? '';
      const found = couldBeId('hld', id) ? await client.read(holdAt(id), caller.scope) : null;
      return found === null ? notFound : doneView(found.view);
    },
  }),
];
