/** The simulated wallet_z's API: pay, find.
 *  1. Every exchange about a known payment is recorded in its log, whatever was answered.
 *  2. A payment is found from the request alone; our own payment tells which project it belongs to. */
import {
  findReply,
  hearFind,
  hearPay,
  idOf,
  paymentOf,
  payReply,
  refusal,
  type SimulatedReply,
} from '../../../src/providers/wallet-z/simulator.ts';
import type { Door, DoorReply, DoorRequest } from '../../server/door.ts';
import { exchange, failsNow, statusTextIn, withLateMoney } from '../exchange.ts';
import { has } from '../faults.ts';
import { outcomeIn } from '../../../actors/simulated-payment/outcome-table.ts';
import {
  knownPayment,
  registered,
  sandboxPayment,
  spendFault,
  takeFaults,
  type PlayDeps,
} from '../payments.ts';

const provider = 'wallet_z';
export const walletZRoot = '/sim/wallet_z';

export const walletZDoors = (deps: PlayDeps): readonly Door[] => [
  post('/pay', (request) => pay(deps, request)),
  post('/find', (request) => find(deps, request)),
];

const post = (path: string, handle: Door['handle']): Door => ({
  method: 'POST',
  path: `${walletZRoot}${path}`,
  bodyBytesMax: 16 * 1024,
  lateHeaders: ['authorization'],
  handle,
});

async function pay(deps: PlayDeps, request: DoorRequest): Promise<DoorReply> {
  const text = request.body.toString('utf8');
  const heard = hearPay(request.header('authorization'), text);
  const paymentId = paymentOf(heard?.ref ?? '');
  const named = paymentId === null ? null : await sandboxPayment(deps, paymentId, provider);
  if (heard === null || paymentId === null || named === null) return asDoor(refusal(400));
  const of = { paymentId, scope: named.scope };
  const faults = await takeFaults(deps, of, provider, 'start');
  return exchange(deps, of, { call: 'start', request: text, faults }, async () => {
    const started = {
      provider,
      sessionId: named.sessionId,
      amount: heard.amount,
      handle: idOf(paymentId),
      returnUrl: heard.back,
      title: heard.ref,
      lifeEndsAt: null,
    } as const;
    const known = await registered(deps, of, started, outcomeIn(named.metadata, provider));
    const reply =
      known === null ? refusal(404) : payReply(known.state.handle, `${deps.baseUrl}${walletZRoot}`);
    return { reply: asDoor(reply), shows: false };
  });
}

async function find(deps: PlayDeps, request: DoorRequest): Promise<DoorReply> {
  const text = request.body.toString('utf8');
  const paymentId = paymentOf(hearFind(request.header('authorization'), text) ?? '');
  const found = paymentId === null ? null : await knownPayment(deps.client, paymentId, null);
  if (found === null || found.state.provider !== provider) return asDoor(refusal(404));
  const faults = await takeFaults(deps, found, provider, 'lookup');
  return exchange(deps, found, { call: 'lookup', request: text, faults }, async () => {
    const known = await withLateMoney(deps, found, has(faults, 'late_success'));
    const fails = failsNow(known, faults);
    if (fails) await spendFault(deps.client, known, 'success_then_failed');
    const { statusText: word } = statusTextIn(faults, 'MAYBE');
    const { handle, amount, status } = known.state;
    const shown = {
      id: has(faults, 'wrong_reference') === null ? handle : `${handle}0`,
      amount: amount - (has(faults, 'wrong_amount') === null ? 0 : 100),
      state: fails ? 'declined' : status,
      noReceipt: has(faults, 'no_receipt') !== null,
      ...(word === undefined ? {} : { word }),
    };
    return { reply: asDoor(findReply(shown)), shows: true };
  });
}

const asDoor = ({ status, body }: SimulatedReply): DoorReply => ({
  status,
  headers: { 'Content-Type': 'application/json' },
  body,
});
