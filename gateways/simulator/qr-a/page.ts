/** The simulated banking app of qr_a: a phone that scans a code and pays it. Works without script. Whoever
 *  has the prn, or the code's text, is the buyer.
 *  1. A page never makes a transition that the table of docs/guides/sandbox.md does not allow.
 *  2. After the end no money comes from here; late money is sent by sandbox control. */
import type { SimulatedStatus } from '../../../actors/simulated-payment/messages.ts';
import { displayNpr } from '../../../src/kernel/money.ts';
import { seconds, type DurationMs } from '../../../src/kernel/time.ts';
import { paymentOf } from '../../../src/providers/qr-a/simulator.ts';
import type { Door, DoorReply, DoorRequest } from '../../server/door.ts';
import { html, page, type Html } from '../../pages/html.ts';
import { pageHeaders } from '../../pages/headers.ts';
import {
  decided,
  isMoney,
  isOpen,
  knownPayment,
  askPayment,
  type Known,
  type PlayDeps,
} from '../payments.ts';
import { isPressed, type Press } from '../../../actors/simulated-payment/outcome-table.ts';
import { outcomeButtons, pressedOutcome, refundPart } from '../outcome-buttons.ts';
import { qrARoot, qrADoors } from './qr-a.ts';
import { stylePath } from '../style.ts';
import { untilSession } from '../until-session.ts';
import { arrived, Unanswered } from '../visitor.ts';
import { saysPart, type Says } from '../wallet-html.ts';
import type { SimulatedProvider } from '../simulated-provider.ts';
import { mountQrASockets } from './socket.ts';

const formBytesMax = 4096;
const startedMsMax: DurationMs = seconds(13);

const qrAPageDoors = (deps: PlayDeps): readonly Door[] => [
  {
    method: 'GET',
    path: `${qrARoot}/`,
    lateHeaders: [],
    handle: (request) => shown(deps, new URLSearchParams(request.rawQuery)),
  },
  {
    method: 'POST',
    path: `${qrARoot}/`,
    bodyBytesMax: formBytesMax,
    lateHeaders: [],
    handle: (request) => pressed(deps, request),
  },
];

async function shown(deps: PlayDeps, query: URLSearchParams): Promise<DoorReply> {
  const sent = query.get('prn');
  if (sent === null || sent === '') return reply(200, cameraPage(null));
  const known = await phoneOf(deps, sent);
  return known === null
    ? reply(404, cameraPage('No simulated payment has this code.'))
    : reply(200, phonePage(known, null));
}

/** By the prn, or by a code's whole text, in which the reference label is the prn. */
async function phoneOf(deps: PlayDeps, sent: string): Promise<Known | null> {
  const [prn = ''] = /pay-[0-9a-hjkmnp-tv-z]{16}/.exec(sent) ?? [];
  const paymentId = paymentOf(prn);
  const known = paymentId === null ? null : await knownPayment(deps.client, paymentId, null);
  return known?.state.provider === 'qr_a' ? known : null;
}

/** Actions of a phone; each is a command of the table, some require a scan first. outcome-buttons.ts has the
 *  other buttons. */
const buttons = {
  scan: [['open', {}]],
  pay: [
    ['open', {}],
    ['pay', {}],
  ],
  decline: [
    ['open', {}],
    ['decline', {}],
  ],
  insufficient_funds: [
    ['open', {}],
    ['decline', { reason: 'insufficient_funds' }],
  ],
} as const;
type Button = keyof typeof buttons;

async function pressed(deps: PlayDeps, request: DoorRequest): Promise<DoorReply> {
  const form = new URLSearchParams(request.body.toString('utf8'));
  const known = await phoneOf(deps, form.get('prn') ?? '');
  if (known === null) return reply(404, cameraPage('No simulated payment has this code.'));
  const name = form.get('do') ?? '';
  if (Object.hasOwn(buttons, name)) return pushed(deps, known, name as Button);
  const came = await pressedOutcome(deps, known, form);
  if (came === null) return reply(400, phonePage(known, { problem: 'This phone has no such button.' }));
  if (came.is === 'press') return pushed(deps, known, phoneButtons[came.press] ?? 'scan');
  const now = (await knownPayment(deps.client, known.paymentId, known.scope)) ?? known;
  return came.is === 'noted'
    ? reply(200, phonePage(now, { notice: came.notice }))
    : reply(came.status, phonePage(now, { problem: came.problem }));
}

async function pushed(deps: PlayDeps, known: Known, button: Button): Promise<DoorReply> {
  const problem = await push(deps, known, button);
  if (problem === null) return seeOther(known);
  const now = (await knownPayment(deps.client, known.paymentId, known.scope)) ?? known;
  return reply(problem.status, phonePage(now, { problem: problem.says }));
}

async function push(deps: PlayDeps, known: Known, button: Button) {
  for (const [command, data] of buttons[button]) {
    const result = await askPayment(deps.client, known, command, data, 'buyer');
    if (result.is === 'refused') return { status: 409, says: 'This payment has been decided already.' };
    if (result.is !== 'ok') return { status: 503, says: 'The simulator is busy. Please try again.' };
  }
  return null;
}

/** The buyer of an outcome, who has seen the code: presses on the phone over real HTTP. Money after the end
 *  comes by control. */
