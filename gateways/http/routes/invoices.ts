/** Invoices: list, read. What is done to one is in invoice-actions.ts. */
import { Type } from 'typebox';
import { invoiceStatuses } from '../../../actors/subscription/state.ts';
import { shownInvoice } from '../../../actors/subscription/view.ts';
import { couldBeId } from '../../../src/kernel/id.ts';
import type { Scope } from '../../../src/runtime/model/address.ts';
import type { Client } from '../../../src/runtime/model/client.ts';
import type { Row } from '../../../src/store/store.ts';
import type { ApiParts } from '../api-parts.ts';
import { done, notFound } from '../route/answer.ts';
import type { Resource } from '../route/description.ts';
import { given, listQuery } from '../route/paging.ts';
import { answerRows } from '../route/rows.ts';
import { route } from '../route/spec.ts';
import { invoice } from '../schemas/invoice.ts';
import { columnsOf, csvOf, listOf } from '../schemas/parts.ts';

export const invoices: Resource = {
  name: 'Invoices',
  description:
    'An invoice bills one period of a subscription. Its customer pays it at `hostedUrl`, with any provider of ' +
    'yours.',
};

const invoicesQuery = Type.Object({
  subscriptionId: Type.Optional(Type.String({ description: 'Only invoices of this subscription.' })),
  customerId: Type.Optional(Type.String({ description: 'Only invoices for this customer.' })),
  status: Type.Optional(Type.Enum([...invoiceStatuses], { description: 'Only invoices in this status.' })),
  ...listQuery,
});

export const invoiceRoutes = ({ client }: Pick<ApiParts, 'client'>) => [
  route({
    method: 'GET',
    at: { api: '/v1/billing/invoices', dashboard: true },
    resource: invoices,
    operation: 'listInvoices',
    summary: 'List invoices',
    description: 'Newest first.',
    answer: listOf(invoice),
    key: 'secret',
    reply: 200,
    query: invoicesQuery,
    csv: { columns: columnsOf(invoice), name: 'invoices' },
    otherTypes: { 'text/csv': csvOf(invoice) },
    handle({ caller: { scope }, query, wantsCsv }) {
      const { subscriptionId, customerId, status } = query;
      const filters = { equals: given<string>({ subscriptionId, customerId, status }) };
      return answerRows(
        client,
        { kind: 'invoice', scope, listing: query, filters, shown: shownInvoice },
        wantsCsv,
      );
    },
  }),
  route({
    method: 'GET',
    at: { api: '/v1/billing/invoices/{id}', dashboard: true },
    resource: invoices,
    operation: 'readInvoice',
    summary: 'Read an invoice',
    answer: invoice,
    object: 'invoice',
    key: 'secret',
    reply: 200,
    async handle({ caller, params }) {
      const row = await invoiceIn(client, params.id, caller.scope);
      return row === null ? notFound : done(row.body);
    },
  }),
];

/** The row of an invoice of this scope; null for any other text. */
export async function invoiceIn(client: Client, id: string, scope: Scope): Promise<Row | null> {
  const row = couldBeId('inv', id) ? await client.readRow('invoice', id, scope) : null;
  return row === null ? null : { ...row, body: shownInvoice(row.body) };
}
