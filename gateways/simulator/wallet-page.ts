/** A simulated wallet's own page: a buyer logs in, presses a button and is redirected back. Works without
 *  script. Whoever has the handle is the buyer, as at the provider.
 *  1. A page never makes a transition that the table of docs/guides/sandbox.md does not allow.
 *  2. After the end no money comes from here; late money is sent by sandbox control. */
import type { Fault, SimulatedPaymentCommands } from '../../actors/simulated-payment/messages.ts';
import type { Door, DoorReply, DoorRequest } from '../server/door.ts';
import { pageHeaders } from '../pages/headers.ts';
import {
  decided,
  isMoney,
  knownPayment,
  paymentsOfSession,
  takeFaults,
  askPayment,
  type Known,
  type PlayDeps,
} from './payments.ts';
import { carried, delayed, has } from './faults.ts';
import { pressedOutcome } from './outcome-buttons.ts';
import { lostPage, payPage, unknownPage, type Button } from './wallet-html.ts';
import { pagePathOf, type Wallet } from './wallet.ts';

/** Delay between the two returns of a buyer; real time, inside one exchange. */
const secondReturnMs = 50;

export const walletPageDoors = (deps: PlayDeps, wallet: Wallet): readonly Door[] => [
  {
    method: 'GET',
    path: `${wallet.root}/`,
    lateHeaders: [],
    handle: async (request) => {
      const known = await buyerOf(deps, wallet, new URLSearchParams(request.rawQuery));
      return known === null
        ? walletReply(404, unknownPage(wallet))
        : walletReply(200, payPage(wallet, known, null));
    },
  },
  {
    method: 'POST',
    path: `${wallet.root}/`,
    bodyBytesMax: 4096,
    lateHeaders: [],
    handle: (request) => pressed(deps, wallet, request),
  },
];

/** A page of a wallet. `form-action` is unrestricted: the return may lead to any shop. */
export const walletReply = (status: number, body: string): DoorReply => ({
  status,
  headers: pageHeaders(['https:', 'http:']),
  body,
});

export const seeOther = (location: string): DoorReply => ({
  status: 303,
  headers: { ...pageHeaders(), Location: location },
  body: '',
});

async function buyerOf(deps: PlayDeps, wallet: Wallet, from: URLSearchParams): Promise<Known | null> {
  const paymentId = wallet.paymentOf(from.get(wallet.handleName) ?? '');
  const known = paymentId === null ? null : await knownPayment(deps.client, paymentId, null);
  return known?.state.provider === wallet.provider ? known : null;
}

async function pressed(deps: PlayDeps, wallet: Wallet, request: DoorRequest): Promise<DoorReply> {
  const form = new URLSearchParams(request.body.toString('utf8'));
  const known = await buyerOf(deps, wallet, form);
  if (known === null) return walletReply(404, unknownPage(wallet));
  const name = form.get('do') ?? '';
  const stand = { deps, wallet, known };
  if (isButton(name)) return acts[name](stand, form);
  const came = await pressedOutcome(deps, known, form);
  if (came === null)
    return walletReply(400, payPage(wallet, known, { problem: 'This page does not know that button.' }));
  if (came.is === 'press') {
    return came.outcome === 'insufficient_funds'
      ? decline(stand, { reason: 'insufficient_funds' })
      : acts[buttonOf[came.press]](stand, form);
  }
  const now = (await knownPayment(deps.client, known.paymentId, known.scope)) ?? known;
  return came.is === 'noted'
    ? walletReply(200, payPage(wallet, now, { notice: came.notice }))
    : walletReply(came.status, payPage(wallet, now, { problem: came.problem }));
}

const buttonOf = { open: 'login', pay: 'pay', decline: 'decline', cancel: 'cancel' } as const;

/** A buyer on a wallet's page. */
interface Stand {
  readonly deps: PlayDeps;
  readonly wallet: Wallet;
  readonly known: Known;
}

