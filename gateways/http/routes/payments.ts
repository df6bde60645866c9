/** Payments: list, read, timeline. */
import { Type, type Static } from 'typebox';
import { descriptionWordsMax, searchTags } from '../../../actors/checkout-session/payment-words.ts';
import { linkTag, orderIdTag, shownPayment } from '../../../actors/checkout-session/view.ts';
import { couldBeId } from '../../../src/kernel/id.ts';
import { searchCharactersMax, searchWordsMax } from '../../../src/kernel/search-words.ts';
import { iso, type Instant } from '../../../src/kernel/time.ts';
import { providerNames } from '../../../src/providers/catalog.ts';
import type { Scope } from '../../../src/runtime/model/address.ts';
import type { Client } from '../../../src/runtime/model/client.ts';
import { notesIn, type StoredNote } from '../../../src/runtime/model/notes.ts';
import type { Row } from '../../../src/store/store.ts';
import { done, notFound } from '../route/answer.ts';
import {
  entriesDeepMax,
  given,
  isPage,
  listed,
  listQuery,
  paidQuery,
  pageOf,
  pageQuery,
  span,
  type Filters,
} from '../route/paging.ts';
import { answerRows, within } from '../route/rows.ts';
import type { ApiParts } from '../api-parts.ts';
import type { Resource } from '../route/description.ts';
import { route } from '../route/spec.ts';
import { columnsOf, csvOf, listOf } from '../schemas/parts.ts';
import { payment as paymentShown, paymentStatuses } from '../schemas/payment.ts';
import { timeline, timelineEntry as entryShown } from '../schemas/timeline.ts';

export const payments: Resource = {
  name: 'Payments',
  description: 'A payment is one attempt of a buyer to pay a checkout session, with one provider.',
};

const paymentsQuery = Type.Object({
  status: Type.Optional(Type.Enum([...paymentStatuses], { description: 'Only payments in this status.' })),
  provider: Type.Optional(Type.Enum(providerNames, { description: 'Only payments with this provider.' })),
  sessionId: Type.Optional(Type.String({ description: 'Only attempts of this checkout session.' })),
  invoiceId: Type.Optional(Type.String({ description: 'Only payments of this invoice.' })),
  customerId: Type.Optional(Type.String({ description: 'Only payments of this billing customer.' })),
  linkId: Type.Optional(Type.String({ description: 'Only payments that came by this payment link.' })),
  orderId: Type.Optional(Type.String({ description: 'The `order_id` or `orderId` of your metadata.' })),
  providerRef: Type.Optional(Type.String({ description: "The provider's own id of the payment." })),
  needsReview: Type.Optional(Type.Boolean({ description: 'Whether a person must check it.' })),
  amountMin: Type.Optional(Type.Integer({ minimum: 0, description: 'In paisa: this or more.' })),
  amountMax: Type.Optional(Type.Integer({ minimum: 0, description: 'In paisa: this or less.' })),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: searchCharactersMax,
      means: 'search',
      description:
        "Only payments that have every one of these words, in upper or lower case: words of the buyer's name, " +
        `the whole e-mail, the phone number, words of the description (of its first ${descriptionWordsMax}), ` +
        "the provider's reference, the order number. A word is found whole; a phone number also without " +
        `spaces, dashes and +977. At most ${searchWordsMax} words.`,
    }),
  ),
  ...paidQuery,
  ...listQuery,
});

