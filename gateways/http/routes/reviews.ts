/** The operator's doors to payments under review: the queue, and its two resolutions.
 *  1. Nothing is marked paid here: `accept` asks the provider once more, and the provider's answer decides. */
import { Type } from 'typebox';
import type { Payment } from '../../../actors/checkout-session/attempt.ts';
import { checkoutSessionAt, type SessionCommands } from '../../../actors/checkout-session/commands.ts';
import type { SessionState } from '../../../actors/checkout-session/state.ts';
import { paymentOf } from '../../../actors/checkout-session/steps.ts';
import { paymentView, underReviewTag, type ApiObject } from '../../../actors/checkout-session/view.ts';
import { assert } from '../../../src/kernel/assert.ts';
import { couldBeId } from '../../../src/kernel/id.ts';
import { seconds, type DurationMs } from '../../../src/kernel/time.ts';
import type { AskResult } from '../../../src/runtime/model/envelope.ts';
import type { DetailOf } from '../../../src/runtime/model/actor.ts';
import type { Row } from '../../../src/store/store.ts';
import { watchUntil } from '../../buyer/watch.ts';
import { done, notFound, refusalOf, refused, unavailable, type Answer } from '../route/answer.ts';
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

const reasonBody = Type.Object({ reason: about('Why; it appears in the timeline.', text(500, 1)) });

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

/** A look-up takes at most 10 s; another one may be under way before it. */
const lookupMsMax: DurationMs = seconds(21);

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
      const payment = await paymentIn(parts, params['id'] ?? '');
      if (payment === null) return notFound;
      const asked = await ended(parts, payment, { how, reason: body.reason });
      if (asked.is !== 'ok') return refusalOf(asked, notUnderReview);
      const { lookupCount } = asked.detail;
      // a dismissal does not ask the provider
      return lookupCount !== undefined ? afterLookup(parts, payment, lookupCount) : shown(parts, payment);
    },
  });

const notUnderReview = { message: 'This payment is not under review.' };
const notConfirmed =
  'The provider does not confirm this payment as it was asked for. What it says is in the timeline.';

const paymentIn = async ({ client }: Parts, id: string): Promise<Row | null> =>
  couldBeId('pay', id) ? client.readRow('payment', id, null) : null;

function sessionOf({ body }: Row) {
  const { sessionId } = body;
  assert(typeof sessionId === 'string', 'a payment names its session');
  return checkoutSessionAt(sessionId);
}

const ended = (
  { client }: Parts,
  payment: Row,
  command: Omit<SessionCommands['endReview'], 'paymentId'>,
): Promise<AskResult<DetailOf<SessionCommands['endReview']>>> =>
  client.ask(
    sessionOf(payment),
    'endReview',
    { paymentId: payment.id, ...command },
    { by: 'operator', scope: payment.scope },
  );

interface Standing {
  readonly payment: Payment;
  /** The API object. */
  readonly view: ApiObject;
}

/** The payment as its session has it now. */
async function standing({ client }: Parts, row: Row): Promise<Standing | null> {
  const found = await client.read<SessionState>(sessionOf(row), null);
  const payment = found === null ? null : paymentOf(found.state, row.id);
  if (found === null || payment === null) return null;
  return { payment, view: paymentView(payment, found.state, found.meta) };
}

/** The answer, once the look-up with this number has returned. */
async function afterLookup(parts: Parts, row: Row, lookupCount: number): Promise<Answer> {
  const isBack = ({ needsReview, look }: Payment): boolean =>
    !needsReview || (look.asked === null && look.again === null && look.count >= lookupCount);
  const now = await watchUntil(
    parts,
    sessionOf(row).id,
    async () => {
      const found = await standing(parts, row);
      return found !== null && isBack(found.payment) ? found : null;
    },
    lookupMsMax,
  );
  // the look-up is still running: repeating the request finds its result
  if (now === null) return unavailable;
  const { status, needsReview } = now.payment;
  if (status === 'success' && !needsReview) return done(now.view);
  return refused('invalid_state', { message: notConfirmed, currentStatus: status });
}

async function shown(parts: Parts, row: Row): Promise<Answer> {
  const now = await standing(parts, row);
  return now === null ? unavailable : done(now.view);
}
