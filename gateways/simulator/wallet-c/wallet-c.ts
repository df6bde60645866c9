/** The simulated wallet_c: the session call, the form that a browser posts, the look-up, its page.
 *  Boundary: the API's messages are defined in simulator.ts of src/providers; here actors and faults are
 *  applied to them.
 *  1. Every exchange about a known payment is recorded in its log, whatever was answered.
 *  2. A payment is found from the request alone; our own payment tells which project it belongs to. */
import type { Fault } from '../../../actors/simulated-payment/messages.ts';
import {
  formProblem,
  handleOf,
  invalidReply,
  isAnswered,
  lifeMs,
  lookupReply,
  notFoundReply,
  parseForm,
  parseLookup,
  parseSession,
  paymentOf,
  sessionReply,
  trackingIdOf,
  unknownStatus,
  type Keys,
  type Shown,
  fateOf,
  loginProblem,
  returnAddress,
  testBuyer,
  callbackOf,
} from '../../../src/providers/wallet-c/simulator.ts';
import type { Door, DoorReply, DoorRequest } from '../../server/door.ts';
import {
  asDoor,
  exchange,
  failsNow,
  statusTextIn,
  startCall,
  shownNow,
  amountIn,
  referenceIn,
  amountTextIn,
} from '../exchange.ts';
import { bounded } from '../bounded.ts';
import { has } from '../faults.ts';
import { knownPayment, referenceOf, takeFaults, type Known, type PlayDeps } from '../payments.ts';
import { refusedPage } from '../wallet-html.ts';
import { seeOther, walletReply } from '../wallet-page.ts';
import { pagePathOf, type Wallet } from '../wallet.ts';
import { isUnpaid } from '../../../src/providers/simulated-wire.ts';
import type { SimulatedProvider } from '../simulated-provider.ts';

const provider = 'wallet_c';
const walletCRoot = '/sim/wallet_c';
const bodyBytesMax = 16 * 1024;

const walletCDoors = (deps: PlayDeps): readonly Door[] => {
  const post = (path: string, handle: Door['handle'], lateHeaders: Door['lateHeaders'] = []): Door => ({
    method: 'POST',
    path: `${walletCRoot}${path}`,
    bodyBytesMax,
    lateHeaders,
    handle,
  });
  return [
    bounded(post('/v1/checkout/sessionId', calledBy(deps, session), keyHeaders)),
    bounded(post('/v1/checkout/transaction', calledBy(deps, lookup), keyHeaders)),
    post('/gateway', (request) => form(deps, request)),
  ];
};

const keyHeaders = ['client-id', 'client-api-key', 'signature', 'connection'] as const;

/** A call by somebody who keeps connections is cut off, as at the public test host. */
const calledBy =
  (deps: PlayDeps, handle: (deps: PlayDeps, request: DoorRequest) => Promise<DoorReply>): Door['handle'] =>
  (request) => {
    const { spelling } = deps;
    const cut = { ...asDoor(invalidReply('The connection was idle.')), fault: 'reset' } as const;
    return isAnswered(request.header('connection'), spelling) ? handle(deps, request) : Promise.resolve(cut);
  };

const keysOf = (request: DoorRequest): Keys => ({
  clientId: request.header('client-id'),
  apiKey: request.header('client-api-key'),
  signature: request.header('signature'),
});

/** The payment as the API shows it, with the faults that change it. */
function shownOf(known: Known, faults: readonly Fault[]): Shown {
  const { paymentId, state } = known;
  return {
    status: failsNow(known, faults) ? 'declined' : state.status,
    trackingId: trackingIdOf(paymentId),
    reference: referenceIn(faults, referenceOf(paymentId)),
    amount: amountIn(faults, state.amount),
    remarks: state.title,
    ...(state.declinedFor === undefined ? {} : { poor: true }),
    ...statusTextIn(faults, unknownStatus),
    ...amountTextIn(faults),
  };
}

