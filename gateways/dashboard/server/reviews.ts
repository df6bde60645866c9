/** The doors of the dashboard's review queue: the payments under review and why, the reviews that have ended and
 *  who ended them, and what a person does with one.
 *  1. The open ones are the payments that need a review, also where an older version opened it.
 *  2. A page reads each of its payments; a page has at most 100. */
import { Type } from 'typebox';
import type { ReviewEnding } from '../../../actors/checkout-session/commands.ts';
import type { WayOut } from '../../../actors/checkout-session/other-amount.ts';
import { recordOf } from '../../../actors/checkout-session/review-record.ts';
import type { Payment, ReviewRecord } from '../../../actors/checkout-session/attempt.ts';
import { shownPayment } from '../../../actors/checkout-session/view.ts';
import { reasonCharactersMax } from '../../../src/kernel/text-bounds.ts';
import { iso } from '../../../src/kernel/time.ts';
import type { Scope } from '../../../src/runtime/model/address.ts';
import type { Row } from '../../../src/store/store.ts';
import type { Caller } from '../../http/access/auth.ts';
import type { ApiParts } from '../../http/api-parts.ts';
import { done, notFound, type Answer } from '../../http/route/answer.ts';
import { isPage, listed, pageOf, pageQuery, queryOf, type Listing } from '../../http/route/paging.ts';
import type { MakeBareRoute } from '../../http/route/route.ts';
import { text } from '../../http/route/schemas.ts';
import { endReview, lookUpNow, standingOf, type Standing } from '../../http/reviews.ts';
import { paymentIn } from '../../http/routes/payments.ts';
import type { Door } from '../../server/door.ts';
import { apiBase } from './api-base.ts';

type Parts = Pick<ApiParts, 'client' | 'scheduler'>;

const query = Type.Object({ ...pageQuery, status: Type.Optional(Type.Enum(['open', 'ended'])) });
const reasonBody = Type.Object({ reason: text(reasonCharactersMax, 1) });
const moneyBody = Type.Object({
  amount: Type.Integer({ minimum: 1, means: 'amount' }),
  reason: text(reasonCharactersMax, 1),
});

export const reviewDoors = (make: MakeBareRoute, parts: Parts): readonly Door[] => [
  make({
    method: 'GET',
    path: `${apiBase}/reviews`,
    key: 'secret',
    reply: 200,
    query,
    handle: ({ caller: { scope }, query: { status = 'open', ...listing } }) =>
      status === 'open' ? openReviews(parts, scope, listing) : endedReviews(parts, scope, listing),
  }),
  make({
    method: 'POST',
    path: `${apiBase}/reviews/{id}/look-up`,
    object: 'payment',
    key: 'secret',
    reply: 200,
    async handle({ caller, params }) {
      const row = await paymentIn(parts.client, params['id'] ?? '', caller.scope);
      if (row === null) return notFound;
      const found = await lookUpNow(parts, row, loginOf(caller));
      return 'is' in found ? found : done(openView(found));
    },
  }),
  endingDoor(make, parts, 'accept'),
  endingDoor(make, parts, 'dismiss'),
  moneyDoor(make, parts, 'keep'),
  moneyDoor(make, parts, 'refund'),
];

const endingDoor = (make: MakeBareRoute, parts: Parts, how: 'accept' | 'dismiss'): Door =>
  make({
    method: 'POST',
    path: `${apiBase}/reviews/{id}/${how}`,
    object: 'payment',
    key: 'secret',
    reply: 200,
    body: reasonBody,
    handle: ({ caller, params, body: { reason } }) =>
      ended(parts, caller, params['id'] ?? '', { how, reason }),
  });

const moneyDoor = (make: MakeBareRoute, parts: Parts, how: 'keep' | 'refund'): Door =>
  make({
    method: 'POST',
    path: `${apiBase}/reviews/{id}/${how}`,
    object: 'payment',
    key: 'secret',
    reply: 200,
    body: moneyBody,
    handle: ({ caller, params, body: { amount, reason } }) =>
      ended(parts, caller, params['id'] ?? '', { how, amount, reason }),
  });

async function ended(parts: Parts, caller: Caller, id: string, ending: ReviewEnding): Promise<Answer> {
  const row = await paymentIn(parts.client, id, caller.scope);
  if (row === null) return notFound;
  const after = await endReview(parts, row, ending, { by: 'merchant', who: loginOf(caller) });
  return 'is' in after ? after : done(openView(after));
}

/** Every caller of these doors has logged in. */
const loginOf = ({ login = '' }: Caller): string => login;

async function openReviews(parts: Parts, scope: Scope, listing: Listing): Promise<Answer> {
  const page = pageOf(listing);
  if (!isPage(page)) return page;
  const wanted = { equals: { needsReview: true } };
  const { items, total } = await parts.client.listRows(queryOf('payment', scope, page, {}, wanted));
  const standing = await Promise.all(items.map((row) => standingOf(parts, row)));
  return listed(
    standing.flatMap((one) => (one === null ? [] : [openView(one)])),
    total,
    page,
  );
}

async function endedReviews({ client }: Parts, scope: Scope, listing: Listing): Promise<Answer> {
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

const openView = ({ payment, view, ways }: Standing): { readonly [field: string]: unknown } => ({
  payment: view,
  review: reviewView(shownRecord(payment), ways),
});

/** After its end, the record says how it ended. */
const shownRecord = (payment: Payment): ReviewRecord =>
  payment.needsReview ? recordOf(payment) : (payment.reviewed ?? recordOf(payment));

/** A row's body is the record. */
const endedView = ({ body }: Row, payment: Row): object => ({
  payment: shownPayment(payment.body),
  review: reviewView(body as unknown as ReviewRecord, []),
});

function reviewView(
  { since, doubt, word, amountProvider, ended }: ReviewRecord,
  ways: readonly WayOut[],
): object {
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
