/** Payments under review, for the operator and for the dashboard: the queue and why, the reviews that have ended and
 *  who ended them, and what a person does with one.
 *  1. Nothing is marked paid here: `accept`, `keep` and `refund` ask the provider once more, and its answer decides.
 *  2. The open ones are the payments that need a review, also where an older version opened it.
 *  3. A page of the dashboard reads each of its payments; a page has at most 100. */
import { Type } from 'typebox';
import type { ReviewEnding } from '../../../actors/checkout-session/commands.ts';
import { recordOf } from '../../../actors/checkout-session/review-record.ts';
import type { Payment, ReviewRecord } from '../../../actors/checkout-session/attempt.ts';
import type { WayOut } from '../../../actors/checkout-session/other-amount.ts';
import { shownPayment, underReviewTag } from '../../../actors/checkout-session/view.ts';
import { reasonCharactersMax } from '../../../src/kernel/text-bounds.ts';
import { iso } from '../../../src/kernel/time.ts';
import type { Scope } from '../../../src/runtime/model/address.ts';
import type { Row } from '../../../src/store/store.ts';
import type { Caller } from '../access/auth.ts';
import { endReview, lookUpNow, paymentNow, type PaymentNow } from '../reviews.ts';
import { paymentIn } from './payments.ts';
import { done, notFound } from '../route/answer.ts';
import type { ApiParts } from '../api-parts.ts';
import {
  answerPage,
  isPage,
  listed,
  listQuerySchema,
  pageOf,
  pageQuery,
  queryOf,
  type Listing,
} from '../route/paging.ts';
import { viewAs, type Resource } from '../route/description.ts';
import { about, text } from '../route/schemas.ts';
import { ownRoute, route } from '../route/spec.ts';
import { listOf } from '../schemas/parts.ts';
import { payment } from '../schemas/payment.ts';
import {
  acceptedPayment,
  dismissedPayment,
  keptPayment,
  refundedPayment,
  reviewedPayment,
} from '../schemas/review.ts';

type Parts = Pick<ApiParts, 'client' | 'scheduler'>;

const reviews: Resource = {
  name: 'Reviews',
  description:
    'A payment is under review when the answer of its provider is unclear or contradicts an earlier one. ' +
    'Nobody can mark it as paid by hand.',
};

const reason = about('Why; it appears in the timeline.', text(reasonCharactersMax, 1));
const reasonBody = Type.Object({ reason });
const moneyBody = Type.Object({
  amount: Type.Integer({
    minimum: 1,
    means: 'amount',
    description: 'In paisa: what the provider says was paid, which is not what was asked for.',
  }),
  reason,
});

const ownQuery = Type.Object({ ...pageQuery, status: Type.Optional(Type.Enum(['open', 'ended'])) });

const endings = {
  accept: {
    operation: 'acceptPayment',
    summary: 'Accept a payment under review if its provider confirms it',
    description:
      'Asks the provider once more: the payment is paid if it confirms amount and reference, otherwise ' +
      'nothing changes and the answer is 409. 503: there is no answer yet, send it again.',
    answer: acceptedPayment,
    exampleBody: { reason: 'The buyer has shown the receipt.' },
  },
  dismiss: {
    operation: 'dismissReview',
    summary: 'End the review of a payment',
    description: 'Nothing else of the payment changes. A new doubt opens a new review.',
    answer: dismissedPayment,
    exampleBody: { reason: 'Settled with the buyer.' },
  },
} as const;

const moneyEndings = {
  keep: {
    operation: 'keepPayment',
    summary: 'Keep what was paid, although it is another amount',
    description:
      'For a review that has found money of another amount under our reference. Asks the provider once more; if it ' +
      'still says that exactly `amount` was paid, the payment is `success` with this `amount`, and `amountExpected` ' +
      'is what was asked for. The session becomes `success`, and its own amount stays. If session or invoice is paid ' +
      'already, the payment is a duplicate and is refunded. An invoice takes no less than it asks for. Otherwise ' +
      'nothing changes and the answer is 409 `review_changed`. 503: there is no answer yet, send it again.',
    answer: keptPayment,
    exampleBody: { amount: 124_950, reason: 'The buyer pays the rest at the counter.' },
  },
  refund: {
    operation: 'refundReviewedPayment',
    summary: 'Refund what was paid, because it is another amount',
    description:
      'For a review that has found money of another amount under our reference. Asks the provider once more; if it ' +
      'still says that exactly `amount` was paid, the payment is recorded as `success` with `duplicate: true`, and a ' +
      'refund of all of it is opened. The session stays as it is, and `payment.succeeded` is not sent. Otherwise ' +
      'nothing changes and the answer is 409 `review_changed`. 503: there is no answer yet, send it again.',
    answer: refundedPayment,
    exampleBody: { amount: 124_950, reason: 'The buyer pays again, the right amount.' },
  },
} as const;

