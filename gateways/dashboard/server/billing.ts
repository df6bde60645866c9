/** Names of customers, for lists of invoices: an invoice names its customer by id alone.
 *  Boundary: everything else of billing is the API's own. */
import { Type } from 'typebox';
import { customerAt, type CustomerState } from '../../../actors/customer/messages.ts';
import { couldBeId } from '../../../src/kernel/id.ts';
import type { ApiParts } from '../../http/api-parts.ts';
import { done } from '../../http/route/answer.ts';
import type { MakeBareRoute } from '../../http/route/route.ts';
import type { Door } from '../../server/door.ts';
import { apiBase } from './api-base.ts';

/** As many as a page of a list has rows. */
const namesMax = 100;
const charactersMax = namesMax * 65;

const namesQuery = Type.Object({ ids: Type.String({ maxLength: charactersMax }) });

/** Whoever is not found is left out. */
export const customerNamesDoor = (make: MakeBareRoute, { client }: Pick<ApiParts, 'client'>): Door =>
  make({
    method: 'GET',
    path: `${apiBase}/customer-names`,
    key: 'secret',
    reply: 200,
    query: namesQuery,
    async handle({ caller: { scope }, query }) {
      const ids = [...new Set(query.ids.split(','))].filter((id) => couldBeId('bc', id)).slice(0, namesMax);
      const found = await Promise.all(
        ids.map(async (id) => client.read<CustomerState>(customerAt(id), scope)),
      );
      const data = found.flatMap((each, at) =>
        each === null ? [] : [{ id: ids[at] ?? '', name: each.state.name }],
      );
      return done({ data });
    },
  });
