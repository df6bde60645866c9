/** The simulated wallet_a on the web: the form that a browser posts, the look-up, its page.
 *  Boundary: the API's messages are defined in simulator.ts of src/providers; here actors and faults are
 *  applied to them.
 *  1. Every exchange about a known payment is recorded in its log, whatever was answered.
 *  2. A payment is found from the request alone; our own payment tells which project it belongs to.
 *  3. An attempt whose session plans an outcome does not wait for a browser: the first look-up submits the
 *     form. */
import type { Fault } from '../../../actors/simulated-payment/messages.ts';
import {
  parseForm,
  parseLookup,
  isFoundBy,
  lifeMs,
  lookupReply,
  notFoundReply,
  outageReply,
  paymentOf,
  refIdOf,
  unknownStatus,
  type FormRequest,
  type LookupRequest,
  type Shown,
  loginProblem,
  successAddress,
  testBuyers,
} from '../../../src/providers/wallet-a/simulator.ts';
import type { Door, DoorReply, DoorRequest } from '../../server/door.ts';
import {
  referenceOf,
  sandboxPayment,
  spendFault,
  takeFaults,
  registered,
  type Known,
  type PlayDeps,
  type Whose,
  sessionOf,
} from '../payments.ts';
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
  amountTextIn,
} from '../exchange.ts';
import { has } from '../faults.ts';
import { refusedPage } from '../wallet-html.ts';
import { seeOther, walletReply, walletPageDoors } from '../wallet-page.ts';
import { pagePathOf, type Wallet } from '../wallet.ts';
import type { Payment } from '../../../actors/checkout-session/attempt.ts';
import type { Order } from '../../../actors/checkout-session/order.ts';
import { isUnpaid } from '../../../src/providers/simulated-wire.ts';
import type { SimulatedProvider } from '../simulated-provider.ts';
import { callbackBody } from '../../../src/providers/wallet-a/app/simulator.ts';
import { shownOf as shownInApp, walletAApp, walletAAppDoors } from './app.ts';

const provider = 'wallet_a';
const walletARoot = '/sim/wallet_a';
const bodyBytesMax = 16 * 1024;

const walletADoors = (deps: PlayDeps): readonly Door[] => [
  {
    method: 'POST',
    path: `${walletARoot}/api/epay/main/v2/form`,
    bodyBytesMax,
    lateHeaders: [],
    handle: (request) => form(deps, request),
  },
  {
    method: 'GET',
    path: `${walletARoot}/api/epay/transaction/status/`,
    lateHeaders: [],
    handle: (request) => lookup(deps, request),
  },
];

/** The payment as the API shows it, with the faults that change it. */
function shownOf(known: Known, faults: readonly Fault[]): Shown {
  const { paymentId, state } = known;
  return {
    status: failsNow(known, faults) ? 'declined' : state.status,
    refId: refIdOf(paymentId),
    reference: referenceIn(faults, referenceOf(paymentId)),
    amount: amountIn(faults, state.amount),
    ...statusTextIn(faults, unknownStatus),
    ...amountTextIn(faults),
  };
}

async function form(deps: PlayDeps, request: DoorRequest): Promise<DoorReply> {
  const text = request.body.toString('utf8');
  const parsed = parseForm(new URLSearchParams(text));
  if (parsed.is === 'refused') return walletReply(400, refusedPage(walletA, parsed.says));
  return startCall(deps, {
    provider,
    paymentId: paymentOf(parsed.form.reference),
    request: text,
    outage,
    unknown: () => walletReply(400, refusedPage(walletA, 'No such sandbox payment.')),
    started: (of) => startOf(of, parsed.form),
    answer: (known) =>
      known === null
        ? walletReply(503, refusedPage(walletA, 'Please try again.'))
        : seeOther(pagePathOf(walletA, known)),
  });
}

/** What the wallet learns of a payment from its form. */
const startOf = ({ paymentId }: Whose, { amount, successUrl, failureUrl }: Omit<FormRequest, 'reference'>) =>
  ({
    amount,
    handle: referenceOf(paymentId),
    returnUrl: successUrl,
    failureUrl,
    title: referenceOf(paymentId),
    lifeEndsAt: null,
    lifeOnceOpenMs: lifeMs,
  }) as const;

