/** Plays a simulated buyer: effect `buyer.play` of a simulated payment (docs/guides/sandbox.md). It opens
 *  the address that the session returns, presses a button of the wallet's page and follows the redirect
 *  back, over real HTTP.
 *  1. When a request gets no answer the play is interrupted; another run continues from the payment's
 *     current state. A run that finds the payment decided only repeats the return.
 *  2. The faults of an outcome replace those that an earlier outcome set for the same payment.
 *  3. An interrupted play ends with its payment: it is not resumed once the payment is over. */
import { checkoutSessionAt } from '../../actors/checkout-session/commands.ts';
import type { Payment } from '../../actors/checkout-session/attempt.ts';
import {
  type Played,
  type SimulatedPaymentCommands,
  type SimulatedPaymentEffects,
} from '../../actors/simulated-payment/messages.ts';
import { sha256Base32 } from '../../src/kernel/hash.ts';
import { placedBeside } from '../../src/kernel/id.ts';
import { seconds, type DurationMs } from '../../src/kernel/time.ts';
import { neverOpens } from '../../src/runtime/activation/store-breaker.ts';
import type { EffectRunners } from '../../src/runtime/delivery/effects.ts';
import { readingClient, StoreUnresponsive } from '../http/route/reading.ts';
import {
  decided,
  isMoney,
  isOpen,
  knownPayment,
  paymentsOfSession,
  sessionOf,
  setOutcomeFaults,
  askPayment,
  attemptIdOf,
  isAppLeg,
  type Known,
  type PlayDeps,
} from './payments.ts';
import { isPressed, outcomeTable, type Press } from '../../actors/simulated-payment/outcome-table.ts';
import { callBack } from './callback.ts';
import { knownAttempt } from './known-attempt.ts';
import { simulatedBy, walletFor } from './simulated.ts';
import { untilSession } from './until-session.ts';
import { arrived, Unanswered } from './visitor.ts';
import { payOthers, sentBack } from './wallet-page.ts';
import { pagePathOf, type Wallet } from './wallet.ts';

const instructionsMsMax: DurationMs = seconds(13);

type Asked = SimulatedPaymentEffects['buyer.play'];
type RealPress = Exclude<Press, 'nothing'>;

/** Simulated buyers under way at once. */
const buyersAtOnce = 50;

/** The effects of the simulator. `deps` is called when the first buyer or provider acts. */
export const simulatorEffects = (deps: () => PlayDeps): EffectRunners => ({
  'buyer.play': { run: (data: never) => createBuyerPlay(deps())(data), atOnce: buyersAtOnce },
  'callback.send': { run: (data: never) => callBack(deps(), data), atOnce: buyersAtOnce },
});

/** Runs `buyer.play`. Each of its waits is bounded; the runtime aborts the whole after a minute. */
function createBuyerPlay(deps: PlayDeps) {
  // a store that does not answer interrupts a buyer; it is not a defect of the play
  const patient: PlayDeps = { ...deps, client: readingClient(deps.client, neverOpens) };
  return async (asked: Asked): Promise<SimulatedPaymentCommands['played']> => ({
    how: await played(patient, asked),
    play: asked.play,
  });
}

async function played(deps: PlayDeps, asked: Asked): Promise<Played> {
  try {
    return (await reached(deps, asked)) ? 'played' : 'not_possible';
  } catch (thrown) {
    if (thrown instanceof Unanswered || thrown instanceof StoreUnresponsive) return 'interrupted';
    throw thrown;
  }
}

/** False: this payment can no longer reach this outcome. */
async function reached(deps: PlayDeps, asked: Asked): Promise<boolean> {
  const { paymentId, outcome, newest } = asked;
  const known = await knownPayment(deps.client, paymentId, null);
  if (known === null) return false;
  if (outcome === 'double_payment') return doublePayment(deps, known, asked);
  const { press } = outcomeTable[outcome];
  if (press !== 'nothing' && (await isOver(deps, known, asked))) return false;
  if (newest) await setOutcomeFaults(deps.client, known, outcome);
  if (press === 'nothing') return true;
  const { buyersPayBy } = simulatedBy(known.state.provider);
  return buyersPayBy.is === 'phone'
    ? buyersPayBy.play(deps, known, press, outcome === 'insufficient_funds')
    : pressed(deps, known, press, outcome === 'insufficient_funds');
}

