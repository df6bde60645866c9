/** Shared by every door of the simulator: the payment that a request names, its faults, its log.
 *  Boundary: the only part of the simulator that asks actors; provider APIs, pages and faults are in other
 *  files.
 *  1. A payment belongs to its project: a door that knows a scope sees no other project's.
 *  2. Nothing of a live payment of this service is ever simulated.
 *  3. No answer is not a refusal: an operation that needs the actor's answer rejects, which a door answers
 *     by 503. */
import type { Payment } from '../../actors/checkout-session/attempt.ts';
import { checkoutSessionAt } from '../../actors/checkout-session/commands.ts';
import type { SessionState } from '../../actors/checkout-session/state.ts';
import { hasTrait, type Provider } from '../../src/providers/catalog.ts';
import {
  simulatedPaymentAt,
  simulatorAt,
  type Fault,
  type FaultKind,
  type SandboxOutcome,
  type SimulatedCall,
  type SimulatedPaymentCommands,
  type SimulatedPaymentState,
} from '../../actors/simulated-payment/messages.ts';
import type { Spelling } from '../../src/providers/simulated-wire.ts';
import type { DurationMs } from '../../src/kernel/time.ts';
import { isLive, scopeOf, type Scope } from '../../src/runtime/model/address.ts';
import type { Client } from '../../src/runtime/model/client.ts';
import type { AskResult } from '../../src/runtime/model/envelope.ts';
import type { DoorReply, DoorRequest } from '../server/door.ts';
import { StoreUnresponsive } from '../http/route/reading.ts';
import { faultsOf } from '../../actors/simulated-payment/outcome-table.ts';
import type { Visitor } from './visitor.ts';

/** Dependencies of a simulated provider and its buyers. */
export interface PlayDeps {
  readonly client: Client;
  /** Our public address (BASE_URL) without a trailing slash: what a browser opens. */
  readonly baseUrl: string;
  /** Also plays the provider for payments of other services. */
  readonly playsForOthers: boolean;
  /** The public address of that other service, without a trailing slash: where providers return its buyers to
   *  and call its server, if their protocol has addresses registered with them. */
  readonly othersUrl: string;
  /** How the providers word what they answer. */
  readonly spelling: Spelling;
  /** Replaces the buyer's browser when no browser takes part. */
  readonly visitor: Visitor;
  /** Real time: waits inside one HTTP exchange. */
  readonly wait: (ms: DurationMs) => Promise<void>;
}

export interface SimulatorDeps extends PlayDeps {
  /** Address of the guide to its faults; null: not available. */
  readonly guide: string | null;
  /** Checks a sandbox secret key; an error reply when it is not one. The headers belong to the final answer. */
  readonly authenticate: (
    request: DoorRequest,
  ) => Promise<{ readonly scope: Scope; readonly headers: { readonly [name: string]: string } } | DoorReply>;
}

/** A payment and its scope. */
export interface Whose {
  readonly paymentId: string;
  readonly scope: Scope;
}

/** A simulated payment as committed. */
export interface Known extends Whose {
  readonly state: SimulatedPaymentState;
}

/** `pay-4t8z...`, the name that both sides of every provider API use. */
export const referenceOf = (paymentId: string): string => paymentId.replaceAll('_', '-');

/** A payment in a provider's app is a simulated payment of its own, beside that of the web. */
const appEnding = '_i';
export const isAppLeg = (paymentId: string): boolean => paymentId.endsWith(appEnding);
/** The simulated payment of an attempt, as it is paid now. */
export const simulatedIdOf = ({ id, legs: [{ name }] }: Pick<Payment, 'id' | 'legs'>): string =>
  name === 'intent' ? `${id}${appEnding}` : id;
/** Our own payment. */
export const attemptIdOf = (paymentId: string): string =>
  isAppLeg(paymentId) ? paymentId.slice(0, -appEnding.length) : paymentId;

export async function knownPayment(
  client: Client,
  paymentId: string,
  scope: Scope | null,
): Promise<Known | null> {
  const found = await client.read<SimulatedPaymentState>(simulatedPaymentAt(paymentId), scope);
  return found === null ? null : { paymentId, scope: found.meta.scope, state: found.state };
}

/** The payment that a start call names: its scope and its session. */
export interface Named {
  readonly scope: Scope;
  readonly sessionId: string;
  readonly metadata: unknown;
  /** The public address of the service whose payment it is. */
  readonly service: string;
}

/** The scope of payments of other services. Its project does not exist, so no key sees them. */
const scopeOfOthers = scopeOf('prj_000000000000000000000000', 'sandbox');

