/** One exchange with a simulated provider: applies the faults set for it, and records it in the payment's
 *  log.
 *  1. Every exchange about a payment is recorded in its log, whatever was answered.
 *  2. Late money is detected on the next request, from the session itself. */
import type {
  Fault,
  SimulatedCall,
  SimulatedPaymentCommands,
} from '../../actors/simulated-payment/messages.ts';
import { outcomeIn } from '../../actors/simulated-payment/outcome-table.ts';
import type { Provider } from '../../src/providers/catalog.ts';
import type { SimulatedReply } from '../../src/providers/simulated-wire.ts';
import type { DoorReply } from '../server/door.ts';
import {
  attemptIdOf,
  registered,
  sandboxPayment,
  takeFaults,
  type Named,
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

/** A call that makes one of our sandbox payments known to its provider. */
export interface StartCall {
  readonly provider: Provider;
  /** null: the call names no payment. */
  readonly paymentId: string | null;
  /** For the log. */
  readonly request: string;
  readonly outage?: DoorReply;
  /** Where no such payment may be simulated. */
  readonly unknown: () => DoorReply;
  /** What the provider learns from the call. */
  readonly started: (
    of: Whose,
    named: Named,
    faults: readonly Fault[],
  ) => Omit<SimulatedPaymentCommands['register'], 'provider' | 'sessionId' | 'outcome'>;
  /** `known`: as registered, by this call or an earlier one; null: it could not be. */
  readonly answer: (known: Known | null, faults: readonly Fault[]) => DoorReply;
}

export async function startCall(
  deps: PlayDeps,
  { provider, paymentId, request, outage, unknown, started, answer }: StartCall,
): Promise<DoorReply> {
  const named = paymentId === null ? null : await sandboxPayment(deps, attemptIdOf(paymentId), provider);
  if (paymentId === null || named === null) return unknown();
  const of = { paymentId, scope: named.scope };
  const faults = await takeFaults(deps, of, provider, 'start');
  const asked = { call: 'start', request, faults, ...(outage === undefined ? {} : { outage }) } as const;
  return exchange(deps, of, asked, async () => {
    const command = { provider, sessionId: named.sessionId, ...started(of, named, faults) };
    const known = await registered(deps, of, command, outcomeIn(named.metadata, provider));
    return { reply: answer(known, faults), shows: false };
  });
}

/** The payment as the answer of a look-up shows it; `shownOf` applies the faults. */
export async function shownNow<Shown extends { readonly status: string }>(
  deps: PlayDeps,
  found: Known,
  faults: readonly Fault[],
  shownOf: (known: Known, faults: readonly Fault[]) => Shown,
): Promise<Shown> {
  const known = await withLateMoney(deps, found, has(faults, 'late_success'));
  const shown = shownOf(known, faults);
  if (shown.status !== known.state.status) await spendFault(deps.client, known, 'success_then_failed');
  return shown;
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

/** The amount that a look-up shows. */
export const amountIn = (faults: readonly Fault[], amount: number): number =>
  has(faults, 'wrong_amount') === null ? amount : amount - 100;

/** The reference that it shows: the attempt's own, or another one. */
export const referenceIn = (faults: readonly Fault[], reference: string): string =>
  has(faults, 'wrong_reference') === null
    ? reference
    : `${reference.slice(0, -1)}${reference.endsWith('0') ? '1' : '0'}`;

/** The text that takes the place of the amount's own. */
export function amountTextIn(faults: readonly Fault[]): { readonly amountText?: string } {
  const text = has(faults, 'amount_text')?.value ?? null;
  return text === null ? {} : { amountText: String(text) };
}
