/** What people do with payments under review: end the review, or have the payment looked up at once. Used by the
 *  operator's doors and by the dashboard's; both decide first who may.
 *  1. Nothing is marked paid here: the provider is asked once more, and its answer decides. */
import type { Payment } from '../../actors/checkout-session/attempt.ts';
import { checkoutSessionAt, type ReviewEnding } from '../../actors/checkout-session/commands.ts';
import { waysOut, type WayOut } from '../../actors/checkout-session/other-amount.ts';
import { isEndedWith } from '../../actors/checkout-session/review.ts';
import type { SessionState } from '../../actors/checkout-session/state.ts';
import { paymentOf } from '../../actors/checkout-session/steps.ts';
import { paymentView, type PaymentView } from '../../actors/checkout-session/view.ts';
import { assert } from '../../src/kernel/assert.ts';
import { seconds, type DurationMs } from '../../src/kernel/time.ts';
import type { AskResult } from '../../src/runtime/model/envelope.ts';
import type { Row } from '../../src/store/store.ts';
import { watchUntil } from '../live/watch-until.ts';
import type { ApiParts } from './api-parts.ts';
import { refusalOf, refused, unavailable, type Refused } from './route/answer.ts';

export type ReviewParts = Pick<ApiParts, 'client' | 'scheduler'>;

/** A payment as its session has it now. */
export interface PaymentNow {
  readonly payment: Payment;
  /** The API object. */
  readonly view: PaymentView;
  /** How its review may be ended; empty: it is not under review. */
  readonly ways: readonly WayOut[];
}

/** Who asks: the operator, or a login of the dashboard. */
export type Asker = { readonly by: 'operator' } | { readonly by: 'merchant'; readonly who: string };

/** A look-up takes at most 10 s; another one may be under way before it. */
const lookupMsMax: DurationMs = seconds(21);

const notUnderReview = { message: 'This payment is not under review.' };
const notConfirmed =
  'The provider does not confirm this payment as it was asked for. What it says is in the timeline.';
const tooLittle = {
  message:
    'The invoice asks for more: an invoice is paid whole or not at all. This money can only be refunded.',
};

/** Accepts it if the provider confirms it, keeps or refunds the other amount that was paid, or dismisses it. */
export async function endReview(
  parts: ReviewParts,
  row: Row,
  ending: ReviewEnding,
  asker: Asker,
): Promise<PaymentNow | Refused> {
  const { by, ...who } = asker;
  const command = { paymentId: row.id, ...ending, ...who };
  const asked = await parts.client.ask(sessionOf(row), 'endReview', command, { by, scope: row.scope });
  if (asked.is !== 'ok') return refusalOf(asked, isTooLittle(asked) ? tooLittle : notUnderReview);
  const { lookupCount } = asked.detail;
  // neither a dismissal nor what is done already asks the provider
  if (lookupCount === undefined) return (await paymentNow(parts, row)) ?? unavailable;
  const now = await afterLookup(parts, row, lookupCount);
  // the look-up is still running: repeating the request finds its result
  if (now === null) return unavailable;
  const { status, needsReview } = now.payment;
  if (ending.how === 'keep' || ending.how === 'refund')
    return isEndedWith(now.payment, ending) ? now : refused('review_changed', { currentStatus: status });
  if (status === 'success' && !needsReview) return now;
  return refused('invalid_state', { message: notConfirmed, currentStatus: status });
}

const isTooLittle = (asked: AskResult): boolean => asked.is === 'refused' && asked.code === 'review_changed';

/** The payment after one more look-up, whatever the provider has answered. */
export async function lookUpNow(parts: ReviewParts, row: Row, who: string): Promise<PaymentNow | Refused> {
  const command = { paymentId: row.id, who };
  const asked = await parts.client.ask(sessionOf(row), 'lookUpNow', command, {
    by: 'merchant',
    scope: row.scope,
  });
  if (asked.is !== 'ok') return refusalOf(asked, notUnderReview);
  return (await afterLookup(parts, row, asked.detail.lookupCount)) ?? unavailable;
}

/** The payment as its session has it now. */
export async function paymentNow(
  { client }: Pick<ReviewParts, 'client'>,
  row: Row,
): Promise<PaymentNow | null> {
  const found = await client.read<SessionState>(sessionOf(row), null);
  const payment = found === null ? null : paymentOf(found.state, row.id);
  if (found === null || payment === null) return null;
  const view = paymentView(payment, found.state, found.meta);
  return { payment, view, ways: waysOut(found.state, payment) };
}

function sessionOf({ body }: Row) {
  const { sessionId } = body;
  assert(typeof sessionId === 'string', 'a payment names its session');
  return checkoutSessionAt(sessionId);
}

/** The payment once the look-up with this number has returned, and that of its other leg; null: not in time. */
function afterLookup(parts: ReviewParts, row: Row, lookupCount: number): Promise<PaymentNow | null> {
  // money of an invoice waits for what its subscription says it pays
  const isBack = ({ needsReview, legs, claim }: Payment): boolean =>
    !needsReview ||
    (claim === undefined &&
      legs[0].look.count >= lookupCount &&
      legs.every(({ look }) => look.asked === null && look.again === null));
  return watchUntil(
    parts,
    sessionOf(row).id,
    async () => {
      const found = await paymentNow(parts, row);
      return found !== null && isBack(found.payment) ? found : null;
    },
    lookupMsMax,
  );
}
