/** What the buyer's pages and doors read off a session: status body, way back to the shop, how a start fares.
 *  1. The way back is a hint for the shop, never proof: the truth is in webhook, API and public status.
 *  2. Instructions are shown only of the running attempt. */
import { assert } from '../../src/kernel/assert.ts';
import { iso } from '../../src/kernel/time.ts';
import type { EndedSession, SessionState } from './state.ts';
import type { Instructions, Provider } from '../../src/providers/answers.ts';
import { paymentOf } from './steps.ts';
import { needsReview } from './view.ts';

/** Body of `GET /pay/{sessionId}/status`. */
export interface PageStatus {
  readonly status: SessionState['status'];
  readonly provider: Provider | null;
  readonly needsReview: boolean;
  readonly expires_at: string;
  /** Where the buyer's browser goes once the session has ended; null before. */
  readonly next: string | null;
}

/** `id` is the session's. */
export const pageStatusOf = (session: SessionState, id: string): PageStatus => ({
  status: session.status,
  provider: session.provider,
  needsReview: needsReview(session),
  expires_at: iso(session.expiresAt),
  next: 'endedAt' in session ? shopUrlOf(session, id) : null,
});

/** Where the buyer of an ended session is sent back to. */
export function shopUrlOf(session: EndedSession, id: string): string {
  const { returnUrl, cancelUrl } = session.order;
  if (session.status === 'cancelled' && cancelUrl !== null) return cancelUrl;
  assert(returnUrl !== null, 'a session with a page has a way back');
  return withQuery(returnUrl, `session_id=${id}&status=${session.status}`);
}

/** How an asked-for attempt fares; a door reads it again on every notice until it is not `under_way`. */
export type StartProgress =
  /** Our start call, or the look-up before it, is not back yet. */
  | { readonly is: 'under_way' }
  | { readonly is: 'instructions'; readonly provider: Provider; readonly instructions: Instructions }
  /** The provider did not open it; the session shows whether another try is possible. */
  | { readonly is: 'not_started'; readonly reason: string }
  /** Closed, paid, or never begun because the look-up before it found an answer. */
  | { readonly is: 'over' };

export function startProgressOf(session: SessionState, paymentId: string): StartProgress {
  const payment = paymentOf(session, paymentId);
  const living = session.status === 'initiated' ? session : null;
  if (payment === null) {
    const planned = living?.waiting?.is === 'switch' && living.waiting.paymentId === paymentId;
    return planned ? { is: 'under_way' } : { is: 'over' };
  }
  const { closedFor } = payment;
  if (closedFor?.code === 'provider_error') return { is: 'not_started', reason: closedFor.reason };
  if (living?.running !== paymentId) return { is: 'over' };
  const { provider, instructions } = payment;
  return instructions === null ? { is: 'under_way' } : { is: 'instructions', provider, instructions };
}

/** Whether a hint about this payment still awaits its look-up: how long a return door has reason to wait. */
export function lookUnderWay(session: SessionState, paymentId: string): boolean {
  const payment = paymentOf(session, paymentId);
  return payment !== null && (payment.look.asked !== null || payment.look.again !== null);
}

/** `url` with more query; what it has already, fragment too, stays byte for byte. */
function withQuery(url: string, query: string): string {
  const cut = url.indexOf('#');
  const [base, fragment] = cut < 0 ? [url, ''] : [url.slice(0, cut), url.slice(cut)];
  const joint = !base.includes('?') ? '?' : /[?&]$/.test(base) ? '' : '&';
  return `${base}${joint}${query}${fragment}`;
}