async function session(deps: PlayDeps, request: DoorRequest): Promise<DoorReply> {
  const text = textOf(request);
  const parsed = parseSession(keysOf(request), text);
  if (parsed.is === 'reply') return asDoor(parsed.reply);
  const { reference, amount, successUrl, failureUrl, remarks } = parsed.command;
  return startCall(deps, {
    provider,
    paymentId: paymentOf('reference', reference),
    request: text,
    unknown: () => asDoor(invalidReply('No such sandbox payment.')),
    started: ({ paymentId, scope }, { service }) => ({
      amount,
      handle: handleOf(paymentId),
      returnUrl: successUrl,
      failureUrl,
      title: remarks,
      lifeEndsAt: deps.client.now(scope) + lifeMs,
      // where its server calls is registered for the merchant: at the service whose payment it is
      callbackUrl: `${service}/callback/${provider}`,
    }),
    answer: (known) =>
      asDoor(known === null ? invalidReply('Please try again.') : sessionReply(known.state.handle)),
  });
}

async function form(deps: PlayDeps, request: DoorRequest): Promise<DoorReply> {
  const fields = new URLSearchParams(textOf(request));
  const parsed = parseForm(fields);
  const refused = (says: string): DoorReply => walletReply(400, refusedPage(walletC, says));
  if (parsed.is === 'refused') return refused(parsed.says);
  const paymentId = paymentOf('session', parsed.handle);
  const known = paymentId === null ? null : await knownPayment(deps.client, paymentId, null);
  if (known === null || known.state.provider !== provider) return refused('No such session.');
  const { handle, amount } = known.state;
  const problem = formProblem(fields, { handle, reference: referenceOf(known.paymentId), amount });
  return problem === null ? seeOther(pagePathOf(walletC, known)) : refused(problem);
}

async function lookup(deps: PlayDeps, request: DoorRequest): Promise<DoorReply> {
  const parsed = parseLookup(keysOf(request), textOf(request));
  if (parsed.is === 'reply') return asDoor(parsed.reply);
  const { reference } = parsed.command;
  const paymentId = paymentOf('reference', reference);
  const found = paymentId === null ? null : await knownPayment(deps.client, paymentId, null);
  if (found === null || found.state.provider !== provider) return asDoor(notFoundReply(reference));
  const faults = await takeFaults(deps, found, provider, 'lookup');
  return exchange(deps, found, { call: 'lookup', request: textOf(request), faults }, async () => {
    const shown = await shownNow(deps, found, faults, shownOf);
    const live = has(faults, 'field_style')?.value === 'live';
    return { reply: asDoor(lookupReply(shown, live)), shows: true };
  });
}

const textOf = (request: DoorRequest): string => request.body.toString('utf8');

const { wallet, pin, otp } = testBuyer;

/** Its log-in, and its two unsigned return addresses. */
const walletC: Wallet = {
  is: 'wallet',
  provider: 'wallet_c',
  title: 'Simulated Wallet C',
  root: walletCRoot,
  handleName: 'session_id',
  loginFields: [
    { name: 'wallet', label: 'Wallet number', values: [wallet] },
    { name: 'pin', label: 'PIN', values: [pin] },
    { name: 'otp', label: 'OTP', values: [otp] },
  ],
  loginHint: `Test buyer: ${wallet}, PIN ${pin}, OTP ${otp}. There are ten minutes to pay.`,
  declinedStays: false,
  entersByForm: true,
  tellsPoor: true,
  declinedSays: 'Decline and Cancel go back to the shop without a payment.',
  paymentOf: (handle) => paymentOf('session', handle),
  loginProblem: (form, spelling) =>
    loginProblem(form.get('wallet') ?? '', form.get('pin') ?? '', form.get('otp') ?? '', spelling),
  fateOfLogin: (form) => fateOf(form.get('otp') ?? ''),
  returnAddress({ paymentId, state: { status, returnUrl, failureUrl = returnUrl } }) {
    return returnAddress(isUnpaid(status) ? failureUrl : returnUrl, referenceOf(paymentId));
  },
};

export const simulatedWalletC: SimulatedProvider = {
  doors: walletCDoors,
  buyersPayBy: walletC,
  callback(known, faults) {
    const { body, signature } = callbackOf(shownOf(known, faults), has(faults, 'bad_signature') !== null);
    return { body, headers: { signature } };
  },
};
