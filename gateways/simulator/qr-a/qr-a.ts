/** The simulated qr_a's API doors: create a code, return its status.
 *  Boundary: the API's messages are defined in simulator.ts of src/providers; here actors and faults are
 *  applied to them.
 *  1. Every exchange about a known payment is recorded in its log, whatever was answered.
 *  2. A payment is found from its prn alone; our own payment tells which project it belongs to. */
import type { Fault } from '../../../actors/simulated-payment/messages.ts';
import {
  createdReply,
  inSpelling,
  parseCreate,
  parseStatus,
  invalidReply,
  paymentOf,
  qrText,
  statusReply,
  traceOf,
  unknownReply,
  unknownStatus,
  withBadCrc,
  type CreateRequest,
  type Shown,
} from '../../../src/providers/qr-a/simulator.ts';
import type { Door, DoorReply, DoorRequest } from '../../server/door.ts';
import {
  knownPayment,
  sandboxPayment,
  spendFault,
  takeFaults,
  registered,
  type Known,
  type PlayDeps,
} from '../payments.ts';
import { asDoor, exchange, failsNow, statusTextIn, withLateMoney } from '../exchange.ts';
import { bounded } from '../bounded.ts';
import { has } from '../faults.ts';
import { outcomeIn } from '../../../actors/simulated-payment/outcome-table.ts';

const provider = 'qr_a';
export const qrARoot = '/sim/qr_a';
const folder = `${qrARoot}/api/merchant/merchantDetailsForThirdParty`;
const bodyBytesMax = 16 * 1024;

export const qrADoors = (deps: PlayDeps): readonly Door[] => [
  post(`${folder}/thirdPartyDynamicQrDownload`, (request) => create(deps, request)),
  post(`${folder}/thirdPartyDynamicQrGetStatus`, (request) => status(deps, request)),
];

const post = (path: string, handle: Door['handle']): Door =>
  bounded({ method: 'POST', path, bodyBytesMax, lateHeaders: ['host'], handle });

/** The payment as the API shows it, with the faults that change it. */
export function shownOf(known: Known, faults: readonly Fault[]): Shown {
  const { state } = known;
  const { handle: prn, declinedFor } = state;
  return {
    status: failsNow(known, faults) ? 'declined' : state.status,
    traceId: traceOf(prn),
    prn: has(faults, 'wrong_reference') === null ? prn : anotherPrn(prn),
    amount: state.amount - (has(faults, 'wrong_amount') === null ? 0 : 100),
    noAmount: has(faults, 'no_amount') !== null,
    ...(declinedFor === undefined ? {} : { message: 'Insufficient balance.' }),
    ...statusTextIn(faults, unknownStatus),
  };
}

const anotherPrn = (prn: string): string => `${prn.slice(0, -1)}${prn.endsWith('0') ? '1' : '0'}`;

async function create(deps: PlayDeps, request: DoorRequest): Promise<DoorReply> {
  const parsed = parseCreate(textOf(request), deps.spelling);
  if (parsed.is === 'reply') return asDoor(parsed.reply);
  const { prn, amount } = parsed.command;
  const paymentId = paymentOf(prn);
  const named = paymentId === null ? null : await sandboxPayment(deps, paymentId, provider);
  if (paymentId === null || named === null) return asDoor(invalidReply('No such sandbox payment.'));
  const of = { paymentId, scope: named.scope };
  const faults = await takeFaults(deps, of, provider, 'start');
  return exchange(deps, of, { call: 'start', request: textOf(request), faults }, async () => {
    const started = startOf(named.sessionId, parsed.command);
    const known = await registered(deps, of, started, outcomeIn(named.metadata, provider));
    if (known === null) return { reply: asDoor(unknownReply()), shows: false };
    const encoded = has(faults, 'wrong_amount') === null ? amount : amount - 100;
    const text = qrText(prn, encoded);
    const created = createdReply({
      prn,
      qrMessage: inSpelling(has(faults, 'bad_crc') === null ? text : withBadCrc(text), deps.spelling),
      httpStatus: has(faults, 'create_status')?.value === 201 ? 201 : 200,
      // a client that reached us at this address reaches our sockets at it
      socketBase: `ws://${request.header('host')}${qrARoot}`,
    });
    return { reply: asDoor(created), shows: false };
  });
}

const startOf = (sessionId: string, { prn, amount, remarks }: CreateRequest) =>
  ({
    provider,
    sessionId,
    amount,
    handle: prn,
    returnUrl: '',
    title: remarks,
    // no lifetime that the provider enforces could be confirmed
    lifeEndsAt: null,
  }) as const;

async function status(deps: PlayDeps, request: DoorRequest): Promise<DoorReply> {
  const parsed = parseStatus(textOf(request), deps.spelling);
  if (parsed.is === 'reply') return asDoor(parsed.reply);
  const paymentId = paymentOf(parsed.command.prn);
  const found = paymentId === null ? null : await knownPayment(deps.client, paymentId, null);
  if (found === null || found.state.provider !== provider) return asDoor(unknownReply());
  const faults = await takeFaults(deps, found, provider, 'lookup');
  return exchange(deps, found, { call: 'lookup', request: textOf(request), faults }, async () => {
    const known = await withLateMoney(deps, found, has(faults, 'late_success'));
    const shown = shownOf(known, faults);
    if (shown.status !== known.state.status) await spendFault(deps.client, known, 'success_then_failed');
    return { reply: asDoor(statusReply(shown, deps.spelling)), shows: true };
  });
}

const textOf = (request: DoorRequest): string => request.body.toString('utf8');
