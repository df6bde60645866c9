/** The simulated wallet_b: initiate, lookup, refund, its page.
 *  Boundary: the API's messages are defined in simulator.ts of src/providers; here actors and faults are
 *  applied to them.
 *  1. Every exchange about a known payment is recorded in its log, whatever was answered.
 *  2. A payment is found from the request alone; our own payment tells which project it belongs to. */
import type { Fault } from '../../../actors/simulated-payment/messages.ts';
import {
  handleOf,
  parseLookup,
  parseRefund,
  parseStart,
  invalidReply,
  lifeMs,
  lookupReply,
  mobileRequiredReply,
  notFoundReply,
  paymentOf,
  refundedReply,
  refundRefusedReply,
  refundTooMuchReply,
  startReply,
  transactionOf,
  unknownStatus,
  type RefundRequest,
  type Shown,
  loginProblem,
  returnAddress,
  testBuyers,
} from '../../../src/providers/wallet-b/simulator.ts';
import type { SimulatedReply } from '../../../src/providers/simulated-wire.ts';
import type { Door, DoorReply, DoorRequest } from '../../server/door.ts';
import {
  isMoney,
  knownPayment,
  decided,
  takeFaults,
  askPayment,
  untilTaken,
  type Known,
  type PlayDeps,
  referenceOf,
} from '../payments.ts';
import {
  asDoor,
  exchange,
  failsNow,
  statusTextIn,
  startCall,
  shownNow,
  amountIn,
  referenceIn,
} from '../exchange.ts';
import { bounded } from '../bounded.ts';
import { has } from '../faults.ts';
import type { Wallet } from '../wallet.ts';
import type { SimulatedProvider } from '../simulated-provider.ts';

const provider = 'wallet_b';
const walletBRoot = '/sim/wallet_b';
const bodyBytesMax = 16 * 1024;

const walletBDoors = (deps: PlayDeps): readonly Door[] => [
  post(`${walletBRoot}/api/v2/epayment/initiate/`, (request) => start(deps, request)),
  post(`${walletBRoot}/api/v2/epayment/lookup/`, (request) => lookup(deps, request)),
  post(`${walletBRoot}/api/merchant-transaction/{transactionId}/refund/`, (request) => refund(deps, request)),
];

const post = (path: string, handle: Door['handle']): Door =>
  bounded({ method: 'POST', path, bodyBytesMax, lateHeaders: ['authorization'], handle });

/** The payment as the API shows it, with the faults that change it. */
function shownOf(known: Known, faults: readonly Fault[]): Shown {
  const { paymentId, state } = known;
  return {
    status: failsNow(known, faults) ? 'cancelled' : state.status,
    lookupsShown: state.lookupsShown,
    transactionId: transactionOf(paymentId),
    handle: referenceIn(faults, state.handle),
    amount: amountIn(faults, state.amount),
    ...statusTextIn(faults, unknownStatus),
  };
}

async function start(deps: PlayDeps, request: DoorRequest): Promise<DoorReply> {
  const parsed = parseStart(request.header('authorization'), textOf(request));
  if (parsed.is === 'reply') return asDoor(parsed.reply);
  const { reference, amount, returnUrl, title } = parsed.command;
  return startCall(deps, {
    provider,
    paymentId: paymentOf('reference', reference),
    request: textOf(request),
    unknown: () => asDoor(invalidReply('purchase_order_id', 'No such sandbox payment.')),
    started: ({ paymentId, scope }) => {
      const lifeEndsAt = deps.client.now(scope) + lifeMs;
      return { amount, handle: handleOf(paymentId), returnUrl, title, lifeEndsAt };
    },
    answer(known) {
      if (known === null) return asDoor(notFoundReply());
      const now = deps.client.now(known.scope);
      const { handle, lifeEndsAt } = known.state;
      return asDoor(startReply({ handle }, lifeEndsAt ?? now, now, `${deps.baseUrl}${walletBRoot}`));
    },
  });
}

