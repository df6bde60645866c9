/** Plays a simulated buyer: effect `buyer.play` of a simulated payment (decisions 20). It takes the address
 *  the session hands out, presses a button of the wallet's page and takes the way back, over real HTTP.
 *  1. A second run finds the payment decided and changes nothing but repeating the return.
 *  2. The faults of an outcome take the place of those an earlier outcome set for the same payment. */
import { checkoutSessionAt } from '../../actors/checkout-session/commands.ts';
import {
  simulatorAt,
  type SandboxOutcome,
  type SimulatedPaymentCommands,
  type SimulatedPaymentEffects,
} from '../../actors/simulated-payment/messages.ts';
import { sha256Base32 } from '../../src/kernel/hash.ts';
import { placedBeside } from '../../src/kernel/id.ts';
import { seconds, type DurationMs } from '../../src/kernel/time.ts';
import {
  isMoney,
  knownPayment,
  paymentsOfSession,
  referenceOf,
  tell,
  type Known,
  type PlayDeps,
} from './desk.ts';
import { faultsOf, outcomeTable, type Press } from './outcome-table.ts';
import { introduced } from './introduced.ts';
import { playPhone } from './qr-a-page.ts';
import { untilSession } from './until-session.ts';
import { payOthers, sentBack } from './wallet-page.ts';
import { pagePathOf, type Wallet } from './wallet.ts';
import { wallets } from './wallets.ts';

const instructionsMsMax: DurationMs = seconds(13);

type Played = SimulatedPaymentCommands['played'];
type RealPress = Exclude<Press, 'nothing'>;

/** Runs `buyer.play`. Each of its waits is bounded; the runtime gives up on the whole after a minute. */
export const createBuyerPlay =
  (deps: PlayDeps) =>
  async ({ paymentId, outcome }: SimulatedPaymentEffects['buyer.play']): Promise<Played> => {
    const known = await knownPayment(deps.client, paymentId, null);
    if (known === null) return { how: 'not_possible' };
    if (outcome === 'double_payment') return doublePayment(deps, known);
    await setFaults(deps, known, outcome);
    const { press } = outcomeTable[outcome];
    if (press !== 'nothing' && known.state.provider === 'qr_a') {
      const played = await playPhone(deps, known, press, outcome === 'insufficient_funds');
      return { how: played ? 'played' : 'not_possible' };
    }
    return { how: press === 'nothing' || (await pressed(deps, known, press)) ? 'played' : 'not_possible' };
  };

function setFaults({ client }: PlayDeps, { paymentId, scope, state }: Known, outcome: SandboxOutcome) {
  const reference = referenceOf(paymentId);
  const faults = faultsOf(outcome, state.provider, reference, client.now(scope));
  return client.ask(simulatorAt(scope), 'addFaults', { faults, instead: reference }, { by: 'system', scope });
}

/** The buyer presses; money for an attempt that is over comes by control, and he still takes the way back. */
async function pressed(deps: PlayDeps, known: Known, press: RealPress): Promise<boolean> {
  const { status } = known.state;
  if (status === 'created' || status === 'opened') return onThePage(deps, known, press);
  if (press !== 'pay') return false;
  if (!isMoney(status)) await tell(deps.client, known, 'pay', {});
  return comeBack(deps, known);
}

async function onThePage(
  { client, baseUrl, visitor }: PlayDeps,
  known: Known,
  press: RealPress,
): Promise<boolean> {
  const { sessionId, handle, provider } = known.state;
  const wallet = wallets.get(provider);
  const own = await untilSession(
    client,
    sessionId,
    known.scope,
    instructionsMsMax,
    ({ payments }) => payments.find(({ id, start }) => id === known.paymentId && start !== 'asked') ?? null,
  );
  if (wallet === undefined || own === null) return false;
  // an attempt that was closed meanwhile still has its page open in the buyer's other tab
  const page = own.instructions?.kind === 'redirect' ? own.instructions.url : null;
  if ((await visitor.get(page ?? `${baseUrl}${pagePathOf(wallet, known)}`)) === null) return false;
  const form = `${baseUrl}${wallet.root}/`;
  const push = (button: string, more: { readonly [name: string]: string } = {}) =>
    visitor.post(form, { [wallet.handleName]: handle, do: button, ...more });
  await push('login', loginOf(wallet));
  const after = await push(press);
  // declined, he stays on the page and then gives up
  const back = press === 'decline' && wallet.declinedStays ? await push('leave') : after;
  if (after === null || after.status >= 400 || back === null) return false;
  if (back.location !== null) await visitor.get(back.location);
  return true;
}

/** What the first test buyer types. */
const loginOf = ({ loginFields }: Wallet): { readonly [name: string]: string } =>
  Object.fromEntries(loginFields.map(({ name, values }) => [name, values[0] ?? '']));

/** The way back from an attempt nobody can press anything on any more. */
async function comeBack(deps: PlayDeps, { paymentId, scope }: Known): Promise<boolean> {
  const now = await knownPayment(deps.client, paymentId, scope);
  const wallet = wallets.get(now?.state.provider ?? 'wallet_b');
  if (now === null || wallet === undefined) return false;
  const location = (await sentBack(deps, wallet, now)).headers?.['Location'];
  if (location !== undefined) await deps.visitor.get(location);
  return true;
}

/** Two attempts of one purchase are paid. With one so far, the buyer comes back and starts another. */
async function doublePayment(deps: PlayDeps, known: Known): Promise<Played> {
  const { client } = deps;
  const all = await paymentsOfSession(client, known.state.sessionId, known.scope);
  const second = all.length > 1 ? known : await secondAttempt(deps, known);
  if (second === null) return { how: 'not_possible' };
  await setFaults(deps, second, 'double_payment');
  const others = all.filter((each) => each.paymentId !== second.paymentId && !isMoney(each.state.status));
  if (isMoney(second.state.status)) await payOthers(deps, second);
  else if (!(await pressed(deps, second, 'pay'))) return { how: 'not_possible' };
  for (const other of others) await comeBack(deps, other);
  return { how: 'played' };
}

async function secondAttempt(deps: PlayDeps, first: Known): Promise<Known | null> {
  const { client } = deps;
  const { sessionId, provider } = first.state;
  if (!(await comeBack(deps, first))) return null;
  // derived, so that a second run of the effect asks for the same attempt
  const paymentId = placedBeside('pay', sessionId, sha256Base32([first.paymentId, 'again'], 16));
  const to = checkoutSessionAt(sessionId);
  const merchant = { by: 'merchant', scope: first.scope } as const;
  const result = await client.ask(to, 'start', { paymentId, provider, variant: null }, merchant);
  if (result.is !== 'ok') return null;
  const wanted = result.detail['paymentId'];
  const started = await untilSession(
    client,
    sessionId,
    first.scope,
    instructionsMsMax,
    ({ payments }) => payments.find(({ id, start }) => id === wanted && start !== 'asked') ?? null,
  );
  if (started === null || started.id === first.paymentId) return null;
  return introduced(deps, first.scope, sessionId, started);
}
