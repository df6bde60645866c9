/** The simulated app of wallet_a: book, look up, cancel, the deeplink, and the screen of the app.
 *  Boundary: the API's messages are defined in app/simulator.ts of src/providers; here actors and faults are
 *  applied to them.
 *  1. Every exchange about a known payment is recorded in its log, whatever was answered.
 *  2. A payment is found from the request alone; our own payment tells which project it belongs to.
 *  3. The deeplink opens the app on a phone only; any other browser gets a page. */
import {
  simulatorAt,
  type Fault,
  type SimulatorState,
  type SimulatedPaymentState,
} from '../../../actors/simulated-payment/messages.ts';
import { seconds } from '../../../src/kernel/time.ts';
import {
  bookedReply,
  bookingLifeS,
  cancelledReply,
  intentUrlOf,
  isPhone,
  legOfSlug,
  outageReply,
  parseBook,
  parseCancel,
  parseStatus,
  processedReply,
  refusedReply,
  slugOf,
  statusReply,
  unknownReply,
  unknownStatus,
  type Shown,
} from '../../../src/providers/wallet-a/app/simulator.ts';
import type { Door, DoorReply, DoorRequest } from '../../server/door.ts';
import {
  asDoor,
  exchange,
  failsNow,
  statusTextIn,
  startCall,
  shownNow,
  amountIn,
  amountTextIn,
} from '../exchange.ts';
import { bounded } from '../bounded.ts';
import { has } from '../faults.ts';
import {
  askPayment,
  decided,
  knownPayment,
  referenceOf,
  spendFault,
  takeFaults,
  type Known,
  type PlayDeps,
} from '../payments.ts';
import { unknownPage } from '../wallet-html.ts';
import { walletReply } from '../wallet-page.ts';
import { pagePathOf, type Wallet } from '../wallet.ts';
import { displayNpr } from '../../../src/kernel/money.ts';
import { html, page } from '../../pages/html.ts';
import { stylePath } from '../style.ts';

const provider = 'wallet_a';
const root = '/sim/wallet_a';
const folder = `${root}/api/client/intent/payment`;
const bodyBytesMax = 16 * 1024;

/** The app's screen, a page like that of any wallet. The buyer is logged in to the app. */
export const walletAApp: Wallet = {
  is: 'wallet',
  provider,
  title: 'Simulated Wallet A app',
  root: `${root}/app`,
  handleName: 'd',
  loginFields: [],
  loginHint: '',
  declinedStays: false,
  declinedSays: 'Decline and Cancel go back to the shop without a payment.',
  paymentOf: legOfSlug,
  loginProblem: () => null,
  returnAddress: ({ state }) => state.returnUrl,
};

export const walletAAppDoors = (deps: PlayDeps): readonly Door[] => [
  post('/book', (request) => book(deps, request)),
  post('/status', (request) => status(deps, request)),
  post('/cancel', (request) => cancel(deps, request)),
  {
    method: 'GET',
    path: `${root}/pay/{slug}`,
    lateHeaders: ['user-agent'],
    handle: (request) => deeplink(deps, request),
  },
];

const post = (path: string, handle: Door['handle']): Door =>
  bounded({ method: 'POST', path: `${folder}${path}`, bodyBytesMax, lateHeaders: [], handle });

/** The payment as the API shows it, with the faults that change it. */
export function shownOf(known: Known, faults: readonly Fault[]): Shown {
  return {
    legId: known.paymentId,
    status: failsNow(known, faults) ? 'declined' : known.state.status,
    amount: amountIn(faults, known.state.amount),
    ...(has(faults, 'wrong_reference') === null ? {} : { isAnother: true }),
    ...statusTextIn(faults, unknownStatus),
    ...amountTextIn(faults),
  };
}

