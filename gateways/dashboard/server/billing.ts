/** Names of customers, for lists of invoices: an invoice names its customer by id alone.
 *  Boundary: everything else of billing is the API's own. */
import { customerAt, type CustomerState } from '../../../actors/customer/messages.ts';
import type { ApiParts } from '../../http/api-parts.ts';
import { done } from '../../http/route/answer.ts';
import { ownRoute } from '../../http/route/spec.ts';
import { idsIn, idsQuery } from './ids.ts';

/** Whoever is not found is left out. */
export const customerNamesRoute = ({ client }: Pick<ApiParts, 'client'>) =>
  ownRoute({
    method: 'GET',
    at: { dashboard: 'customer-names' },
    does:
      '`?ids=bc_...,bc_...` (at most 100): `{data: [{id, name}]}`, the names of these customers; ' +
      'those that do not exist are left out',
    reply: 200,
    query: idsQuery,
    async handle({ caller: { scope }, query }) {
      const ids = idsIn(query.ids, 'bc');
      const found = await Promise.all(
        ids.map(async (id) => client.read<CustomerState>(customerAt(id), scope)),
      );
      const data = found.flatMap((each, at) =>
        each === null ? [] : [{ id: ids[at] ?? '', name: each.state.name }],
      );
      return done({ data });
    },
  });
