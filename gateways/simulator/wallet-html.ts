/** The HTML of a simulated wallet's page. Boundary: a wallet and a payment in, a whole document out. */
import { displayNpr } from '../../src/kernel/money.ts';
import type { SandboxOutcome, SimulatedStatus } from '../../actors/simulated-payment/messages.ts';
import { html, page, type Html } from '../pages/html.ts';
import { outcomeButtons, refundPart } from './outcome-buttons.ts';
import type { Known } from './payments.ts';
import { stylePath } from './style.ts';
import type { LoginField, Wallet } from './wallet.ts';

/** The buttons of a wallet's own; outcome-buttons.ts has the others. */
export type Button = 'login' | 'pay' | 'decline' | 'cancel' | 'wait' | 'leave';

/** What a page says above its buttons. */
export type Says = { readonly problem: string } | { readonly notice: string } | null;

export const saysPart = (says: Says): Html | null => {
  if (says === null) return null;
  return 'problem' in says
    ? html`<p class="problem" role="alert">${says.problem}</p>`
    : html`<p class="notice" role="status">${says.notice}</p>`;
};

export const payPage = (wallet: Wallet, known: Known, says: Says): string =>
  framed(
    wallet,
    wallet.title,
    html`
<dl class="bill">
<div><dt>Amount</dt><dd class="amount">${displayNpr(known.state.amount)}</dd></div>
<div><dt>For</dt><dd>${known.state.title}</dd></div>
</dl>
${saysPart(says)}
${parts[known.state.status](wallet, known)}`,
  );

export const unknownPage = (wallet: Wallet): string =>
  framed(
    wallet,
    'No such payment',
    html`
<h2>No such payment</h2>
<p>This address belongs to no payment the simulator knows. It may have been reset.</p>`,
  );

/** A start that the wallet refuses. */
export const refusedPage = (wallet: Wallet, says: string): string =>
  framed(
    wallet,
    'Payment refused',
    html`
<h2>This payment cannot be made</h2>
<p class="problem" role="alert">${says}</p>`,
  );

export const lostPage = (wallet: Wallet): string =>
  framed(
    wallet,
    'Paid, and lost',
    html`
<h2>Paid. The way back is lost</h2>
<p>The payment is made, but your browser is not sent back to the shop. The shop finds out by asking.</p>`,
  );

const framed = (wallet: Wallet, title: string, body: Html): string =>
  page({
    title: `${title} - no real money`,
    stylesheet: stylePath,
    body: html`<main>
<header><h1>${wallet.title}</h1><p class="warning">Sandbox. No real money moves here.</p></header>
${body}
</main>`,
  });

const hidden = ({ handleName }: Wallet, { state }: Known): Html =>
  html`<input type="hidden" name="${handleName}" value="${state.handle}">`;

const button = (wallet: Wallet, known: Known, act: string, text: string, kind = ''): Html => html`
<form method="post" action="${wallet.root}/">${hidden(wallet, known)}
<button name="do" value="${act}" class="${kind}">${text}</button></form>`;

const choice = ({ name, label, values }: LoginField): Html => html`
<label>${label} <select name="${name}">${values.map(
  (each) => html`<option value="${each}">${each}</option>`,
)}</select></label>`;

const typed = ({ name, label, values }: LoginField): Html => html`
<label>${label}
<input name="${name}" autocomplete="off" autocapitalize="off" spellcheck="false" maxlength="40"
value="${values[0] ?? ''}"></label>`;

const login = (wallet: Wallet, known: Known): Html => html`
<h2>Log in</h2>
<form method="post" action="${wallet.root}/" class="login">
${hidden(wallet, known)}<input type="hidden" name="do" value="login">
${wallet.loginFields.map((field) => (field.values.length > 1 ? choice(field) : typed(field)))}
<button class="primary">Log in</button>
</form>
<p class="hint">${wallet.loginHint}</p>`;

/** A wallet has its own buttons for these; most have no words for a buyer without money. */
const ownOutcomes = ['success', 'declined', 'cancelled'] as const;
const buttonsOf = ({ tellsPoor }: Wallet): readonly SandboxOutcome[] =>
  tellsPoor === true ? ownOutcomes : [...ownOutcomes, 'insufficient_funds'];

const buttons = (wallet: Wallet, known: Known): Html => html`
<h2>What should this buyer do?</h2>
<div class="buttons">
${button(wallet, known, 'pay', 'Pay', 'primary')}
${button(wallet, known, 'decline', 'Decline')}
${button(wallet, known, 'cancel', 'Cancel')}
</div>
<h3>When things go wrong</h3>
<div class="buttons many">
${button(wallet, known, 'wait', 'Wait')}
${outcomeButtons(wallet.provider, buttonsOf(wallet), (act, text) => button(wallet, known, act, text))}
</div>
<p class="hint">Pay twice also pays the attempts this buyer had left behind for the same purchase.
Wait goes back to the shop with nothing decided. ${wallet.declinedSays}</p>`;

/** After the payment: what was sent back, and how the next refund goes. */
const paid =
  (title: string, text: string) =>
  (wallet: Wallet, known: Known): Html =>
    html`
${over(title, text)(wallet, known)}
${refundPart(
  known,
  (act, says) => button(wallet, known, act, says),
  `${wallet.root}/`,
  hidden(wallet, known),
)}`;

const over =
  (title: string, text: string) =>
  (wallet: Wallet, known: Known): Html =>
    html`
<h2>${title}</h2>
<p>${text}</p>
${button(wallet, known, 'leave', 'Back to the shop', 'primary')}`;

const parts: { readonly [S in SimulatedStatus]: (wallet: Wallet, known: Known) => Html } = {
  // who has opened the app is logged in
  created: (wallet, known) => (wallet.loginFields.length === 0 ? buttons : login)(wallet, known),
  opened: buttons,
  paid: paid('Paid', 'The payment is made.'),
  declined: over('Declined', 'The wallet has declined this payment. Nothing was taken.'),
  cancelled: over('Cancelled', 'You have cancelled. Nothing was taken.'),
  ended: over('Too late', 'The time for this payment is over. Nothing was taken.'),
  partly_refunded: paid('Refunded in part', 'A part of this payment was sent back.'),
  refunded: paid('Refunded', 'This payment was sent back.'),
};