const acts: { readonly [B in Button]: (stand: Stand, form: URLSearchParams) => Promise<DoorReply> } = {
  login,
  pay,
  decline: (stand) => decline(stand, {}),
  cancel: (stand) => moved(stand, 'cancel', leave),
  wait: leave,
  leave,
};

const isButton = (name: string): name is Button => Object.hasOwn(acts, name);

function login(stand: Stand, form: URLSearchParams): Promise<DoorReply> {
  const { deps, wallet, known } = stand;
  const problem = wallet.loginProblem(form, deps.spelling);
  if (problem !== null) return Promise.resolve(walletReply(422, payPage(wallet, known, { problem })));
  const fate = wallet.fateOfLogin?.(form) ?? null;
  return moved(stand, 'open', (now) => {
    if (fate === 'failed') return decline(now, {});
    return fate === 'pending' ? leave(now) : Promise.resolve(here(now));
  });
}

const decline = (stand: Stand, why: SimulatedPaymentCommands['decline']): Promise<DoorReply> =>
  moved(
    stand,
    'decline',
    (now) => (stand.wallet.declinedStays ? Promise.resolve(here(now)) : leave(now)),
    why,
  );

/** Sends a command as the buyer; if it is refused, the page shows the payment's state. */
async function moved(
  stand: Stand,
  command: 'open' | 'pay' | 'decline' | 'cancel',
  then: (now: Stand) => Promise<DoorReply>,
  data: SimulatedPaymentCommands['decline'] = {},
): Promise<DoorReply> {
  const { deps, wallet, known } = stand;
  const result = await askPayment(deps.client, known, command, data, 'buyer');
  const now = (await knownPayment(deps.client, known.paymentId, known.scope)) ?? known;
  if (result.is === 'ok') return then({ ...stand, known: now });
  const [status, says] =
    result.is === 'refused'
      ? ([409, 'This payment has been decided already.'] as const)
      : ([503, 'The simulator is busy. Please try again.'] as const);
  return walletReply(status, payPage(wallet, now, { problem: says }));
}

function pay(stand: Stand): Promise<DoorReply> {
  return moved(stand, 'pay', async ({ deps, wallet, known }) => {
    const faults = await takeFaults(deps, known, wallet.provider, 'return');
    if (has(faults, 'double_payment') !== null) await payOthers(deps, known);
    return sentBackWith(deps, wallet, known, faults);
  });
}

function leave({ deps, wallet, known }: Stand): Promise<DoorReply> {
  return sentBack(deps, wallet, known);
}

/** Attempts of the same purchase that the buyer had abandoned are paid too. */
export async function payOthers(deps: PlayDeps, known: Known): Promise<readonly Known[]> {
  const all = await paymentsOfSession(deps.client, known.state.sessionId, known.scope);
  const others = all.filter((each) => each.paymentId !== known.paymentId && !isMoney(each.state.status));
  for (const other of others) decided(await askPayment(deps.client, other, 'pay', {}));
  return others;
}

/** The redirect back to the shop, subject to the faults set for it. */
export async function sentBack(deps: PlayDeps, wallet: Wallet, known: Known): Promise<DoorReply> {
  return sentBackWith(deps, wallet, known, await takeFaults(deps, known, wallet.provider, 'return'));
}

async function sentBackWith(
  deps: PlayDeps,
  wallet: Wallet,
  known: Known,
  faults: readonly Fault[],
): Promise<DoorReply> {
  await delayed(faults, deps.wait);
  const address = wallet.returnAddress(known, faults);
  const lost = has(faults, 'lost_redirect') !== null;
  const twice = has(faults, 'double_return') !== null && !lost;
  for (const response of lost ? ['lost'] : twice ? ['sent', 'sent'] : ['sent']) {
    await askPayment(deps.client, known, 'record', { call: 'return', request: `GET ${address}`, response });
  }
  if (lost) return walletReply(200, lostPage(wallet));
  if (twice) {
    await deps.visitor.get(address);
    await deps.wait(secondReturnMs);
  }
  return carried(faults, seeOther(address));
}

const here = ({ wallet, known }: Stand): DoorReply => seeOther(pagePathOf(wallet, known));
