/** One buyer's journey to a paid order: session x trigger of docs/reference/session-states.md. The handlers are in
 *  files beside it by subject: start.ts, keyed.ts, direct-qr.ts, hint.ts, look-up.ts, review.ts, claims.ts, books.ts,
 *  end.ts, refunds.ts; payment.ts and refund.ts
 *  have payment x trigger and refund x trigger; transition.ts derives events, effects and timers from what
 *  changed.
 *  C1. The first verified success wins; exactly one `payment.succeeded` per session, ever.
 *  C2. Only one of our own look-ups leads to success. Returns, callbacks and sockets are hints.
 *  C3. Money that arrives after the end is recorded, never dropped; a second payment is a duplicate.
 *  C4. At most five attempts, one running at a time.
 *  C5. What the money of an invoice's session pays, its subscription decides (claims.ts). */
import { actor, type Turn, type Verdict } from '../../src/runtime/model/actor.ts';
import { reconcile, recordFee } from './books.ts';
import { claimed, claimRefused, unlessClaimed } from './claims.ts';
import { directQrAnswered, openDirectQr, refusalKept } from './direct-qr.ts';
import { attemptOver, cancel, expire, expiryReached, lookupTimedOut, timeIsUp } from './end.ts';
import { answerRows, openKeyed, openKeyedAgain } from './keyed.ts';
import { hint, pollDue } from './hint.ts';
import { lookupAnswered, unansweredLookup } from './look-up.ts';
import { downcast, sessionSchema, upcast } from './older-schemas.ts';
import type { CheckoutSession, SessionState } from './state.ts';
import { endRefund, refund, refundAnswered, refundLookupDue, unansweredRefund } from './refunds.ts';
import { sessionRestored } from './restored.ts';
import { refundRows } from './refund-view.ts';
import { endReview, lookUpNow } from './review.ts';
import { endedReviewRows } from './review-record.ts';
import {
  bookingCancelled,
  open,
  openAgain,
  openAgainByLink,
  start,
  startAgain,
  startAnswered,
  unansweredStart,
} from './start.ts';
import { hiddenRows, paymentRows, sessionTags, sessionView } from './view.ts';

type X = Turn<CheckoutSession>;

/** A row whose handler accepts any visible status; a hidden session answers as if it did not exist. */
const anyVisible = <C>(handle: (session: SessionState, command: C, x: X) => Verdict) => ({
  hidden: notFound,
  pending: handle,
  initiated: handle,
  _terminal: handle,
});
const notFound = (_session: unknown, _command: unknown, x: X): Verdict => x.refuse('not_found');
const ignored = (_session: unknown, _command: unknown, x: X): Verdict => x.ok();
const tooLate = (_session: unknown, _command: unknown, x: X): Verdict => x.refuse('invalid_state');

export const checkoutSession = actor<CheckoutSession>('checkout_session', 'cs', {
  schema: sessionSchema,
  upcast,
  downcast,
  on: {
    open: { by: ['merchant', 'system'], creates: open, ...anyVisible(openAgain), hidden: ignored },
    openKeyed: { by: 'merchant', creates: openKeyed, ...anyVisible(openKeyedAgain) },
    openByLink: { by: 'system', creates: open, ...anyVisible(openAgainByLink), hidden: ignored },
    openDirectQr: { by: 'merchant', creates: openDirectQr, _any: ignored },
    start: {
      by: ['buyer', 'merchant'],
      hidden: notFound,
      pending: unlessClaimed(start, tooLate),
      initiated: unlessClaimed(startAgain, tooLate),
      _terminal: tooLate,
    },
    // the session may have moved on meanwhile: what the provider opened is still followed up
    startAnswered: { by: 'system', ...anyVisible(startAnswered), hidden: directQrAnswered },
    bookingCancelled: { by: 'system', ...anyVisible(bookingCancelled) },
    hint: { by: ['buyer', 'provider', 'system'], ...anyVisible(hint) },
    lookupAnswered: { by: 'system', ...anyVisible(lookupAnswered) },
    listening: { by: 'system', _any: ignored },
    pollDue: { by: 'system', ...anyVisible(pollDue) },
    cancel: {
      by: 'buyer',
      hidden: notFound,
      pending: unlessClaimed(cancel, tooLate),
      initiated: unlessClaimed(cancel, tooLate),
      _terminal: tooLate,
    },
    expire: {
      by: ['merchant', 'system'],
      hidden: notFound,
      pending: unlessClaimed(expire, ignored),
      initiated: unlessClaimed(expire, ignored),
      _terminal: ignored,
    },
    endReview: { by: ['operator', 'merchant'], ...anyVisible(endReview) },
    lookUpNow: { by: 'merchant', ...anyVisible(lookUpNow) },
    reconcile: { by: 'system', ...anyVisible(reconcile) },
    recordFee: { by: 'system', ...anyVisible(recordFee) },
    // money of an invoice may be verified after the session's end
    claimed: { by: 'system', ...anyVisible(claimed) },
    claimRefused: { by: 'system', ...anyVisible(claimRefused) },
    // a refund depends on its payment, in whatever status the session is
    refund: { by: 'merchant', ...anyVisible(refund) },
    refundAnswered: { by: 'system', ...anyVisible(refundAnswered) },
    completeRefund: { by: 'merchant', ...anyVisible(endRefund('complete')) },
    cancelRefund: { by: 'merchant', ...anyVisible(endRefund('cancel')) },
    refundLookupDue: { by: 'system', ...anyVisible(refundLookupDue) },
    expiryReached: {
      by: 'system',
      hidden: refusalKept,
      pending: unlessClaimed(timeIsUp, ignored),
      initiated: unlessClaimed(expiryReached, ignored),
      _terminal: ignored,
    },
    attemptOver: {
      by: 'system',
      hidden: ignored,
      pending: ignored,
      initiated: unlessClaimed(attemptOver, ignored),
      _terminal: ignored,
    },
    lookupTimedOut: {
      by: 'system',
      hidden: ignored,
      pending: ignored,
      initiated: lookupTimedOut,
      _terminal: ignored,
    },
  },
  effects: {
    'provider.start': { result: 'startAnswered', mode: 'atLeastOnce', unknown: unansweredStart },
    'provider.cancel': {
      result: 'bookingCancelled',
      mode: 'atLeastOnce',
      unknown: ({ paymentId }) => ({ paymentId, done: false, durationMs: 0 }),
    },
    'provider.lookup': { result: 'lookupAnswered', mode: 'read', unknown: unansweredLookup },
    'provider.listen': {
      result: 'listening',
      mode: 'atLeastOnce',
      unknown: ({ paymentId }) => ({ paymentId }),
    },
    'provider.refund': { result: 'refundAnswered', mode: 'atMostOnce', unknown: unansweredRefund },
  },
  timers: {
    expiry: 'expiryReached',
    poll: 'pollDue',
    attempt: 'attemptOver',
    lookOver: 'lookupTimedOut',
    refund: 'refundLookupDue',
  },
  restored: sessionRestored,
  view: (state, where) => (state.status === 'hidden' ? { id: where.id } : sessionView(state, where)),
  rows: (state, where) =>
    state.status === 'hidden'
      ? hiddenRows(state, where)
      : [
          ...paymentRows(state, where),
          ...refundRows(state, where),
          ...endedReviewRows(state),
          ...answerRows(state, where),
        ],
  tags: (state) => (state.status === 'hidden' ? [] : sessionTags(state)),
  indexes: ['status', 'provider', 'source'],
});
