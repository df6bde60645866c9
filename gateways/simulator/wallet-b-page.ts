/** The simulated wallet's own page (providers 9): a buyer logs in, presses a button and is sent back.
 *  Works without script. Whoever has the pidx is the buyer, as at the provider.
 *  1. A page never moves a payment the table of providers 9 does not let move.
 *  2. After the end no money comes from here; late money is sandbox control's. */
import type { Fault } from '../../actors/simulated-payment/messages.ts';
import {
  loginProblem,
  paymentOf,
  returnAddress,
  testBuyers,
} from '../../src/providers/wallet-b/simulator.ts';
import type { Door, DoorReply, DoorRequest } from '../http/door.ts';
import { pageHeaders } from '../pages/headers.ts';
import {
  isMoney,
  knownPayment,
  paymentsOfSession,
  referenceOf,
  takeFaults,
  tell,
  type Known,
  type PlayDeps,
} from './desk.ts';
import { carried, delayed, has } from './faults.ts';
import { lostPage, payPage, unknownPage, type Button } from './wallet-b-html.ts';
import { shownOf, walletBRoot } from './wallet-b.ts';

/** Between the two times a buyer is sent back; real time, inside one exchange. */
const secondReturnMs = 50;

export const walletBPageDoors = (deps: PlayDeps): readonly Door[] => [
  {
    method: 'GET',
    path: `${walletBRoot}/`,
    lateHeaders: [],
    handle: async (request) => {
      const known = await buyerOf(deps, new URLSearchParams(request.rawQuery));
      return known === null ? html(404, unknownPage()) : html(200, payPage(known, null));
    },
  },
  {
    method: 'POST',
    path: `${walletBRoot}/`,
    bodyBytesMax: 4096,
    lateHeaders: [],
    handle: (request) => pressed(deps, request),
  },
];

/** `form-action` is left open: the way back ends at any shop. */
const html = (status: number, body: string): DoorReply => ({
  status,
  headers: pageHeaders(['https:', 'http:']),
  body,
});

async function buyerOf(deps: PlayDeps, from: URLSearchParams): Promise<Known | null> {
  const paymentId = paymentOf('pidx', from.get('pidx') ?? '');
  return paymentId === null ? null : knownPayment(deps.client, paymentId, null);
}

async function pressed(deps: PlayDeps, request: DoorRequest): Promise<DoorReply> {
  const form = new URLSearchParams(request.body.toString('utf8'));
  const known = await buyerOf(deps, form);
  if (known === null) return html(404, unknownPage());
  const act = Object.hasOwn(acts, form.get('do') ?? '') ? acts[form.get('do') as Button] : null;
  if (act === null) return html(400, payPage(known, 'This page does not know that button.'));
  return act(deps, known, form);
}

type Act = (deps: PlayDeps, known: Known, form: URLSearchParams) => Promise<DoorReply>;

const acts: { readonly [B in Button]: Act } = {
  login,
  pay: (deps, known) => pay(deps, known, []),
  pay_lost: (deps, known) => pay(deps, known, [only(known, 'lost_redirect')]),
  pay_twice: (deps, known) => pay(deps, known, [only(known, 'double_payment')]),
  // the buyer stays here: he pays otherwise or leaves
  decline: (deps, known) => moved(deps, known, 'decline', () => Promise.resolve(here(known))),
  cancel: (deps, known) => moved(deps, known, 'cancel', (now) => sentBack(deps, now)),
  wait: (deps, known) => sentBack(deps, known),
  leave: (deps, known) => sentBack(deps, known),
};

async function login(deps: PlayDeps, known: Known, form: URLSearchParams): Promise<DoorReply> {
  const problem = loginProblem(form.get('mobile') ?? '', form.get('mpin') ?? '', form.get('otp') ?? '');
  if (problem !== null) return html(422, payPage(known, problem));
  return moved(deps, known, 'open', () => Promise.resolve(here(known)));
}

/** Sends a command as the buyer; refused, the page shows how the payment stands. */
async function moved(
  deps: PlayDeps,
  known: Known,
  command: 'open' | 'pay' | 'decline' | 'cancel',
  then: (now: Known) => Promise<DoorReply>,
): Promise<DoorReply> {
  const result = await tell(deps.client, known, command, {}, 'buyer');
  const now = (await knownPayment(deps.client, known.paymentId, known.scope)) ?? known;
  if (result.is === 'ok') return then(now);
  if (result.is === 'refused') return html(409, payPage(now, 'This payment has been decided already.'));
  return html(503, payPage(now, 'The simulator is busy. Please try again.'));
}

const pay = (deps: PlayDeps, known: Known, extra: readonly Fault[]): Promise<DoorReply> =>
  moved(deps, known, 'pay', async (now) => {
    const faults = [...(await takeFaults(deps.client, now, 'wallet_b', 'return')), ...extra];
    if (has(faults, 'double_payment') !== null) await payOthers(deps, now);
    return sentBackWith(deps, now, faults);
  });

/** The attempts of the same purchase the buyer had left behind are paid too. */
export async function payOthers(deps: PlayDeps, known: Known): Promise<readonly Known[]> {
  const all = await paymentsOfSession(deps.client, known.state.sessionId, known.scope);
  const others = all.filter((each) => each.paymentId !== known.paymentId && !isMoney(each.state.status));
  for (const other of others) await tell(deps.client, other, 'pay', {});
  return others;
}

/** The way back to the shop, through the faults set for it. */
export async function sentBack(deps: PlayDeps, known: Known): Promise<DoorReply> {
  return sentBackWith(deps, known, await takeFaults(deps.client, known, 'wallet_b', 'return'));
}

async function sentBackWith(deps: PlayDeps, known: Known, faults: readonly Fault[]): Promise<DoorReply> {
  await delayed(faults, deps.wait);
  const { state } = known;
  const reference = referenceOf(known.paymentId);
  const order = { reference, title: state.title, mobile: testBuyers.mobiles[0] };
  const address = returnAddress(shownOf(known, faults), state.returnUrl, order);
  const lost = has(faults, 'lost_redirect') !== null;
  const twice = has(faults, 'double_return') !== null && !lost;
  for (const response of lost ? ['lost'] : twice ? ['sent', 'sent'] : ['sent']) {
    await tell(deps.client, known, 'record', { call: 'return', request: `GET ${address}`, response });
  }
  if (lost) return html(200, lostPage());
  if (twice) {
    await deps.visitor.get(address);
    await deps.wait(secondReturnMs);
  }
  return carried(faults, seeOther(address));
}

const here = ({ state }: Known): DoorReply => seeOther(`${walletBRoot}/?pidx=${state.handle}`);

const seeOther = (location: string): DoorReply => ({
  status: 303,
  headers: { ...pageHeaders(), Location: location },
  body: '',
});

const only = ({ paymentId }: Known, kind: 'lost_redirect' | 'double_payment'): Fault => ({
  provider: 'wallet_b',
  call: 'return',
  kind,
  reference: referenceOf(paymentId),
  times: 1,
  delayMs: 0,
  value: null,
});
