/** One buyer's journey to a paid order: session x trigger of decisions 9. The handlers are beside it by
 *  subject: start.ts, look-up.ts, end.ts; payment.ts has payment x trigger; settle.ts makes events, effects
 *  and timers of what changed.
 *  C1. The first verified success wins; exactly one `payment.succeeded` per session, ever.
 *  C2. Only a look-up of ours makes success. Returns, callbacks and sockets are hints.
 *  C3. Money that arrives after the end is recorded, never dropped; a second payment is a duplicate.
 *  C4. Five attempts, one running at a time. */
import { actor } from '../../src/runtime/actor.ts';
import { cancel, expire, expiryReached, lookOver } from './end.ts';
import { hint, lookupAnswered, pollDue, unansweredLookup } from './look-up.ts';
import type { CheckoutSession } from './messages.ts';
import { open, start, startAgain, startAnswered, unansweredStart } from './start.ts';
import { paymentRows, sessionView, tagsOf } from './view.ts';

export const checkoutSession = actor<CheckoutSession>('checkout_session', 'cs', {
  schema: 1,
  on: {
    open: {
      by: ['merchant', 'system'],
      creates: open,
      _any: (_s, _c, x) => x.ok(),
    },
    start: {
      by: ['buyer', 'merchant'],
      pending: start,
      initiated: startAgain,
      _terminal: (_s, _c, x) => x.refuse('invalid_state'),
    },
    startAnswered: {
      by: 'system',
      // the session may have moved on meanwhile: what the provider opened is still looked after
      _any: startAnswered,
    },
    hint: {
      by: ['buyer', 'provider', 'system'],
      _any: hint,
    },
    lookupAnswered: {
      by: 'system',
      _any: lookupAnswered,
    },
    pollDue: {
      by: 'system',
      _any: pollDue,
    },
    cancel: {
      by: 'buyer',
      pending: cancel,
      initiated: cancel,
      _terminal: (_s, _c, x) => x.refuse('invalid_state'),
    },
    expire: {
      by: 'merchant',
      pending: expire,
      initiated: expire,
      _terminal: (_s, _c, x) => x.ok(),
    },
    expiryReached: {
      by: 'system',
      pending: expire,
      initiated: expiryReached,
      _terminal: (_s, _c, x) => x.ok(),
    },
    lookOver: {
      by: 'system',
      pending: (_s, _c, x) => x.ok(),
      initiated: lookOver,
      _terminal: (_s, _c, x) => x.ok(),
    },
  },
  effects: {
    'provider.start': { result: 'startAnswered', mode: 'again', unknown: unansweredStart },
    'provider.lookup': { result: 'lookupAnswered', mode: 'again', unknown: unansweredLookup },
  },
  timers: { expiry: 'expiryReached', poll: 'pollDue', lookOver: 'lookOver' },
  view: sessionView,
  rows: paymentRows,
  tags: tagsOf,
  indexes: ['status', 'provider', 'source'],
});
