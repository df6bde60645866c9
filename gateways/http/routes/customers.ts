/** Customers of the billing: create, list, read, change. */
import { Type, type Static } from 'typebox';
import {
  nameCharactersMax,
  phoneCharactersMax,
  referenceCharactersMax,
} from '../../../src/kernel/text-bounds.ts';
import { foundBy } from '../../../actors/customer/search.ts';
import { customerAt, type CustomerRequest, type CustomerState } from '../../../actors/customer/messages.ts';
import type { Metadata } from '../../../actors/metadata.ts';
import { couldBeId, mintId } from '../../../src/kernel/id.ts';
import { searchCharactersMax } from '../../../src/kernel/search-words.ts';
import type { Scope } from '../../../src/runtime/model/address.ts';
import type { Client, Snapshot } from '../../../src/runtime/model/client.ts';
import type { ApiParts } from '../api-parts.ts';
import { askAndShow, doneView, notFound, wholeView } from '../route/answer.ts';
import type { Resource } from '../route/description.ts';
import { answerPage, given, listQuery, queryOf } from '../route/paging.ts';
import { about, email, emailText, metadata, nullable, text } from '../route/schemas.ts';
import { route } from '../route/spec.ts';
import { changedCustomer, customer } from '../schemas/customer.ts';
import { listOf } from '../schemas/parts.ts';
import { refusalOfMetadata } from './plans.ts';

const customers: Resource = {
  name: 'Customers',
  description:
    'A customer is whom your subscriptions bill. Mails about invoices go to its `email`; without one none are ' +
    'sent, and events tell you all the same. Customers are not deleted.',
};

const name = about('Name; invoices and mails show it.', text(nameCharactersMax, 1));
const optional = {
  email: Type.Optional(about(emailText, nullable(email))),
  phone: Type.Optional(about('Phone number.', nullable(text(phoneCharactersMax)))),
  externalCustomerId: Type.Optional(
    about('Your own id of the customer. Several may have the same.', nullable(text(referenceCharactersMax))),
  ),
};

const createBody = Type.Object({
  name,
  ...optional,
  metadata: Type.Optional(about('Your own data.', metadata)),
});

const changeBody = Type.Object({
  name: Type.Optional(name),
  ...optional,
  metadata: Type.Optional(about('Merged by key; a key with the value null is removed.', metadata)),
});

const customersQuery = Type.Object({
  search: Type.Optional(
    about(
      'Only customers whose name, e-mail, phone or `externalCustomerId` begins with this, in upper or lower ' +
        'case.',
      text(searchCharactersMax, 1),
    ),
  ),
  email: Type.Optional(Type.String({ description: 'Only customers with exactly this e-mail.' })),
  externalCustomerId: Type.Optional(
    Type.String({ description: 'Only customers with exactly this id of yours.' }),
  ),
  ...listQuery,
});

export const customerRoutes = ({ client }: Pick<ApiParts, 'client'>) => [
  route({
    method: 'POST',
    at: { api: '/v1/billing/customers', dashboard: true },
    resource: customers,
    operation: 'createCustomer',
    summary: 'Create a customer',
    answer: customer,
    exampleBody: {
      name: 'Asha Rai',
      email: 'asha@example.com',
      phone: '9800000000',
      externalCustomerId: 'u-77',
    },
    key: 'secret',
    reply: 201,
    mints: { customer: () => mintId('bc') },
    body: createBody,
    async handle({ caller: { scope }, body, ids, identity }) {
      const asking = { by: 'merchant', scope, ...identity } as const;
      return askAndShow(client, customerAt(ids.customer), 'create', requestOf(body), asking, wholeView);
    },
  }),
  route({
    method: 'GET',
    at: { api: '/v1/billing/customers', dashboard: true },
    resource: customers,
    operation: 'listCustomers',
    summary: 'List customers',
    description: 'Newest first.',
    answer: listOf(customer),
    key: 'secret',
    reply: 200,
    query: customersQuery,
    handle({ caller: { scope }, query }) {
      const { search, email: address, externalCustomerId } = query;
      const filters = {
        equals: given({ email: address, externalCustomerId }),
        ...(search === undefined ? {} : { tagPrefix: foundBy(scope, search) }),
      };
      return answerPage(
        query,
        (page) => client.list(queryOf('customer', scope, page, query, filters)),
        ({ view }) => view,
      );
    },
  }),
  route({
    method: 'GET',
    at: { api: '/v1/billing/customers/{id}', dashboard: true },
    resource: customers,
    operation: 'readCustomer',
    summary: 'Read a customer',
    answer: customer,
    object: 'customer',
    key: 'secret',
    reply: 200,
    async handle({ caller, params }) {
      const found = await customerIn(client, params.id, caller.scope);
      return found === null ? notFound : doneView(found.view);
    },
  }),
  route({
    method: 'PATCH',
    at: { api: '/v1/billing/customers/{id}', dashboard: true },
    resource: customers,
    operation: 'changeCustomer',
    summary: 'Change a customer',
    description: 'What is absent stays as it is; null clears `email`, `phone` or `externalCustomerId`.',
    answer: changedCustomer,
    exampleBody: { phone: '9811111111' },
    object: 'customer',
    key: 'secret',
    reply: 200,
    body: changeBody,
    async handle({ caller: { scope }, params, body }) {
      const id = params.id;
      if ((await customerIn(client, id, scope)) === null) return notFound;
      const { metadata: data, ...rest } = body;
      const change = { ...rest, ...(data === undefined ? {} : { metadata: data as Metadata }) };
      const asking = { by: 'merchant', scope } as const;
      return askAndShow(client, customerAt(id), 'change', change, asking, wholeView, refusalOfMetadata);
    },
  }),
];

/** A customer of this scope; null for any other text. */
export async function customerIn(
  client: Client,
  id: string,
  scope: Scope,
): Promise<Snapshot<CustomerState> | null> {
  return couldBeId('bc', id) ? client.read<CustomerState>(customerAt(id), scope) : null;
}

const requestOf = (body: Static<typeof createBody>): CustomerRequest => ({
  name: body.name,
  email: body.email ?? null,
  phone: body.phone ?? null,
  externalCustomerId: body.externalCustomerId ?? null,
  // checked JSON, stored as received
  metadata: (body.metadata ?? {}) as Metadata,
});
