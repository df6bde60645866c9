/** The simulated bank_a: the form that a browser posts, the look-up and its details, its page.
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
  loginProblem,
  returnAddress,
  testBuyers,
} from '../../../src/providers/bank-a/simulator.ts';
import { type SimulatedReply, type Spelling, isUnpaid } from '../../../src/providers/simulated-wire.ts';
import type { Door, DoorReply, DoorRequest } from '../../server/door.ts';
import { plannedPayment } from '../planned-payment.ts';
import {
  asDoor,
  exchange,
  failsNow,
  statusTextIn,
  withLateMoney,
  startCall,
  amountIn,
  referenceIn,
} from '../exchange.ts';
import { bounded } from '../bounded.ts';
import { has } from '../faults.ts';
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
  sessionOf,
} from '../payments.ts';
import { refusedPage } from '../wallet-html.ts';
import { seeOther, walletReply } from '../wallet-page.ts';
import { pagePathOf, type Wallet } from '../wallet.ts';
import type { SimulatedProvider } from '../simulated-provider.ts';

const provider = 'bank_a';
const bankARoot = '/sim/bank_a';
const bodyBytesMax = 16 * 1024;

const bankADoors = (deps: PlayDeps): readonly Door[] => {
  const post = (path: string, handle: Door['handle'], lateHeaders: Door['lateHeaders'] = []): Door => ({
    method: 'POST',
    path: `${bankARoot}${path}`,
    bodyBytesMax,
    lateHeaders,
    handle,
  });
  const asked = (path: string, reply: Reply): Door =>
    bounded(post(path, (request) => lookup(deps, request, reply), ['authorization']));
  return [
    post('/gateway/loginpage', (request) => form(deps, request)),
    asked('/ws/api/creditor/validatetxn', lookupReply),
    asked('/ws/api/creditor/gettxndetail', detailsReply),
  ];
};

type Reply = (shown: Shown, spelling: Spelling) => SimulatedReply;

/** The payment as the API shows it, with the faults that change it. */
function shownOf(known: Known, faults: readonly Fault[]): Shown {
  const { paymentId, state } = known;
  return {
    status: failsNow(known, faults) ? 'declined' : state.status,
    txnId: txnIdOf(paymentId),
    reference: referenceIn(faults, referenceOf(paymentId)),
    amount: amountIn(faults, state.amount),
    ...statusTextIn(faults, unknownStatus),
  };
}

async function form(deps: PlayDeps, request: DoorRequest): Promise<DoorReply> {
  const text = request.body.toString('utf8');
  const parsed = parseForm(new URLSearchParams(text));
  if (parsed.is === 'refused') return walletReply(400, refusedPage(bankA, parsed.says));
  return startCall(deps, {
    provider,
    paymentId: paymentOf(parsed.form.reference),
    request: text,
    unknown: () => walletReply(400, refusedPage(bankA, 'No such sandbox payment.')),
    started: (of, named) => startOf(of, named, parsed.form),
    answer: (known) =>
      known === null
        ? walletReply(503, refusedPage(bankA, 'Please try again.'))
        : seeOther(pagePathOf(bankA, known)),
  });
}

/** What the bank learns of a payment from its form. The return addresses are registered for the merchant: those
 *  of the service whose payment it is. */
function startOf(
  { paymentId }: Whose,
  { service }: Pick<Named, 'service'>,
  { amount, title }: Omit<FormRequest, 'reference'>,
) {
  const back = `${service}/return/${provider}`;
  return {
    amount,
    handle: referenceOf(paymentId),
    returnUrl: `${back}/success`,
    failureUrl: `${back}/failure`,
    title,
    // no lifetime that the bank enforces could be confirmed
    lifeEndsAt: null,
  } as const;
}

async function lookup(deps: PlayDeps, request: DoorRequest, reply: Reply): Promise<DoorReply> {
  const text = request.body.toString('utf8');
  const parsed = parseLookup(request.header('authorization'), text);
  if (parsed.is === 'reply') return asDoor(parsed.reply);
  const { command } = parsed;
  const paymentId = paymentOf(command.reference);
  const named = paymentId === null ? null : await sandboxPayment(deps, paymentId, provider);
  if (paymentId === null || named === null) return asDoor(notFoundReply(command));
  const of = { paymentId, scope: named.scope };
  const found = await plannedPayment(deps, bankA, of, named);
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

const { users, password } = testBuyers;

/** Its log-in, its registered return addresses, and how it learns of an attempt when no browser posts the form. */
const bankA: Wallet = {
  is: 'wallet',
  provider: 'bank_a',
  title: 'Simulated Bank A',
  root: bankARoot,
  handleName: 'TXNID',
  loginFields: [
    { name: 'user', label: 'User name', values: users },
    { name: 'password', label: 'Password', values: [password] },
  ],
  loginHint: `Test buyers: ${users.join(' and ')}, password ${password}.`,
  declinedStays: false,
  declinedSays: 'Decline and Cancel go back to the shop without a payment.',
  paymentOf,
  loginProblem: (form) => loginProblem(form.get('user') ?? '', form.get('password') ?? ''),
  returnAddress({ paymentId, state: { status, returnUrl, failureUrl = returnUrl } }) {
    return returnAddress(isUnpaid(status) ? failureUrl : returnUrl, referenceOf(paymentId));
  },
  /** Posts the form on the buyer's behalf. The form of a closed attempt is no longer handed out, but the bank may
   *  have received it earlier from another tab: such an attempt is made known without a form. */
  async makeKnown(deps, of, sessionId, { legs: [{ instructions }] }) {
    if (instructions !== null) {
      await deps.visitor.post(instructions.url, instructions.fields);
      return;
    }
    const session = await sessionOf(deps.client, sessionId, of.scope);
    if (session === null) return;
    const sent = { amount: session.order.amount, title: referenceOf(of.paymentId) };
    const started = { provider, sessionId, ...startOf(of, { service: deps.baseUrl }, sent) } as const;
    await registered(deps, of, started, null);
  },
};

export const simulatedBankA: SimulatedProvider = {
  doors: bankADoors,
  buyersPayBy: bankA,
};
