/** The operator's doors to payments under review: the queue, and its two resolutions.
 *  1. Nothing is marked paid here: `accept` asks the provider once more, and the provider's answer decides. */
import { Type } from 'typebox';
import { underReviewTag } from '../../../actors/checkout-session/view.ts';
import { reasonCharactersMax } from '../../../src/kernel/text-bounds.ts';
import { couldBeId } from '../../../src/kernel/id.ts';
import { endReview } from '../reviews.ts';
import { done, notFound } from '../route/answer.ts';
import type { ApiParts } from '../api-parts.ts';
import type { Door } from '../../server/door.ts';
import { answerPage, listQuerySchema, queryOf } from '../route/paging.ts';
import type { MakeRoute } from '../route/route.ts';
import type { Resource } from '../route/description.ts';
import { about, text } from '../route/schemas.ts';
import { listOf } from '../schemas/parts.ts';
import { acceptedPayment, dismissedPayment, reviewedPayment } from '../schemas/review.ts';

type Parts = Pick<ApiParts, 'client' | 'scheduler'>;

const reviews: Resource = {
  name: 'Reviews',
  description:
    'A payment is under review when the answer of its provider is unclear or contradicts an earlier one. ' +
    'Nobody can mark it as paid by hand.',
};

const reasonBody = Type.Object({
  reason: about('Why; it appears in the timeline.', text(reasonCharactersMax, 1)),
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
        ({ body }) => body,
      ),
  }),
  endingDoor(route, parts, 'accept'),
  endingDoor(route, parts, 'dismiss'),
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
    async handle({ params, body }) {
      const id = params['id'] ?? '';
      const payment = couldBeId('pay', id) ? await parts.client.readRow('payment', id, null) : null;
      if (payment === null) return notFound;
      const ended = await endReview(parts, payment, { how, reason: body.reason }, { by: 'operator' });
      return 'is' in ended ? ended : done(ended.view);
    },
  });
