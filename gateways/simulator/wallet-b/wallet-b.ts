/** The simulated wallet_b's API doors: initiate, lookup, refund.
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
  type StartRequest,
} from '../../../src/providers/wallet-b/simulator.ts';
import type { SimulatedReply } from '../../../src/providers/simulated-wire.ts';
import type { Door, DoorReply, DoorRequest } from '../../server/door.ts';
import {
  isMoney,
  knownPayment,
  sandboxPayment,
  spendFault,
  decided,
  takeFaults,
  registered,
  askPayment,
  untilTaken,
  type Known,
  type PlayDeps,
  type Whose,
} from '../payments.ts';
import { asDoor, exchange, failsNow, statusTextIn, withLateMoney } from '../exchange.ts';
import { bounded } from '../bounded.ts';
import { has } from '../faults.ts';
import { outcomeIn } from '../../../actors/simulated-payment/outcome-table.ts';

const provider = 'wallet_b';
export const walletBRoot = '/sim/wallet_b';
const bodyBytesMax = 16 * 1024;

export const walletBDoors = (deps: PlayDeps): readonly Door[] => [
  post(`${walletBRoot}/api/v2/epayment/initiate/`, (request) => start(deps, request)),
  post(`${walletBRoot}/api/v2/epayment/lookup/`, (request) => lookup(deps, request)),
  post(`${walletBRoot}/api/merchant-transaction/{transactionId}/refund/`, (request) => refund(deps, request)),
];

const post = (path: string, handle: Door['handle']): Door =>
  bounded({ method: 'POST', path, bodyBytesMax, lateHeaders: ['authorization'], handle });

/** The payment as the API shows it, with the faults that change it. */
export function shownOf(known: Known, faults: readonly Fault[]): Shown {
  const { paymentId, state } = known;
  return {
    status: failsNow(known, faults) ? 'cancelled' : state.status,
    lookupsShown: state.lookupsShown,
    transactionId: transactionOf(paymentId),
    handle: has(faults, 'wrong_reference') === null ? state.handle : anotherHandle(state.handle),
    amount: state.amount - (has(faults, 'wrong_amount') === null ? 0 : 100),
    ...statusTextIn(faults, unknownStatus),
  };
}

const anotherHandle = (handle: string): string => `${handle.slice(0, -1)}${handle.endsWith('0') ? '1' : '0'}`;

async function start(deps: PlayDeps, request: DoorRequest): Promise<DoorReply> {
  const parsed = parseStart(request.header('authorization'), textOf(request));
  if (parsed.is === 'reply') return asDoor(parsed.reply);
  const paymentId = paymentOf('reference', parsed.command.reference);
  const named = paymentId === null ? null : await sandboxPayment(deps, paymentId, provider);
  if (paymentId === null || named === null) {
    return asDoor(invalidReply('purchase_order_id', 'No such sandbox payment.'));
  }
  const of = { paymentId, scope: named.scope };
  const faults = await takeFaults(deps, of, provider, 'start');
  return exchange(deps, of, { call: 'start', request: textOf(request), faults }, async () => {
    const started = startOf(deps, of, named.sessionId, parsed.command);
    const known = await registered(deps, of, started, outcomeIn(named.metadata, provider));
    if (known === null) return { reply: asDoor(notFoundReply()), shows: false };
    const now = deps.client.now(of.scope);
    const { handle, lifeEndsAt } = known.state;
    const page = `${deps.baseUrl}${walletBRoot}`;
    return { reply: asDoor(startReply({ handle }, lifeEndsAt ?? now, now, page)), shows: false };
  });
}

const startOf = (deps: PlayDeps, of: Whose, sessionId: string, parsed: StartRequest) =>
  ({
    provider,
    sessionId,
    amount: parsed.amount,
    handle: handleOf(of.paymentId),
    returnUrl: parsed.returnUrl,
    title: parsed.title,
    lifeEndsAt: deps.client.now(of.scope) + lifeMs,
  }) as const;

async function lookup(deps: PlayDeps, request: DoorRequest): Promise<DoorReply> {
  const parsed = parseLookup(request.header('authorization'), textOf(request));
  if (parsed.is === 'reply') return asDoor(parsed.reply);
  const paymentId = paymentOf('pidx', parsed.command.handle);
  const found = paymentId === null ? null : await knownPayment(deps.client, paymentId, null);
  if (found === null) return asDoor(notFoundReply());
  const faults = await takeFaults(deps, found, provider, 'lookup');
  return exchange(deps, found, { call: 'lookup', request: textOf(request), faults }, async () => {
    const known = await withLateMoney(deps, found, has(faults, 'late_success'));
    const shown = shownOf(known, faults);
    if (shown.status !== known.state.status) await spendFault(deps.client, known, 'success_then_failed');
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