export const paymentRoutes = ({ client }: Pick<ApiParts, 'client'>) => [
  route({
    method: 'GET',
    at: { api: '/v1/payments', dashboard: true },
    resource: payments,
    operation: 'listPayments',
    summary: 'List payments',
    description:
      'Newest first. With `paidFrom` or `paidTo` only what was paid, the newest `paidAt` first: a day from ' +
      'midnight to midnight is what the dashboard counts as that day.',
    answer: listOf(paymentShown),
    key: 'secret',
    reply: 200,
    query: paymentsQuery,
    metadataFilter: true,
    csv: { columns: columnsOf(paymentShown), name: 'payments' },
    otherTypes: { 'text/csv': csvOf(paymentShown) },
    handle({ caller, query, metadataTags, wantsCsv }) {
      const filters = filtersOf(query, metadataTags);
      const by = within('paidAt', query.paidFrom, query.paidTo);
      const list = {
        kind: 'payment',
        scope: caller.scope,
        listing: query,
        filters,
        shown: shownPayment,
        ...by,
      };
      return answerRows(client, list, wantsCsv);
    },
  }),
  route({
    method: 'GET',
    at: { api: '/v1/payments/{id}' },
    resource: payments,
    operation: 'readPayment',
    summary: 'Read a payment',
    answer: paymentShown,
    object: 'payment',
    key: 'secret',
    reply: 200,
    async handle({ caller, params }) {
      const payment = await paymentIn(client, params.id, caller.scope);
      return payment === null ? notFound : done(payment.body);
    },
  }),
  route({
    method: 'GET',
    at: { api: '/v1/payments/{id}/timeline', dashboard: true },
    resource: payments,
    operation: 'listPaymentTimeline',
    summary: 'List what happened to a payment',
    description:
      'Every call to the provider, every return of the buyer, every change of status and ' +
      'every webhook, oldest first. Entries of the same instant are in causal order.',
    answer: listOf(entryShown, timeline),
    object: 'payment',
    key: 'secret',
    reply: 200,
    query: Type.Object(pageQuery),
    async handle({ caller, params, query }) {
      const page = pageOf(query);
      if (!isPage(page)) return page;
      const payment = await paymentIn(client, params.id, caller.scope);
      if (payment === null) return notFound;
      const { items, total } = await client.listRows({
        kind: 'timeline',
        scope: caller.scope,
        equals: { about: payment.id },
        page: 1,
        limit: entriesDeepMax,
      });
      const entries = items.flatMap((row) => entriesIn(row, payment.id));
      // lists are newest first, a timeline is read from its beginning
      const oldestFirst = entries.toSorted(inOrder);
      const from = (page.page - 1) * page.limit;
      const all = total - items.length + entries.length;
      return listed(oldestFirst.slice(from, from + page.limit).map(timelineEntry), all, page);
    },
  }),
];

/** A payment of this scope, or for the operator (null) of any; null for any other text. */
export async function paymentIn(client: Client, id: string, scope: Scope | null): Promise<Row | null> {
  const row = couldBeId('pay', id) ? await client.readRow('payment', id, scope) : null;
  return row === null ? null : { ...row, body: shownPayment(row.body) };
}

function filtersOf(query: Static<typeof paymentsQuery>, metadataTags: readonly string[]): Filters {
  const { status, provider, sessionId, invoiceId, customerId, providerRef, needsReview, orderId } = query;
  const { amountMin, amountMax, linkId, search } = query;
  return {
    equals: given<string | boolean>({
      status,
      provider,
      sessionId,
      invoiceId,
      customerId,
      providerRef,
      needsReview,
    }),
    range: span('amount', amountMin, amountMax === undefined ? undefined : amountMax + 1),
    tags: [
      ...metadataTags,
      ...(linkId === undefined ? [] : [linkTag(linkId)]),
      ...(orderId === undefined ? [] : [orderIdTag(orderId)]),
      ...(search === undefined ? [] : searchTags(search)),
    ],
  };
}

/** A note and its time. */
type Entry = StoredNote & { readonly created: Instant };

/** A row may also hold notes about its session. */
const entriesIn = (row: Row, about: string): readonly Entry[] =>
  notesIn(row).flatMap((note) => (note.about === about ? [{ ...note, created: row.created }] : []));

/** Order within one instant (advancing a test clock makes many entries in one): the session's own entries
 *  first, then those that followed from them, the webhook attempts, by the positions of their events. */
const inOrder = (a: Entry, b: Entry): number =>
  a.created - b.created || placeOf(a) - placeOf(b) || a.eseq - b.eseq;

const placeOf = ({ detail }: Entry): number => Number(detail['place'] ?? 0);

const timelineEntry = ({ created, kind, summary, from, to, cause, durationMs, detail }: Entry): object => ({
  at: iso(created),
  kind,
  summary,
  from,
  to,
  cause,
  durationMs,
  detail,
});
