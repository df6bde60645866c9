/** The operator's doors to payments under review: the queue, and the ways to end a review.
 *  1. Nothing is marked paid here: `accept`, `keep` and `refund` ask the provider once more, and its answer decides. */
import { Type } from 'typebox';
import type { ReviewEnding } from '../../../actors/checkout-session/commands.ts';
import { shownPayment, underReviewTag } from '../../../actors/checkout-session/view.ts';
import { reasonCharactersMax } from '../../../src/kernel/text-bounds.ts';
import { couldBeId } from '../../../src/kernel/id.ts';
import { endReview } from '../reviews.ts';
import { done, notFound, type Answer } from '../route/answer.ts';
import type { ApiParts } from '../api-parts.ts';
import type { Door } from '../../server/door.ts';
import { answerPage, listQuerySchema, queryOf } from '../route/paging.ts';
import type { MakeRoute } from '../route/route.ts';
import type { Resource } from '../route/description.ts';
import { about, text } from '../route/schemas.ts';
import { listOf } from '../schemas/parts.ts';
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

export const reviewRoutes = (route: MakeRoute, parts: Parts): readonly Door[] => [
  route({
    method: 'GET',
    path: '/admin/v1/reviews',
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
  endingDoor(route, parts, 'accept'),
  endingDoor(route, parts, 'dismiss'),
  moneyDoor(route, parts, 'keep'),
  moneyDoor(route, parts, 'refund'),
];

const endingDoor = (route: MakeRoute, parts: Parts, how: 'accept' | 'dismiss'): Door =>
  route({
    method: 'POST',
    path: `/admin/v1/payments/{id}/${how}`,
    resource: reviews,
    ...endings[how],
    errors: ['invalid_state'] as const,
    object: 'payment',
    key: 'operator',
    reply: 200,
    body: reasonBody,
    handle: ({ params, body }) => ended(parts, params['id'] ?? '', { how, reason: body.reason }),
  });

const moneyDoor = (route: MakeRoute, parts: Parts, how: 'keep' | 'refund'): Door =>
  route({
    method: 'POST',
    path: `/admin/v1/payments/{id}/${how}`,
    resource: reviews,
    ...moneyEndings[how],
    errors: ['invalid_state', 'review_changed'] as const,
    object: 'payment',
    key: 'operator',
    reply: 200,
    body: moneyBody,
    handle: ({ params, body: { amount, reason: why } }) =>
      ended(parts, params['id'] ?? '', { how, amount, reason: why }),
  });

async function ended(parts: Parts, id: string, ending: ReviewEnding): Promise<Answer> {
  const payment = couldBeId('pay', id) ? await parts.client.readRow('payment', id, null) : null;
  if (payment === null) return notFound;
  const after = await endReview(parts, payment, ending, { by: 'operator' });
  return 'is' in after ? after : done(after.view);
}
