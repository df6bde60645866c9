/** What the buyer's pages and routes derive from a session: status body, return URL to the shop, progress
 *  of a start.
 *  1. The return URL is a hint for the shop, never proof: webhook, API and public status are authoritative.
 *  2. Instructions are shown only for the running attempt. */
import { iso } from '../../src/kernel/time.ts';
import type { EndedSession, SessionState } from './state.ts';
import type { Instructions, Provider } from '../../src/providers/answers.ts';
import { paymentOf, runningOf } from './steps.ts';
import { needsReview } from './view.ts';

/** Body of `GET /pay/{sessionId}/status`. */
export interface PageStatus {
  readonly status: SessionState['status'];
  readonly provider: Provider | null;
  readonly needsReview: boolean;
  readonly expires_at: string;
  /** Where the buyer's browser goes once the session has ended; null before, and where there is no such place. */
  readonly next: string | null;
  /** Only while the code of the running payment has been scanned and not yet paid. */
  readonly scanned?: true;
}

/** `id` is the session's. */
export const pageStatusOf = (session: SessionState, id: string): PageStatus => ({
  status: session.status,
  provider: session.provider,
  needsReview: needsReview(session),
  expires_at: iso(session.expiresAt),
  next: 'endedAt' in session ? shopUrlOf(session, id) : null,
  ...(isScanned(session) ? { scanned: true } : {}),
});

/** The buyer has scanned the code of the running payment, and confirms on the phone. */
export const isScanned = (session: SessionState): boolean =>
  session.status === 'initiated' && runningOf(session).scanned === true;

/** The shop URL a buyer of an ended session is sent to; null: the buyer stays on our page, as after a payment
 *  link without `returnUrl`. */
export function shopUrlOf(session: EndedSession, id: string): string | null {
  const { returnUrl, cancelUrl } = session.order;
  if (session.status === 'cancelled' && cancelUrl !== null) return cancelUrl;
  return returnUrl === null ? null : withQuery(returnUrl, `session_id=${id}&status=${session.status}`);
}

/** The progress of a requested attempt; the route reads it again on every notice until it is not
 *  `under_way`. */
export type StartProgress =
  /** Our start call, or the look-up before it, has not returned yet. */
  | { readonly is: 'under_way' }
  | { readonly is: 'instructions'; readonly provider: Provider; readonly instructions: Instructions }
  /** The provider did not open it; the session shows whether another attempt is possible. */
  | { readonly is: 'not_started'; readonly reason: string }
  /** Closed, paid, or never started because the look-up before it had a result. */
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
  const { provider, legs } = payment;
  const [{ instructions }] = legs;
  return instructions === null ? { is: 'under_way' } : { is: 'instructions', provider, instructions };
}

/** Whether a hint about this payment still waits for its look-up, or for what its money pays: how long a return
 *  page should wait. */
export function lookupUnderWay(session: SessionState, paymentId: string): boolean {
  const payment = paymentOf(session, paymentId);
  if (payment === null) return false;
  const { legs, claim } = payment;
  const [{ look }] = legs;
  return look.asked !== null || look.again !== null || claim !== undefined;
}

/** `url` with more query parameters; existing parts, including the fragment, stay byte for byte. */
function withQuery(url: string, query: string): string {
  const cut = url.indexOf('#');
  const [base, fragment] = cut < 0 ? [url, ''] : [url.slice(0, cut), url.slice(cut)];
  const joint = !base.includes('?') ? '?' : /[?&]$/.test(base) ? '' : '&';
  return `${base}${joint}${query}${fragment}`;
}