/** null: not a payment that may be simulated, or one of another provider. */
export async function sandboxPayment(
  { client, playsForOthers, baseUrl, othersUrl }: Omit<PlayDeps, 'visitor' | 'wait' | 'spelling'>,
  paymentId: string,
  provider: Provider,
): Promise<Named | null> {
  const shown = await client.readRow('payment', paymentId, null);
  // a Direct-QR code is created before its payment is visible to anyone else
  const row =
    shown ??
    (hasTrait(provider, 'scanned_code') ? await client.readRow('hidden_payment', paymentId, null) : null);
  // each is its own purchase: what else its buyer has tried is not known here
  if (row === null)
    return playsForOthers
      ? { scope: scopeOfOthers, sessionId: paymentId, metadata: {}, service: othersUrl }
      : null;
  if (isLive(row.scope) || row.body['provider'] !== provider) return null;
  const { scope, owner, body } = row;
  return { scope, sessionId: owner.id, metadata: body['metadata'], service: baseUrl };
}

/** A command from the provider's own side (`system`), the buyer's page or sandbox control (`merchant`). */
export const askPayment = <K extends keyof SimulatedPaymentCommands>(
  client: Client,
  { paymentId, scope }: Whose,
  command: K,
  data: SimulatedPaymentCommands[K],
  by: 'system' | 'buyer' | 'merchant' = 'system',
): Promise<AskResult> => client.ask(simulatedPaymentAt(paymentId), command, data, { by, scope });

/** True: it is done. False: it was refused. Throws when nobody can say. */
export function decided(result: AskResult<unknown>): boolean {
  if (result.is === 'ok' || result.is === 'refused') return result.is === 'ok';
  throw new StoreUnresponsive(`a command of the simulator was not answered: ${result.is}`);
}

/** A provider retries its own command that was not executed (the bus or the database is down) for about
 *  eight seconds: our call to it ends after ten, and each failed start costs the session one of its
 *  attempts. */
const takenTriesMax = 32;
const takenAgainMs: DurationMs = 250;

/** Asks again while it is certain that nothing was executed. */
export async function untilTaken<Answer>(
  { wait }: Pick<PlayDeps, 'wait'>,
  ask: () => Promise<AskResult<Answer>>,
): Promise<AskResult<Answer>> {
  for (let tries = 1; ; tries++) {
    const result = await ask();
    if (result.is !== 'not_executed' || tries >= takenTriesMax) return result;
    await wait(takenAgainMs);
  }
}

/** The payment as its provider knows it from the first call that started it; later calls change nothing.
 *  `outcome` is what the session plans for its buyer. */
export async function registered(
  deps: Pick<PlayDeps, 'client' | 'wait'>,
  of: Whose,
  started: Omit<SimulatedPaymentCommands['register'], 'outcome'>,
  outcome: SandboxOutcome | null,
): Promise<Known | null> {
  const command = { ...started, ...(outcome === null ? {} : { outcome }) };
  decided(await untilTaken(deps, () => askPayment(deps.client, of, 'register', command)));
  return knownPayment(deps.client, of.paymentId, of.scope);
}

/** The faults that apply to this call; decrements their counters. */
export async function takeFaults(
  deps: Pick<PlayDeps, 'client' | 'wait'>,
  { paymentId, scope }: Whose,
  provider: Provider,
  call: SimulatedCall,
): Promise<readonly Fault[]> {
  const asked = { provider, call, reference: referenceOf(paymentId) };
  const asking = { by: 'system', scope } as const;
  const result = await untilTaken(deps, () =>
    deps.client.ask(simulatorAt(scope), 'takeFaults', asked, asking),
  );
  decided(result);
  return result.is === 'ok' ? result.detail.faults : [];
}

/** The faults of an outcome replace those that an earlier outcome has set for the same payment. */
export async function setOutcomeFaults(
  client: Client,
  { paymentId, scope, state }: Known,
  outcome: SandboxOutcome,
): Promise<void> {
  const reference = referenceOf(paymentId);
  const faults = faultsOf(outcome, state.provider, reference, client.now(scope));
  const added = { faults, instead: reference };
  decided(await client.ask(simulatorAt(scope), 'addFaults', added, { by: 'system', scope }));
}

export const spendFault = (client: Client, known: Known, kind: FaultKind): Promise<AskResult> => {
  const spent = { provider: known.state.provider, kind, reference: referenceOf(known.paymentId) };
  return client.ask(simulatorAt(known.scope), 'spendFault', spent, { by: 'system', scope: known.scope });
};

export async function sessionOf(
  client: Client,
  sessionId: string,
  scope: Scope,
): Promise<SessionState | null> {
  return (await client.read<SessionState>(checkoutSessionAt(sessionId), scope))?.state ?? null;
}

/** Every simulated payment of one session, newest first. */
export async function paymentsOfSession(
  client: Client,
  sessionId: string,
  scope: Scope,
): Promise<readonly Known[]> {
  const { items } = await client.list({
    kind: 'simulated_payment',
    scope,
    equals: { sessionId },
    page: 1,
    limit: 20,
  });
  return items.map(({ state, meta }) => ({
    paymentId: meta.id,
    scope,
    state: state as unknown as SimulatedPaymentState,
  }));
}

/** The buyer can still decide. */
export const isOpen = (status: SimulatedPaymentState['status']): boolean =>
  status === 'created' || status === 'opened';

export const isMoney = (status: SimulatedPaymentState['status']): boolean =>
  status === 'paid' || status === 'partly_refunded' || status === 'refunded';