export const reviewRoutes = (parts: Parts) => [
  route({
    method: 'GET',
    at: { operator: '/admin/v1/reviews' },
    resource: reviews,
    operation: 'listReviews',
    summary: 'List the payments under review',
    description:
      'Of all projects and modes. A review that an older version opened appears after the next change of its ' +
      'session; `GET /v1/payments?needsReview=true` of its project shows it at once.',
    answer: listOf(reviewedPayment),
    key: 'operator',
    reply: 200,
    query: listQuerySchema,
    handle: ({ query }) =>
      answerPage(
        query,
        (page) => parts.client.listRows(queryOf('payment', null, page, query, { tags: [underReviewTag] })),
        ({ body }) => shownPayment(body),
      ),
  }),
  reasonRoute(parts, 'accept'),
  reasonRoute(parts, 'dismiss'),
  moneyRoute(parts, 'keep'),
  moneyRoute(parts, 'refund'),
  ownRoute({
    method: 'GET',
    at: { dashboard: 'reviews' },
    does:
      '`?status=open` (default): the payments under review, newest first; `ended`: the reviews ' +
      'that have ended, the last one first, at most one of a payment. A list of `{payment, review: ' +
      '{since, doubt, word, amountProvider, ways, endedAt, how, by, reason}}`: `word` is the ' +
      "provider's own text where we do not know it, `amountProvider` the amount it names in paisa, " +
      '`ways` how it can be ended (`accept`, `keep`, `refund`, `dismiss`; `keep` and `refund` take ' +
      '`amountProvider`), `how` is `accepted`, `kept`, `refunded`, `dismissed` or `answered` (by a ' +
      'clear answer of the provider), `by` the login that ended it',
    reply: 200,
    query: ownQuery,
    handle: ({ caller: { scope }, query: { status = 'open', ...listing } }) =>
      status === 'open' ? openReviews(parts, scope, listing) : endedReviews(parts, scope, listing),
  }),
  ownRoute({
    method: 'POST',
    at: { dashboard: 'reviews/{id}/look-up' },
    does:
      'asks the provider once more about a payment under review; answers one such entry, whatever ' +
      'the provider said',
    object: 'payment',
    reply: 200,
    async handle({ caller, params }) {
      const row = await paymentIn(parts.client, params.id, caller.scope);
      if (row === null) return notFound;
      const found = await lookUpNow(parts, row, loginOf(caller));
      return 'is' in found ? found : done(openView(found));
    },
  }),
];

const ending = { method: 'POST', object: 'payment', key: 'operator', reply: 200, resource: reviews } as const;

const reasonRoute = (parts: Parts, how: 'accept' | 'dismiss') =>
  route({
    ...ending,
    ...endings[how],
    at: { operator: `/admin/v1/payments/{id}/${how}`, dashboard: `reviews/{id}/${how}` },
    errors: ['invalid_state'] as const,
    body: reasonBody,
    handle: ({ caller, params, body }) => ended(parts, caller, params.id, { how, ...body }),
  });

const moneyRoute = (parts: Parts, how: 'keep' | 'refund') =>
  route({
    ...ending,
    ...moneyEndings[how],
    at: { operator: `/admin/v1/payments/{id}/${how}`, dashboard: `reviews/{id}/${how}` },
    errors: ['invalid_state', 'review_changed'] as const,
    body: moneyBody,
    handle: ({ caller, params, body }) => ended(parts, caller, params.id, { how, ...body }),
  });

/** `caller`: the login whose project it must belong to; null: the operator. */
async function ended(parts: Parts, caller: Caller | null, id: string, how: ReviewEnding) {
  const row = await paymentIn(parts.client, id, caller?.scope ?? null);
  if (row === null) return notFound;
  const by =
    caller === null ? ({ by: 'operator' } as const) : ({ by: 'merchant', who: loginOf(caller) } as const);
  const after = await endReview(parts, row, how, by);
  return 'is' in after ? after : done(after.view);
}

/** Every caller has logged in. */
const loginOf = ({ login = '' }: Caller): string => login;

async function openReviews(parts: Parts, scope: Scope, listing: Listing) {
  const page = pageOf(listing);
  if (!isPage(page)) return page;
  const wanted = { equals: { needsReview: true } };
  const { items, total } = await parts.client.listRows(queryOf('payment', scope, page, {}, wanted));
  const found = await Promise.all(items.map((row) => paymentNow(parts, row)));
  return listed(
    found.flatMap((one) => (one === null ? [] : [openView(one)])),
    total,
    page,
  );
}

async function endedReviews({ client }: Parts, scope: Scope, listing: Listing) {
  const page = pageOf(listing);
  if (!isPage(page)) return page;
  const { items, total } = await client.listRows(queryOf('ended_review', scope, page, {}));
  const payments = await Promise.all(items.map(({ id }) => client.readRow('payment', id, scope)));
  const views = items.flatMap((row, at) => {
    const payment = payments[at] ?? null;
    return payment === null ? [] : [endedView(row, payment)];
  });
  return listed(views, total, page);
}

const openView = ({ payment: held, view, ways }: PaymentNow) => ({
  payment: viewAs(payment, view),
  review: reviewView(shownRecord(held), ways),
});

/** After its end, the record says how it ended. */
const shownRecord = (payment: Payment): ReviewRecord =>
  payment.needsReview ? recordOf(payment) : (payment.reviewed ?? recordOf(payment));

/** A row's body is the record. */
const endedView = ({ body }: Row, row: Row) => ({
  payment: viewAs(payment, shownPayment(row.body)),
  review: reviewView(body as unknown as ReviewRecord, []),
});

function reviewView({ since, doubt, word, amountProvider, ended }: ReviewRecord, ways: readonly WayOut[]) {
  const person = ended === undefined || ended.how === 'answered' ? { by: null, reason: null } : ended;
  return {
    since: iso(since),
    doubt,
    word,
    amountProvider,
    ways,
    endedAt: ended === undefined ? null : iso(ended.at),
    how: ended?.how ?? null,
    by: person.by,
    reason: person.reason,
  };
}
