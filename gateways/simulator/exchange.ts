/** One exchange with a simulated provider: applies the faults set for it, and records it in the payment's
 *  log.
 *  1. Every exchange about a payment is recorded in its log, whatever was answered.
 *  2. Late money is detected on the next request, from the session itself. */
import type { Fault, SimulatedCall } from '../../actors/simulated-payment/messages.ts';
import type { SimulatedReply } from '../../src/providers/simulated-wire.ts';
import type { DoorReply } from '../server/door.ts';
import {
  decided,
  isMoney,
  knownPayment,
  sessionOf,
  spendFault,
  askPayment,
  type Known,
  type PlayDeps,
  type Whose,
} from './payments.ts';
import { carried, delayed, errorPage, has, loggedAs } from './faults.ts';

export interface Answer {
  readonly reply: DoorReply;
  /** The exchange returns the payment's state. */
  readonly shows: boolean;
}

export interface Exchange {
  readonly call: SimulatedCall;
  /** For the log. */
  readonly request: string;
  readonly faults: readonly Fault[];
  /** This provider's own answer under `outage_200`; an empty object by default. */
  readonly outage?: DoorReply;
}

/** What a provider's protocol answers, as a door sends it. */
export const asDoor = ({ status, body }: SimulatedReply): DoorReply => ({
  status,
  headers: { 'Content-Type': 'application/json' },
  body,
});

/** Answers about one payment, subject to its faults; when an error page replaces the answer, nothing is
 *  done. */
export async function exchange(
  deps: PlayDeps,
  of: Whose,
  { call, request, faults, outage }: Exchange,
  answer: () => Promise<Answer>,
): Promise<DoorReply> {
  const page = errorPage(faults, outage);
  const { reply: own, shows } = page === null ? await answer() : { reply: page, shows: false };
  // the request is executed at once: whoever waits for its answer does not know that yet
  await delayed(faults, deps.wait);
  const silent = has(faults, 'refund_timeout_done') !== null || has(faults, 'refund_timeout_lost') !== null;
  const through = carried(faults, own);
  const reply: DoorReply = silent ? { ...through, fault: 'never' } : through;
  const shown = shows && reply.fault === undefined;
  await askPayment(deps.client, of, 'record', { call, request, response: loggedAs(reply), shows: shown });
  return reply;
}

/** `late_success`: the money arrives `delayMs` after the session's end, and is detected on the next
 *  request. */
export async function withLateMoney(deps: PlayDeps, known: Known, fault: Fault | null): Promise<Known> {
  if (fault === null || isMoney(known.state.status)) return known;
  const session = await sessionOf(deps.client, known.state.sessionId, known.scope);
  if (session === null || !('endedAt' in session)) return known;
  if (deps.client.now(known.scope) < session.endedAt + fault.delayMs) return known;
  decided(await askPayment(deps.client, known, 'pay', {}));
  await spendFault(deps.client, known, 'late_success');
  return (await knownPayment(deps.client, known.paymentId, known.scope)) ?? known;
}

/** Whether a look-up that reported the money before must now report something else. */
export const failsNow = ({ state }: Known, faults: readonly Fault[]): boolean =>
  isMoney(state.status) && state.lookupsShown > 0 && has(faults, 'success_then_failed') !== null;

/** The status text that replaces the state's own: `value` of `status_text`, or `unknown` for `ambiguous`. */
export function statusTextIn(faults: readonly Fault[], unknown: string): { readonly statusText?: string } {
  const text = has(faults, 'ambiguous') !== null ? unknown : has(faults, 'status_text')?.value;
  return text === undefined || text === null ? {} : { statusText: String(text) };
}
