/** The events of a Direct-QR session's stream, and how the stream stays open.
 *  1. It ends in success or expired only: a refusal by the provider leaves it open until its deadline,
 *     because the buyer may scan again.
 *  2. Its log is its stream: at most one scan, before any end; then the end; then possibly late money.
 *  3. An event is in the log in the same commit as the change it reports. */
import { iso, type Instant } from '../../src/kernel/time.ts';
import type { Payment } from './attempt.ts';
import type { QrEvent } from './qr-events.ts';
import type { SessionState, UnpaidSession } from './state.ts';

export const isDirectQr = ({ source }: SessionState): boolean => source === 'direct_qr';

/** Whether a refusal by the provider changes nothing: for a running Direct-QR, until a fresh last look-up. */
export function staysOpen(session: SessionState, payment: Payment): boolean {
  if (!isDirectQr(session) || session.status !== 'initiated') return false;
  const { waiting } = session;
  return waiting?.is !== 'lastLook' || payment.look.count <= waiting.looks;
}

/** The session with the scan in its log: only the first scan, and only while it may be paid. */
export function withScan<S extends SessionState>(session: S, sessionId: string, now: Instant): S {
  const { qrLog } = session;
  if (!isDirectQr(session) || session.status !== 'initiated' || qrLog.length > 0) return session;
  return withEvent(session, { event: 'qr.scanned', data: { sessionId, scannedAt: iso(now) } });
}

/** The session with the stream events for the change from `before`: its end, or money. */
export function withStreamEnd(
  before: SessionState | null,
  after: SessionState,
  sessionId: string,
): SessionState {
  if (!isDirectQr(after) || before === null || before.status === after.status) return after;
  if (after.status === 'expired') return withEvent(after, expiredEvent(after, sessionId));
  if (after.status !== 'success') return after;
  const { order, paidBy: paymentId, payments } = after;
  const { amount, currency } = order;
  const payment = payments.find(({ id }) => id === paymentId);
  const { provider = 'qr_a', traceId = null } = payment ?? {};
  const data = { paymentId, sessionId, amount, currency, provider, traceId };
  return withEvent(after, { event: 'qr.paid', data });
}

/** It expires at its deadline, however long the last look-up took, or earlier when the merchant expires it. */
function expiredEvent({ endedAt, expiresAt }: UnpaidSession, sessionId: string): Unnumbered {
  return { event: 'qr.expired', data: { sessionId, expiredAt: iso(Math.min(endedAt, expiresAt)) } };
}

type WithoutNumber<E> = E extends QrEvent ? Omit<E, 'n'> : never;
type Unnumbered = WithoutNumber<QrEvent>;

const withEvent = <S extends SessionState>(session: S, event: Unnumbered): S => ({
  ...session,
  qrLog: [...session.qrLog, { n: session.qrLog.length + 1, ...event }],
});