async function lookup(deps: PlayDeps, request: DoorRequest): Promise<DoorReply> {
  const parsed = parseLookup(request.header('authorization'), textOf(request));
  if (parsed.is === 'reply') return asDoor(parsed.reply);
  const paymentId = paymentOf('pidx', parsed.command.handle);
  const found = paymentId === null ? null : await knownPayment(deps.client, paymentId, null);
  if (found === null) return asDoor(notFoundReply());
  const faults = await takeFaults(deps, found, provider, 'lookup');
  return exchange(deps, found, { call: 'lookup', request: textOf(request), faults }, async () => {
    const shown = await shownNow(deps, found, faults, shownOf);
    return { reply: asDoor(lookupReply(shown)), shows: true };
  });
}

async function refund(deps: PlayDeps, request: DoorRequest): Promise<DoorReply> {
  const { transactionId = '' } = request.params;
  const parsed = parseRefund(request.header('authorization'), transactionId, textOf(request));
  if (parsed.is === 'reply') return asDoor(parsed.reply);
  const known = await knownPayment(deps.client, parsed.command.paymentId, null);
  if (known === null) return asDoor(notFoundReply());
  // counted first: a call that then breaks off was a call all the same
  decided(await untilTaken(deps, () => askPayment(deps.client, known, 'refundCalled', {})));
  const faults = await takeFaults(deps, known, provider, 'refund');
  return exchange(deps, known, { call: 'refund', request: textOf(request), faults }, async () => ({
    reply: asDoor(await refunded(deps, known, parsed.command, faults)),
    shows: false,
  }));
}

async function refunded(
  deps: PlayDeps,
  known: Known,
  { amount, mobile }: RefundRequest,
  faults: readonly Fault[],
): Promise<SimulatedReply> {
  if (has(faults, 'refund_reject') !== null) return refundRefusedReply();
  if (has(faults, 'refund_needs_mobile') !== null && mobile === null) return mobileRequiredReply();
  if (has(faults, 'refund_timeout_lost') !== null) return refundedReply();
  if (decided(await untilTaken(deps, () => askPayment(deps.client, known, 'refund', { amount })))) {
    return refundedReply();
  }
  const now = (await knownPayment(deps.client, known.paymentId, known.scope)) ?? known;
  // nobody has received a transaction id of a payment without money
  if (!isMoney(now.state.status)) return notFoundReply();
  return now.state.status === 'refunded' ? refundRefusedReply() : refundTooMuchReply();
}

const textOf = (request: DoorRequest): string => request.body.toString('utf8');

const { mobiles, mpin, otp } = testBuyers;

/** Its log-in, and its unsigned return. */
const walletB: Wallet = {
  is: 'wallet',
  provider: 'wallet_b',
  title: 'Simulated Wallet B',
  root: walletBRoot,
  handleName: 'pidx',
  loginFields: [
    { name: 'mobile', label: 'Mobile number', values: mobiles },
    { name: 'mpin', label: 'MPIN', values: [mpin] },
    { name: 'otp', label: 'OTP', values: [otp] },
  ],
  loginHint: `Test buyers: ${mobiles[0]} to ${mobiles.at(-1) ?? ''}, MPIN ${mpin}, OTP ${otp}.`,
  declinedStays: true,
  declinedSays: 'Who is declined stays here until he leaves.',
  paymentOf: (handle) => paymentOf('pidx', handle),
  loginProblem: (form) =>
    loginProblem(form.get('mobile') ?? '', form.get('mpin') ?? '', form.get('otp') ?? ''),
  returnAddress(known, faults) {
    const { returnUrl, title } = known.state;
    const order = { reference: referenceOf(known.paymentId), title, mobile: mobiles[0] };
    return returnAddress(shownOf(known, faults), returnUrl, order);
  },
};

export const simulatedWalletB: SimulatedProvider = { doors: walletBDoors, buyersPayBy: walletB };