async function book(deps: PlayDeps, request: DoorRequest): Promise<DoorReply> {
  const text = textOf(request);
  const parsed = parseBook(text);
  if (parsed.is === 'reply') return asDoor(parsed.reply);
  const { legId, amount, callbackUrl, redirectUrl, remarks } = parsed.request;
  return startCall(deps, {
    provider,
    paymentId: legId,
    request: text,
    outage,
    unknown: () => asDoor(refusedReply('No such sandbox payment.')),
    started: (of, _named, faults) => ({
      amount,
      handle: slugOf(legId),
      returnUrl: redirectUrl,
      callbackUrl,
      title: remarks,
      lifeEndsAt:
        deps.client.now(of.scope) + seconds(Number(has(faults, 'booking_short')?.value ?? bookingLifeS)),
    }),
    answer: (known) =>
      asDoor(
        known === null ? unknownReply() : bookedReply(legId, `${deps.baseUrl}${root}/pay/${slugOf(legId)}`),
      ),
  });
}

async function status(deps: PlayDeps, request: DoorRequest): Promise<DoorReply> {
  const text = textOf(request);
  const parsed = parseStatus(text);
  if (parsed.is === 'reply') return asDoor(parsed.reply);
  const found = await knownPayment(deps.client, parsed.request, null);
  if (found === null) return asDoor(unknownReply());
  const faults = await takeFaults(deps, found, provider, 'lookup');
  return exchange(deps, found, { call: 'lookup', request: text, faults, outage }, async () => {
    const shown = await shownNow(deps, found, faults, shownOf);
    return { reply: asDoor(statusReply(shown)), shows: true };
  });
}

/** Works only while the payment is booked. */
async function cancel(deps: PlayDeps, request: DoorRequest): Promise<DoorReply> {
  const text = textOf(request);
  const parsed = parseCancel(text);
  if (parsed.is === 'reply') return asDoor(parsed.reply);
  const found = await knownPayment(deps.client, parsed.request, null);
  if (found === null || found.state.status === 'ended') return asDoor(unknownReply());
  const faults = await takeFaults(deps, found, provider, 'cancel');
  return exchange(deps, found, { call: 'cancel', request: text, faults, outage }, async () => {
    const isBooked = found.state.status === 'created';
    const done = isBooked && decided(await askPayment(deps.client, found, 'cancel', {}));
    return { reply: asDoor(done ? cancelledReply() : processedReply()), shows: false };
  });
}

async function deeplink(deps: PlayDeps, request: DoorRequest): Promise<DoorReply> {
  const { slug = '' } = request.params;
  const legId = legOfSlug(slug);
  const known = legId === null ? null : await knownPayment(deps.client, legId, null);
  if (known === null || (await isDead(deps, known))) return walletReply(404, unknownPage(walletAApp));
  if (!isPhone(request.header('user-agent')))
    return walletReply(200, storePage(known.state, pagePathOf(walletAApp, known)));
  return { status: 302, headers: { Location: intentUrlOf(slug), 'Cache-Control': 'no-store' }, body: '' };
}

/** `deeplink_dead`: counted here, where it is seen. */
async function isDead({ client }: PlayDeps, known: Known): Promise<boolean> {
  const found = await client.read<SimulatorState>(simulatorAt(known.scope), known.scope);
  const reference = referenceOf(known.paymentId);
  const isIts = ({ kind, provider: of, reference: its }: Fault): boolean =>
    kind === 'deeplink_dead' && of === provider && (its === null || its === reference);
  if (found?.state.faults.some(isIts) !== true) return false;
  await spendFault(client, known, 'deeplink_dead');
  return true;
}

const textOf = (request: DoorRequest): string => request.body.toString('utf8');

const outage = asDoor(outageReply());

/** What a browser that is no phone gets: the page of the app in its store. */
const storePage = ({ amount, title }: SimulatedPaymentState, appPath: string): string =>
  page({
    title: 'Get the app of Wallet A - no real money',
    stylesheet: stylePath,
    body: html`<main>
<header><h1>Wallet A in the app store</h1><p class="warning">Sandbox. No real money moves here.</p></header>
<p>On a phone with the app, this link opens it. Here you can open the simulated app instead.</p>
<dl class="bill">
<div><dt>Amount</dt><dd class="amount">${displayNpr(amount)}</dd></div>
<div><dt>For</dt><dd>${title}</dd></div>
</dl>
<div class="buttons"><a class="primary" href="${appPath}">Open the simulated app</a></div>
</main>`,
  });
