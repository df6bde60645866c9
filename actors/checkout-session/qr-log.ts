/** The events of a Direct-QR session's stream, and how an attempt by code stays open.
 *  1. The stream ends in success or expired only. A refusal by the provider leaves every attempt by code open until
 *     its time is up: the buyer may scan again, and a code that nobody has paid may read the same.
 *  2. Its log is its stream: at most one scan, before any end; then the end; then possibly late money.
 *  3. An event is in the log in the same commit as the change it reports. */
import { directQrProvider } from '../../src/providers/catalog.ts';
import { iso } from '../../src/kernel/time.ts';
import { eraStep, type ActorTypes, type Eras, type Turn } from '../../src/runtime/model/actor.ts';
import { hasTrait } from '../../src/providers/catalog.ts';
import type { Payment } from './attempt.ts';
import { amountOf } from './payment.ts';
import type { QrEvent } from './qr-events.ts';
import type { SessionState, UnpaidSession } from './state.ts';

export const isDirectQr = ({ source }: SessionState): boolean => source === 'direct_qr';

/** Whether a refusal by the provider changes nothing: for a running attempt by code, until a fresh last look-up. */
export function staysOpen(session: SessionState, payment: Payment): boolean {
  if (session.status !== 'initiated' || session.running !== payment.id) return false;
  if (!hasTrait(payment.provider, 'scanned_code')) return false;
  const { waiting } = session;
  const isLast = waiting?.is === 'lastLook' || waiting?.is === 'attemptEnd';
  return !isLast || payment.legs[0].look.count <= waiting.looks;
}

/** The session with the scan in its log: only the first scan, and only while it may be paid. */
export function withScan<S extends SessionState>(session: S, { id: sessionId, now, eras }: InTurn): S {
  const { qrLog } = session;
  if (!isDirectQr(session) || session.status !== 'initiated' || qrLog.length > 0) return session;
  return withEvent(session, { event: 'qr.scanned', data: { sessionId, scannedAt: iso(now) } }, eras);
}

/** The session with the stream events for the change from `before`: its end, or money. */
export function withStreamEnd(
  before: SessionState | null,
  after: SessionState,
  { id: sessionId, eras }: Omit<InTurn, 'now'>,
): SessionState {
  if (!isDirectQr(after) || before === null || before.status === after.status) return after;
  if (after.status === 'expired') return withEvent(after, expiredEvent(after, sessionId), eras);
  if (after.status !== 'success') return after;
  const { order, paidBy: paymentId, payments } = after;
  const { currency } = order;
  const payment = payments.find(({ id }) => id === paymentId);
  const amount = payment === undefined ? order.amount : amountOf(payment, order);
  const { provider = directQrProvider, traceId = null } = payment ?? {};
  const data = { paymentId, sessionId, amount, currency, provider, traceId };
  return withEvent(after, { event: 'qr.paid', data }, eras);
}

/** It expires at its deadline, however long the last look-up took, or earlier when the merchant expires it. */
function expiredEvent({ endedAt, expiresAt }: UnpaidSession, sessionId: string): Unnumbered {
  return { event: 'qr.expired', data: { sessionId, expiredAt: iso(Math.min(endedAt, expiresAt)) } };
}

type WithoutNumber<E> = E extends QrEvent ? Omit<E, 'n'> : never;
type Unnumbered = WithoutNumber<QrEvent>;

const withEvent = <S extends SessionState>(session: S, event: Unnumbered, { length: era }: Eras): S => ({
  ...session,
  qrLog: [...session.qrLog, { n: era * eraStep + session.qrLog.length + 1, ...event }],
});

type InTurn = Pick<Turn<ActorTypes>, 'id' | 'now' | 'eras'>;
