/** The simulated bank_a's API: the form that a browser posts, the look-up and its details.
 *  Boundary: the API's messages are defined in simulator.ts of src/providers; here actors and faults are
 *  applied to them.
 *  1. Every exchange about a known payment is recorded in its log, whatever was answered.
 *  2. A payment is found from the request alone; our own payment tells which project it belongs to.
 *  3. An attempt whose session plans an outcome does not wait for a browser: the first look-up submits the
 *     form. */
import type { Fault } from '../../../actors/simulated-payment/messages.ts';
import {
  detailsReply,
  isFoundBy,
  lookupReply,
  notFoundReply,
  parseForm,
  parseLookup,
  paymentOf,
  txnIdOf,
  unknownStatus,
  type FormRequest,
  type Shown,
} from '../../../src/providers/bank-a/simulator.ts';
import type { SimulatedReply, Spelling } from '../../../src/providers/simulated-wire.ts';
import type { Door, DoorReply, DoorRequest } from '../../server/door.ts';
import { knownOrBrought } from '../brought.ts';
import { asDoor, exchange, failsNow, statusTextIn, withLateMoney } from '../exchange.ts';
import { bounded } from '../bounded.ts';
import { has } from '../faults.ts';
import { outcomeIn } from '../../../actors/simulated-payment/outcome-table.ts';
import {
  referenceOf,
  registered,
  sandboxPayment,
  spendFault,
  takeFaults,
  type Known,
  type Named,
  type PlayDeps,
  type Whose,
} from '../payments.ts';
import { refusedPage } from '../wallet-html.ts';
import { seeOther, walletReply } from '../wallet-page.ts';
import { pagePathOf, type Wallet } from '../wallet.ts';

const provider = 'bank_a';
export const bankARoot = '/sim/bank_a';
const bodyBytesMax = 16 * 1024;

export const bankADoors = (deps: PlayDeps, wallet: Wallet): readonly Door[] => {
  const post = (path: string, handle: Door['handle'], lateHeaders: Door['lateHeaders'] = []): Door => ({
    method: 'POST',
    path: `${bankARoot}${path}`,
    bodyBytesMax,
    lateHeaders,
    handle,
  });
  const asked = (path: string, reply: Reply): Door =>
    bounded(post(path, (request) => lookup(deps, wallet, request, reply), ['authorization']));
  return [
    post('/gateway/loginpage', (request) => form(deps, wallet, request)),
    asked('/ws/api/creditor/validatetxn', lookupReply),
    asked('/ws/api/creditor/gettxndetail', detailsReply),
  ];
};

type Reply = (shown: Shown, spelling: Spelling) => SimulatedReply;

/** The payment as the API shows it, with the faults that change it. */
export function shownOf(known: Known, faults: readonly Fault[]): Shown {
  const { paymentId, state } = known;
  const reference = referenceOf(paymentId);
  return {
    status: failsNow(known, faults) ? 'declined' : state.status,
    txnId: txnIdOf(paymentId),
    reference: has(faults, 'wrong_reference') === null ? reference : anotherReference(reference),
    amount: state.amount - (has(faults, 'wrong_amount') === null ? 0 : 100),
    ...statusTextIn(faults, unknownStatus),
  };
}

const anotherReference = (reference: string): string =>
  `${reference.slice(0, -1)}${reference.endsWith('0') ? '1' : '0'}`;

async function form(deps: PlayDeps, wallet: Wallet, request: DoorRequest): Promise<DoorReply> {
  const text = request.body.toString('utf8');
  const parsed = parseForm(new URLSearchParams(text));
  if (parsed.is === 'refused') return walletReply(400, refusedPage(wallet, parsed.says));
  const paymentId = paymentOf(parsed.form.reference);
  const named = paymentId === null ? null : await sandboxPayment(deps, paymentId, provider);
  if (paymentId === null || named === null) {
    return walletReply(400, refusedPage(wallet, 'No such sandbox payment.'));
  }
  const of = { paymentId, scope: named.scope };
  const faults = await takeFaults(deps, of, provider, 'start');
  return exchange(deps, of, { call: 'start', request: text, faults }, async () => {
    const outcome = outcomeIn(named.metadata, provider);
    const known = await registered(deps, of, startOf(of, named, parsed.form), outcome);
    if (known === null)
      return { reply: walletReply(503, refusedPage(wallet, 'Please try again.')), shows: false };
    return { reply: seeOther(pagePathOf(wallet, known)), shows: false };
  });
}

/** What the bank learns of a payment from its form. The return addresses are registered for the merchant: those
 *  of the service whose payment it is. */
export function startOf(
  { paymentId }: Whose,
  { sessionId, service }: Pick<Named, 'sessionId' | 'service'>,
  { amount, title }: Omit<FormRequest, 'reference'>,
) {
  const back = `${service}/return/${provider}`;
  return {
    provider,
    sessionId,
    amount,
    handle: referenceOf(paymentId),
    returnUrl: `${back}/success`,
    failureUrl: `${back}/failure`,
    title,
    // no lifetime that the bank enforces could be confirmed
    lifeEndsAt: null,
  } as const;
}

async function lookup(
  deps: PlayDeps,
  wallet: Wallet,
  request: DoorRequest,
  reply: Reply,
): Promise<DoorReply> {
  const text = request.body.toString('utf8');
  const parsed = parseLookup(request.header('authorization'), text);
  if (parsed.is === 'reply') return asDoor(parsed.reply);
  const { command } = parsed;
  const paymentId = paymentOf(command.reference);
  const named = paymentId === null ? null : await sandboxPayment(deps, paymentId, provider);
  if (paymentId === null || named === null) return asDoor(notFoundReply(command));
  const of = { paymentId, scope: named.scope };
  const found = await knownOrBrought(deps, wallet, of, named);
  const faults = await takeFaults(deps, of, provider, 'lookup');
  return exchange(deps, of, { call: 'lookup', request: text, faults }, async () => {
    const known = found === null ? null : await withLateMoney(deps, found, has(faults, 'late_success'));
    if (known === null || !isFoundBy(command, known.state.amount)) {
      return { reply: asDoor(notFoundReply(command)), shows: false };
    }
    // details belong to the look-up that was answered just before: a change of mind waits for the next one
    const isLookup = reply === lookupReply;
    const shown = shownOf(known, isLookup ? faults : without(faults, 'success_then_failed'));
    if (shown.status !== known.state.status) await spendFault(deps.client, known, 'success_then_failed');
    return { reply: asDoor(reply(shown, deps.spelling)), shows: isLookup };
  });
}

const without = (faults: readonly Fault[], kind: Fault['kind']): readonly Fault[] =>
  faults.filter((fault) => fault.kind !== kind);