async function playPhone(deps: PlayDeps, known: Known, press: Press, poor: boolean): Promise<boolean> {
  const { status, sessionId, handle } = known.state;
  if (!isOpen(status)) {
    if (press === 'pay' && !isMoney(status)) return decided(await askPayment(deps.client, known, 'pay', {}));
    return isPressed(press, status);
  }
  const seen = await untilSession(
    deps.client,
    sessionId,
    known.scope,
    startedMsMax,
    ({ payments }) => payments.find(({ id, start }) => id === known.paymentId && start !== 'asked') ?? null,
  );
  if (seen === null) throw new Unanswered(`the start of ${known.paymentId} is not answered`);
  const button = press === 'decline' && poor ? 'insufficient_funds' : phoneButtons[press];
  if (seen.start === 'failed' || button === undefined) return false;
  const form = { prn: handle, do: button };
  const answer = arrived(await deps.visitor.post(`${deps.baseUrl}${qrARoot}/`, form));
  if (answer === null || answer.status < 400) return answer !== null;
  const now = await knownPayment(deps.client, known.paymentId, known.scope);
  return now !== null && !isOpen(now.state.status) && playPhone(deps, now, press, poor);
}

const phoneButtons: { readonly [P in Press]?: Button } = { open: 'scan', pay: 'pay', decline: 'decline' };

const reply = (status: number, body: string): DoorReply => ({ status, headers: pageHeaders(), body });

const seeOther = ({ state }: Known): DoorReply => ({
  status: 303,
  headers: { ...pageHeaders(), Location: `${qrARoot}/?prn=${state.handle}` },
  body: '',
});

const framed = (body: Html): string =>
  page({
    title: 'Simulated bank app - no real money',
    stylesheet: stylePath,
    body: html`<main>
<header><h1>Simulated bank app</h1><p class="warning">Sandbox. No real money moves here.</p></header>
${body}
</main>`,
  });

const cameraPage = (says: string | null): string =>
  framed(html`
<h2>Which code?</h2>
${saysPart(says === null ? null : { problem: says })}
<form method="get" action="${qrARoot}/" class="login">
<label>Text of the QR code, or its prn
<input name="prn" autocomplete="off" maxlength="1000" required></label>
<button class="primary">Look at it</button>
</form>`);

const phonePage = (known: Known, says: Says): string =>
  framed(html`
<dl class="bill">
<div><dt>Amount</dt><dd class="amount">${displayNpr(known.state.amount)}</dd></div>
<div><dt>For</dt><dd>${known.state.title}</dd></div>
</dl>
${saysPart(says)}
${parts[known.state.status](known)}`);

const hidden = ({ state }: Known): Html => html`<input type="hidden" name="prn" value="${state.handle}">`;

const button = (known: Known, act: string, text: string, kind = ''): Html => html`
<form method="post" action="${qrARoot}/">${hidden(known)}
<button name="do" value="${act}" class="${kind}">${text}</button></form>`;

const phone =
  (title: string, ...first: readonly [Button, string, string][]) =>
  (known: Known): Html =>
    html`
<h2>${title}</h2>
<div class="buttons">${first.map(([act, text, kind]) => button(known, act, text, kind))}</div>
<h3>When things go wrong</h3>
<div class="buttons many">
${button(known, 'decline', 'Decline')}
${button(known, 'insufficient_funds', 'Not enough money')}
${outcomeButtons('qr_a', ownOutcomes, (act, text) => button(known, act, text))}
</div>`;

const ownOutcomes = ['success', 'declined', 'insufficient_funds', 'scanned'] as const;

const paid =
  (title: string, text: string) =>
  (known: Known): Html =>
    html`
${over(title, text)()}
${refundPart(known, (act, says) => button(known, act, says), `${qrARoot}/`, hidden(known))}
<p class="hint">This provider's status does not show refunds.</p>`;

const over = (title: string, text: string) => (): Html =>
  html`
<h2>${title}</h2>
<p>${text}</p>`;

const parts: { readonly [S in SimulatedStatus]: (known: Known) => Html } = {
  created: phone('This phone sees a code', ['scan', 'Scan', ''], ['pay', 'Scan and pay', 'primary']),
  opened: phone('Scanned. Pay?', ['pay', 'Pay', 'primary']),
  paid: paid('Paid', 'The payment is made.'),
  declined: over('Declined', 'The bank has declined this payment. Nothing was taken.'),
  cancelled: over('Cancelled', 'You have cancelled. Nothing was taken.'),
  ended: over('Too late', 'The time for this payment is over. Nothing was taken.'),
  partly_refunded: paid('Refunded in part', 'A part of this payment was sent back.'),
  refunded: paid('Refunded', 'This payment was sent back.'),
};

export const simulatedQrA: SimulatedProvider = {
  doors: (deps) => [...qrADoors(deps), ...qrAPageDoors(deps)],
  mountSockets: mountQrASockets,
  buyersPayBy: {
    is: 'phone',
    play: playPhone,
    home: html`<section>
<h2>Simulated bank app</h2>
<dl class="bill">
<div><dt>Provider</dt><dd><code>qr_a</code></dd></div>
<div><dt>Log-in</dt><dd>none</dd></div>
</dl>
<p>The buyer scans a code with a phone. Here the phone is a page: give it the code's text.</p>
<div class="buttons"><a href="${qrARoot}/">Open the bank app</a></div>
</section>`,
  },
};