/** Whether the payment has ended since this play began. Only an interrupted buyer can be too late: a play
 *  that begins after the end is intended. */
async function isOver({ client }: PlayDeps, known: Known, asked: Asked): Promise<boolean> {
  const { since, interruptions, outcome } = asked;
  if (interruptions === 0) return false;
  const session = await sessionOf(client, known.state.sessionId, known.scope);
  const payment = session?.payments.find(({ id }) => id === attemptIdOf(known.paymentId));
  if (session === null || payment === undefined) return true;
  // a buyer who pays twice has left the first attempt on purpose: the purchase is what counts
  if (outcome === 'double_payment') return 'endedAt' in session && session.endedAt > since;
  return payment.status !== 'pending' && payment.status !== 'processing' && payment.updatedAt > since;
}

/** The buyer presses the button; money for an ended attempt arrives by control, and the buyer still follows
 *  the return redirect. */
async function pressed(deps: PlayDeps, known: Known, press: RealPress, poor = false): Promise<boolean> {
  const { status } = known.state;
  if (isOpen(status)) return onThePage(deps, known, press, poor);
  if (press === 'pay' && !isMoney(status)) decided(await askPayment(deps.client, known, 'pay', {}));
  else if (!isPressed(press, status)) return false;
  return comeBack(deps, known);
}

async function onThePage(deps: PlayDeps, known: Known, press: RealPress, poor: boolean): Promise<boolean> {
  const { baseUrl, visitor } = deps;
  const { handle } = known.state;
  const wallet = walletFor(known);
  if (wallet === null) return false;
  const { legs } = await startedAttempt(deps, known, ({ id }) => id === attemptIdOf(known.paymentId));
  const [{ instructions }] = legs;
  // an attempt closed meanwhile still has its page open in another tab of the buyer
  const page = instructions?.kind === 'redirect' ? instructions.url : null;
  if (arrived(await visitor.get(page ?? `${baseUrl}${pagePathOf(wallet, known)}`)) === null) return false;
  if (wallet.entersByForm === true && instructions?.kind === 'form') {
    const entered = arrived(await visitor.post(instructions.url, instructions.fields));
    if (entered === null || entered.status >= 400) return false;
  }
  const form = `${baseUrl}${wallet.root}/`;
  const push = async (button: string, more: { readonly [name: string]: string } = {}) =>
    arrived(await visitor.post(form, { [wallet.handleName]: handle, do: button, ...more }));
  await push('login', loginOf(wallet));
  const after = await push(poor && wallet.tellsPoor === true ? 'insufficient_funds' : press);
  if (after === null) return false;
  if (after.status >= 400) return decidedMeanwhile(deps, known, press);
  // after a decline, the buyer stays on the page and then gives up
  const back = press === 'decline' && wallet.declinedStays ? await push('leave') : after;
  if (back === null) return false;
  if (back.location !== null) arrived(await visitor.get(back.location));
  return true;
}

/** The page no longer accepts this button: an earlier run of the play may have pressed it, or someone else
 *  pressed another. */
async function decidedMeanwhile(
  deps: PlayDeps,
  { paymentId, scope }: Known,
  press: RealPress,
): Promise<boolean> {
  const now = await knownPayment(deps.client, paymentId, scope);
  return now !== null && !isOpen(now.state.status) && pressed(deps, now, press);
}

/** The attempt of this session to act on, once its start has been answered or has failed. */
async function startedAttempt(
  { client }: PlayDeps,
  { scope, state: { sessionId } }: Known,
  isMeant: (payment: Payment) => boolean,
): Promise<Payment> {
  const found = await untilSession(
    client,
    sessionId,
    scope,
    instructionsMsMax,
    ({ payments }) => payments.find((one) => isMeant(one) && one.start !== 'asked') ?? null,
  );
  if (found === null) throw new Unanswered(`the start of an attempt of ${sessionId} is not answered`);
  return found;
}

/** Input of the first test buyer. */
const loginOf = ({ loginFields }: Wallet): { readonly [name: string]: string } =>
  Object.fromEntries(loginFields.map(({ name, values }) => [name, values[0] ?? '']));

