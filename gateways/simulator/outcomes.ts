/** `simulate`: sets an outcome of docs/guides/sandbox.md for a session's attempt, and starts one where none
 *  runs.
 *  Boundary: decides which attempt and whether the outcome is possible; buyer.ts plays it afterwards.
 *  1. It answers once the attempt has started and the plan is committed; it waits for nothing after that.
 *     How the next refund goes is settled by then: the refund may be asked for at once.
 *  2. A start that the provider fails is a result of the session, so it is shown, not refused; only an open
 *     circuit refuses, before anything is started. */
import type { Payment } from '../../actors/checkout-session/attempt.ts';
import { checkoutSessionAt } from '../../actors/checkout-session/commands.ts';
import { isPayableBy } from '../../actors/checkout-session/payable.ts';
import type { SessionState } from '../../actors/checkout-session/state.ts';
import type { Provider } from '../../src/providers/answers.ts';
import type { SandboxOutcome } from '../../actors/simulated-payment/messages.ts';
import { mintId } from '../../src/kernel/id.ts';
import { seconds, type DurationMs } from '../../src/kernel/time.ts';
import type { Scope } from '../../src/runtime/model/address.ts';
import type { Client } from '../../src/runtime/model/client.ts';
import type { Simulated, SimulateInput, SimulateRefusal } from '../http/api-parts.ts';
import {
  isMoney,
  isOpen,
  paymentsOfSession,
  sessionOf,
  setOutcomeFaults,
  askPayment,
  type Known,
  type PlayDeps,
} from './payments.ts';
import { knownAttempt } from './known-attempt.ts';
import {
  isAboutRefunds,
  isSandboxOutcome,
  isShownBy,
  outcomesShown,
  outcomeTable,
} from '../../actors/simulated-payment/outcome-table.ts';
import { untilSession } from './until-session.ts';

/** How long a start may take, real time; our call to the provider ends after ten seconds. */
const startMsMax: DurationMs = seconds(13);

export interface SimulateParts extends PlayDeps {
  /** Providers that have a simulator here. */
  readonly providers: readonly Provider[];
  /** Whether a provider's circuit is open for this scope now. */
  readonly isDown: (provider: Provider, scope: Scope) => boolean;
}

/** `done`: the session shows the result, also where the provider failed the start. */
export const createSimulate =
  (parts: SimulateParts) =>
  async (input: SimulateInput): Promise<Simulated> => {
    const { client, providers } = parts;
    const { outcome, scope, sessionId } = input;
    if (!isSandboxOutcome(outcome)) return refused('not_in_enum', 'outcome');
    const session = await sessionOf(client, sessionId, scope);
    if (session === null) return refused('resource_not_found', 'id');
    const attempt = await attemptOf(parts, { ...input, outcome }, session);
    if ('is' in attempt) return attempt;
    if (attempt.start === 'failed') return { is: 'done' };
    if (!providers.includes(attempt.provider) || !isShownBy(attempt.provider, outcome)) {
      return notShown(attempt.provider);
    }
    const known = await knownAttempt(parts, scope, sessionId, attempt);
    if (known === null)
      return refused(attempt.legs[0].instructions === null ? 'invalid_state' : 'provider_unavailable');
    if (!(await possible(client, known, outcome))) return refused('invalid_state');
    if (isAboutRefunds(outcome) && input.delayMs === 0) {
      await setOutcomeFaults(client, known, outcome);
      return { is: 'done' };
    }
    const result = await askPayment(client, known, 'plan', {
      outcome,
      at: client.now(scope) + input.delayMs,
    });
    return result.is === 'ok' ? { is: 'done' } : refused('service_unavailable');
  };

const refused = (code: SimulateRefusal, param?: string): Extract<Simulated, { is: 'refused' }> => ({
  is: 'refused',
  code,
  ...(param === undefined ? {} : { param }),
});

const notShown = (provider: Provider): Refused => ({
  is: 'refused',
  code: 'not_in_enum',
  param: 'outcome',
  possible: outcomesShown.filter((outcome) => isShownBy(provider, outcome)),
});

type Refused = Extract<Simulated, { is: 'refused' }>;

/** The requested outcome, if it is valid. */
type Driven = SimulateInput & { readonly outcome: SandboxOutcome };

/** The attempt to act on: a new one, the running one, or the last one of an ended session. */
async function attemptOf(
  parts: SimulateParts,
  input: Driven,
  session: SessionState,
): Promise<Payment | Refused> {
  switch (session.status) {
    case 'pending':
      return startedAttempt(parts, input, session);
    case 'initiated':
      return answeredAttempt(parts.client, input, session.running);
    default:
      return session.payments.findLast(wasStarted) ?? refused('invalid_state');
  }
}

const wasStarted = ({ legs }: Payment): boolean => legs[0].lookupReference !== null;

async function startedAttempt(
  { client, providers, isDown }: SimulateParts,
  { sessionId, scope, provider: wanted, outcome }: Driven,
  { order }: SessionState,
): Promise<Payment | Refused> {
  const name = order.flow === 'redirect' ? order.preselected : wanted;
  if (name === null) return refused('required', 'provider');
  const provider = providers.find((each) => each === name);
  if (provider === undefined || !isPayableBy(order, provider))
    return refused('provider_not_configured', 'provider');
  if (isDown(provider, scope)) return refused('provider_unavailable');
  if (!isShownBy(provider, outcome)) return notShown(provider);
  const asked = { paymentId: mintId('pay', sessionId), provider, variant: null };
  const result = await client.ask(checkoutSessionAt(sessionId), 'start', asked, { by: 'merchant', scope });
  if (result.is === 'refused' && result.code === 'not_found') return refused('resource_not_found', 'id');
  if (result.is === 'refused') return refused('invalid_state');
  if (result.is !== 'ok') return refused('service_unavailable');
  // a different attempt from ours, if a start was already under way
  return answeredAttempt(client, { sessionId, scope }, result.detail.paymentId);
}

/** The attempt once its start has been answered or has failed. */
async function answeredAttempt(
  client: Client,
  { sessionId, scope }: Pick<SimulateInput, 'sessionId' | 'scope'>,
  paymentId: string,
): Promise<Payment | Refused> {
  const attempt = await untilSession(
    client,
    sessionId,
    scope,
    startMsMax,
    ({ payments }) =>
      payments.find((payment) => payment.id === paymentId && payment.start !== 'asked') ?? null,
  );
  // it may still start: a repeated simulate call then acts on it
  return attempt ?? refused('service_unavailable');
}

/** Whether the table of docs/guides/sandbox.md lets this payment reach the state that the outcome needs. */
async function possible(client: Client, known: Known, outcome: SandboxOutcome): Promise<boolean> {
  const open = isOpen(known.state.status);
  const { press } = outcomeTable[outcome];
  if (press === 'decline' || press === 'cancel') return open;
  if (outcome !== 'double_payment' || open) return true;
  const all = await paymentsOfSession(client, known.state.sessionId, known.scope);
  return all.some((other) => other.paymentId !== known.paymentId && !isMoney(other.state.status));
}