async function lookup(deps: PlayDeps, request: DoorRequest): Promise<DoorReply> {
  const parsed = parseLookup(new URLSearchParams(request.rawQuery));
  const paymentId = paymentOf(parsed.reference);
  const named = paymentId === null ? null : await sandboxPayment(deps, paymentId, provider);
  if (paymentId === null || named === null) return asDoor(notFoundReply(parsed));
  const of = { paymentId, scope: named.scope };
  const found = await plannedPayment(deps, walletA, of, named);
  const faults = await takeFaults(deps, of, provider, 'lookup');
  const asked = { call: 'lookup', request: `GET ?${request.rawQuery}`, faults, outage } as const;
  return exchange(deps, of, asked, async () => {
    if (found === null) return { reply: asDoor(notFoundReply(parsed)), shows: false };
    return answered(deps, found, parsed, faults);
  });
}

async function answered(deps: PlayDeps, found: Known, parsed: LookupRequest, faults: readonly Fault[]) {
  const known = await withLateMoney(deps, found, has(faults, 'late_success'));
  if (!isFoundBy(parsed, known.state.amount)) return { reply: asDoor(notFoundReply(parsed)), shows: false };
  const shown = shownOf(known, faults);
  if (shown.status !== known.state.status) await spendFault(deps.client, known, 'success_then_failed');
  const older = has(faults, 'field_style')?.value === 'camel';
  return { reply: asDoor(lookupReply(shown, older)), shows: true };
}

const outage = asDoor(outageReply());

const { ids, password, mpin, token } = testBuyers;

/** Its log-in, its two return addresses, and how it learns of an attempt when no browser posts the form. */
const walletA: Wallet = {
  is: 'wallet',
  provider: 'wallet_a',
  title: 'Simulated Wallet A',
  root: walletARoot,
  handleName: 'transaction_uuid',
  loginFields: [
    { name: 'id', label: 'Wallet ID', values: ids },
    { name: 'password', label: 'Password', values: [password] },
    { name: 'mpin', label: 'MPIN', values: [mpin] },
    { name: 'token', label: 'Token', values: [token] },
  ],
  loginHint:
    `Test buyers: ${ids[0]} to ${ids.at(-1) ?? ''}, password ${password}, MPIN ${mpin}, token ${token}. ` +
    'After the log-in there are five minutes to pay.',
  declinedStays: false,
  declinedSays: 'Decline and Cancel go back to the shop without a payment.',
  paymentOf,
  loginProblem,
  returnAddress(known, faults) {
    const { status, returnUrl, failureUrl } = known.state;
    if (isUnpaid(status) && failureUrl !== undefined) return failureUrl;
    return successAddress(shownOf(known, faults), returnUrl, {
      badSignature: has(faults, 'bad_signature') !== null,
      statusUnsigned: has(faults, 'missing_signed_field') !== null,
    });
  },
  makeKnown,
};

/** Posts the form on the buyer's behalf. The form of a closed attempt is no longer handed out, but the
 *  wallet may have received it earlier from another tab: such an attempt is made known without a form. */
async function makeKnown(deps: PlayDeps, of: Whose, sessionId: string, attempt: Payment): Promise<void> {
  const [{ instructions }] = attempt.legs;
  if (instructions !== null) {
    await deps.visitor.post(instructions.url, instructions.fields);
    return;
  }
  const session = await sessionOf(deps.client, sessionId, of.scope);
  if (session === null) return;
  const learned = startOf(of, formAsSent(deps, attempt, session.order));
  await registered(deps, of, { provider, sessionId, ...learned }, null);
}

function formAsSent({ baseUrl }: PlayDeps, { id }: Payment, { amount }: Order) {
  const back = `${baseUrl}/return/wallet_a/${id}/web`;
  return { amount, successUrl: `${back}/success`, failureUrl: `${back}/failure` };
}

export const simulatedWalletA: SimulatedProvider = {
  doors: (deps) => [...walletADoors(deps), ...walletAAppDoors(deps), ...walletPageDoors(deps, walletAApp)],
  buyersPayBy: walletA,
  app: walletAApp,
  callback: (known, faults) => ({
    body: callbackBody(shownInApp(known, faults), {
      badSignature: has(faults, 'bad_signature') !== null,
      statusUnsigned: has(faults, 'missing_signed_field') !== null,
    }),
    headers: {},
  }),
};