/** The return from an attempt on which no button can be pressed any more. */
async function comeBack(deps: PlayDeps, { paymentId, scope }: Known): Promise<boolean> {
  const now = await knownPayment(deps.client, paymentId, scope);
  const wallet = now === null ? null : walletFor(now);
  if (now === null || wallet === null) return false;
  const location = (await sentBack(deps, wallet, now)).headers?.['Location'];
  if (location !== undefined) arrived(await deps.visitor.get(location));
  return true;
}

/** Two attempts of one purchase are paid. With one so far, the buyer returns and starts another. */
async function doublePayment(deps: PlayDeps, known: Known, asked: Asked): Promise<boolean> {
  const { client } = deps;
  if (isAppLeg(known.paymentId)) return bothLegs(deps, known);
  const all = await paymentsOfSession(client, known.state.sessionId, known.scope);
  const isHalfDone = all.some(({ state }) => isMoney(state.status));
  if (!isHalfDone && (await isOver(deps, known, asked))) return false;
  const second = all.length > 1 ? known : await secondAttempt(deps, known);
  if (second === null) return false;
  if (asked.newest) await setOutcomeFaults(deps.client, second, 'double_payment');
  const others = all.filter((each) => each.paymentId !== second.paymentId && !isMoney(each.state.status));
  if (!isMoney(second.state.status) && !(await pressed(deps, second, 'pay'))) return false;
  await payOthers(deps, second);
  for (const other of others) await comeBack(deps, other);
  return true;
}

/** The app is opened, so its booking cannot be cancelled; then the buyer goes to the web as well, and pays both. */
async function bothLegs(deps: PlayDeps, inApp: Known): Promise<boolean> {
  const { client } = deps;
  const { scope, state } = inApp;
  const { sessionId, provider } = state;
  const attemptId = attemptIdOf(inApp.paymentId);
  if (state.status === 'created') decided(await askPayment(client, inApp, 'open', {}, 'buyer'));
  const known = await knownPayment(client, attemptId, scope);
  if (known === null) {
    const paymentId = placedBeside('pay', sessionId, sha256Base32([attemptId, 'web'], 16));
    const asked = { paymentId, provider, variant: 'web' } as const;
    await client.ask(checkoutSessionAt(sessionId), 'start', asked, { by: 'merchant', scope });
  }
  const onWeb = known ?? (await startedSecond(deps, inApp, attemptId));
  if (!isMoney(onWeb.state.status) && !(await pressed(deps, onWeb, 'pay'))) return false;
  const now = await knownPayment(client, inApp.paymentId, scope);
  if (now !== null && !isMoney(now.state.status)) decided(await askPayment(client, now, 'pay', {}));
  return true;
}

async function secondAttempt(deps: PlayDeps, first: Known): Promise<Known | null> {
  const { client } = deps;
  const { sessionId, provider } = first.state;
  if (!(await comeBack(deps, first))) return null;
  const session = await sessionOf(client, sessionId, first.scope);
  if (session === null) return null;
  const { payments } = session;
  const mine = payments.findLast(({ id, start }) => id !== first.paymentId && start !== 'failed');
  if (mine !== undefined) return startedSecond(deps, first, mine.id);
  // derived, so that a second run of the effect asks for the same attempt; after a failed one, for another
  const parts = [first.paymentId, 'again', String(payments.length)];
  const paymentId = placedBeside('pay', sessionId, sha256Base32(parts, 16));
  const to = checkoutSessionAt(sessionId);
  const merchant = { by: 'merchant', scope: first.scope } as const;
  const result = await client.ask(to, 'start', { paymentId, provider, variant: null }, merchant);
  if (!decided(result) || result.is !== 'ok') return null;
  const { paymentId: wanted } = result.detail;
  return wanted === first.paymentId ? null : startedSecond(deps, first, wanted);
}

/** A start that fails, or a provider that does not know the payment yet, is retried: the session bounds its
 *  attempts. */
async function startedSecond(deps: PlayDeps, first: Known, paymentId: string): Promise<Known> {
  const started = await startedAttempt(deps, first, ({ id }) => id === paymentId);
  const second =
    started.start === 'failed' ? null : await knownAttempt(deps, first.scope, first.state.sessionId, started);
  if (second === null) throw new Unanswered(`${started.id} is not known to its provider`);
  return second;
}
