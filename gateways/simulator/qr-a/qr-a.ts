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
  type Shown,
} from '../../../src/providers/qr-a/simulator.ts';
import type { Door, DoorReply, DoorRequest } from '../../server/door.ts';
import { knownPayment, takeFaults, type Known, type PlayDeps } from '../payments.ts';
import { asDoor, exchange, failsNow, statusTextIn, startCall, shownNow, amountIn } from '../exchange.ts';
import { bounded } from '../bounded.ts';
import { has } from '../faults.ts';

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
    amount: amountIn(faults, state.amount),
    noAmount: has(faults, 'no_amount') !== null,
    ...(declinedFor === undefined ? {} : { message: 'Insufficient balance.' }),
    ...statusTextIn(faults, unknownStatus),
  };
}

const anotherPrn = (prn: string): string => `${prn.slice(0, -1)}${prn.endsWith('0') ? '1' : '0'}`;

async function create(deps: PlayDeps, request: DoorRequest): Promise<DoorReply> {
  const parsed = parseCreate(textOf(request), deps.spelling);
  if (parsed.is === 'reply') return asDoor(parsed.reply);
  const { prn, amount, remarks } = parsed.command;
  return startCall(deps, {
    provider,
    paymentId: paymentOf(prn),
    request: textOf(request),
    unknown: () => asDoor(invalidReply('No such sandbox payment.')),
    // no lifetime that the provider enforces could be confirmed
    started: () => ({ amount, handle: prn, returnUrl: '', title: remarks, lifeEndsAt: null }),
    answer(known, faults) {
      if (known === null) return asDoor(unknownReply());
      const text = qrText(prn, amountIn(faults, amount));
      const created = createdReply({
        prn,
        qrMessage: inSpelling(has(faults, 'bad_crc') === null ? text : withBadCrc(text), deps.spelling),
        httpStatus: has(faults, 'create_status')?.value === 201 ? 201 : 200,
        // a client that reached us at this address reaches our sockets at it
        socketBase: `ws://${request.header('host')}${qrARoot}`,
      });
      return asDoor(created);
    },
  });
}

async function status(deps: PlayDeps, request: DoorRequest): Promise<DoorReply> {
  const parsed = parseStatus(textOf(request), deps.spelling);
  if (parsed.is === 'reply') return asDoor(parsed.reply);
  const paymentId = paymentOf(parsed.command.prn);
  const found = paymentId === null ? null : await knownPayment(deps.client, paymentId, null);
  if (found === null || found.state.provider !== provider) return asDoor(unknownReply());
  const faults = await takeFaults(deps, found, provider, 'lookup');
  return exchange(deps, found, { call: 'lookup', request: textOf(request), faults }, async () => {
    const shown = await shownNow(deps, found, faults, shownOf);
    return { reply: asDoor(statusReply(shown, deps.spelling)), shows: true };
  });
}

const textOf = (request: DoorRequest): string => request.body.toString('utf8');
