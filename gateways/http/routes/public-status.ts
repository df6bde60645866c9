/** The public status of a payment: for shops' pages and buyers, without a key. */
import { Type } from 'typebox';
import { modes } from '../../../src/runtime/model/address.ts';
import { fieldError, type FieldError } from '../../../src/errors.ts';
import type { LookUp } from '../../status/answer.ts';
import { publicStatusLimit } from '../access/rate-limit.ts';
import type { Resource } from '../route/description.ts';
import { done, refused } from '../route/answer.ts';
import { invalid } from '../route/route.ts';
import { route } from '../route/spec.ts';
import { publicStatus } from '../schemas/public-status.ts';

const publicStatusResource: Resource = {
  name: 'Public status',
  description:
    'Where a payment stands, for anybody who holds a reference of it: without a key, also from a page in a browser.',
};

const queryCharacters = { min: 3, max: 120 } as const;

const statusQuery = Type.Object({
  query: Type.String({
    description:
      'A payment id, a session id, an order id (`metadata.order_id` or `metadata.orderId`), a ' +
      "provider's reference, or that of a payment link (`PL-...`): " +
      `${queryCharacters.min} to ${queryCharacters.max} characters, without the spaces around them.`,
  }),
  merchant: Type.Optional(Type.String({ maxLength: 64, description: 'Only of this project, `prj_...`.' })),
  mode: Type.Optional(Type.Enum([...modes], { description: 'Only of this mode.' })),
});

export const publicStatusRoutes = ({ lookUp }: { readonly lookUp: LookUp }) => [
  route({
    method: 'GET',
    at: { api: '/v1/public/payment-status' },
    resource: publicStatusResource,
    operation: 'findPayment',
    summary: 'Find a payment by a reference, without a key',
    description:
      'The kinds of reference are tried in this order: payment id, session id, order id, reference of the ' +
      'provider, reference of a payment link; `lookup.matchedBy` names the one that matched. The last three ' +
      'find what was created in the last six months; of several with one reference the paid one, otherwise ' +
      'the newest. A link for one payment shows its session, any other link only itself. Ask again after ' +
      '`status.refreshIntervalMs` while `status.autoRefresh` is true.',
    answer: publicStatus,
    errors: ['payment_not_found', 'ambiguous_reference'],
    key: 'none',
    perAddress: publicStatusLimit,
    reply: 200,
    query: statusQuery,
    async handle({ query: { query: sent, merchant = null, mode = null } }) {
      const query = sent.trim();
      const wrong = lengthError(query);
      if (wrong !== null) return invalid([wrong]);
      const found = await lookUp({ query, merchant, mode });
      if (found === null) return refused('payment_not_found');
      return found === 'ambiguous' ? refused('ambiguous_reference') : done(found);
    },
  }),
];

/** `query` is trimmed. */
export function lengthError(query: string): FieldError | null {
  // a character takes one or two code units
  const characters = query.length > 2 * queryCharacters.max ? Infinity : Array.from(query).length;
  if (characters < queryCharacters.min)
    return fieldError('query', 'too_short', `${queryCharacters.min} characters`);
  return characters > queryCharacters.max
    ? fieldError('query', 'too_long', `${queryCharacters.max} characters`)
    : null;
}
