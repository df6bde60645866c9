/** Direct-QR: a session of one QR attempt and three minutes, without a page.
 *  1. The session is not visible before the provider has answered. If it could not be opened, only a
 *     tombstone stays, so a repeated request finds nothing and does nothing. If the provider refused our
 *     credentials, the hidden session stays for a minute first, so that the request that waits can say so.
 *  2. After that it is a session like any other, except for the rules in qr-log.ts. */
import type { Turn, Verdict } from '../../src/runtime/model/actor.ts';
import type { SessionCommands } from './commands.ts';
import type { CheckoutSession, HiddenSession } from './state.ts';
import { directQrProvider as provider } from '../../src/providers/catalog.ts';
import { withDeciding } from './legs.ts';
import { newPayment } from './payment.ts';
import { minutes } from '../../src/kernel/time.ts';
import { transition } from './transition.ts';
import { runningOf, withPayment } from './steps.ts';
import { shownSession } from './view.ts';

/** Longer than anybody waits for the code. */
const refusalKeptMs = minutes(1);

type X = Turn<CheckoutSession>;
type Answered = SessionCommands['startAnswered'];

/** Creates the hidden session; the provider is called after the commit. */
export function openDirectQr(command: SessionCommands['openDirectQr'], x: X): Verdict {
  const { order, paymentId, lifeMs } = command;
  const session = {
    order,
    source: null,
    provider,
    payments: [newPayment(paymentId, provider, x.now)],
    refunds: [],
    running: paymentId,
    expiresAt: x.now + lifeMs,
    customerAddress: null,
    qrMessage: null,
    qrLog: [],
    sequence: 1,
    createdAt: x.now,
    updatedAt: x.now,
  };
  return x.become('hidden', session).effect('provider.start', {
    paymentId,
    provider,
    amount: order.amount,
    order,
  });
}

/** The provider has answered: the session becomes visible or is deleted. A code that arrived after its own
 *  deadline was never shown to a buyer either. */
export function directQrAnswered(hidden: HiddenSession, { answer, durationMs }: Answered, x: X): Verdict {
  if (answer.outcome === 'failed' && answer.refused === true) {
    const { status, ...rest } = hidden;
    return x.become(status, { ...rest, startRefused: true }).timer('expiry', x.now + refusalKeptMs);
  }
  if (answer.outcome === 'failed' || x.now >= hidden.expiresAt) return x.delete();
  const { instructions, lookupReference, providerExpiresAt, socketUrl = null } = answer;
  const { qrMessage } = instructions;
  if (qrMessage === undefined) return x.delete();
  const session = { ...shownSession(hidden), qrMessage };
  const payment = withDeciding(
    { ...runningOf(session), start: 'answered', socketUrl },
    { instructions, lookupReference, providerExpiresAt },
  );
  const about = payment.id;
  const summary = `Start: ${provider} opened the attempt`;
  const cause = 'open';
  return transition(x, null, withPayment(session, payment), {
    cause,
    notes: [{ about, kind: 'provider_call', summary, cause, durationMs, detail: { outcome: 'started' } }],
  });
}

/** Whoever asked has been told of the refusal by now. */
export const refusalKept = (hidden: HiddenSession, _command: unknown, x: X): Verdict =>
  hidden.startRefused === true ? x.delete() : x.ok();
