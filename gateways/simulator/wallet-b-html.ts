/** What the simulated wallet's page looks like. Boundary: a payment in, a whole document out. */
import { testBuyers } from '../../src/providers/wallet-b/simulator.ts';
import { displayNpr } from '../../src/kernel/money.ts';
import type { SimulatedStatus } from '../../actors/simulated-payment/messages.ts';
import { html, page, type Html } from '../pages/html.ts';
import type { Known } from './desk.ts';
import { stylePath } from './style.ts';

/** What a buyer can press. */
export type Button = 'login' | 'pay' | 'pay_lost' | 'pay_twice' | 'decline' | 'cancel' | 'wait' | 'leave';

/** `problem` stands above what the buyer can do. */
export const payPage = (known: Known, problem: string | null): string =>
  framed(
    'Simulated Wallet B',
    html`
<dl class="bill">
<div><dt>Amount</dt><dd class="amount">${displayNpr(known.state.amount)}</dd></div>
<div><dt>For</dt><dd>${known.state.title}</dd></div>
</dl>
${problem === null ? null : html`<p class="problem" role="alert">${problem}</p>`}
${parts[known.state.status](known)}`,
  );

export const unknownPage = (): string =>
  framed(
    'No such payment',
    html`
<h2>No such payment</h2>
<p>This address belongs to no payment the simulator knows. It may have been reset.</p>`,
  );

export const lostPage = (): string =>
  framed(
    'Paid, and lost',
    html`
<h2>Paid. The way back is lost</h2>
<p>The payment is made, but your browser is not sent back to the shop. The shop finds out by asking.</p>`,
  );

const framed = (title: string, body: Html): string =>
  page({
    title: `${title} - no real money`,
    stylesheet: stylePath,
    body: html`<main>
<header><h1>Simulated Wallet B</h1><p class="warning">Sandbox. No real money moves here.</p></header>
${body}
</main>`,
  });

const button = (known: Known, act: Button, text: string, kind = ''): Html => html`
<form method="post" action="/sim/wallet_b/"><input type="hidden" name="pidx" value="${known.state.handle}">
<button name="do" value="${act}" class="${kind}">${text}</button></form>`;

const digits = (label: string, name: string, value: string): Html => html`
<label>${label}
<input name="${name}" inputmode="numeric" autocomplete="off" maxlength="8" value="${value}"></label>`;

const login = (known: Known): Html => html`
<h2>Log in</h2>
<form method="post" action="/sim/wallet_b/" class="login">
<input type="hidden" name="pidx" value="${known.state.handle}"><input type="hidden" name="do" value="login">
<label>Mobile number <select name="mobile">${testBuyers.mobiles.map(
  (each) => html`<option value="${each}">${each}</option>`,
)}</select></label>
${digits('MPIN', 'mpin', testBuyers.mpin)}
${digits('OTP', 'otp', testBuyers.otp)}
<button class="primary">Log in</button>
</form>
<p class="hint">Test buyers: ${testBuyers.mobiles[0]} to ${testBuyers.mobiles.at(-1) ?? ''},
MPIN ${testBuyers.mpin}, OTP ${testBuyers.otp}.</p>`;

const buttons = (known: Known): Html => html`
<h2>What should this buyer do?</h2>
<div class="buttons">
${button(known, 'pay', 'Pay', 'primary')}
${button(known, 'decline', 'Decline')}
${button(known, 'cancel', 'Cancel')}
</div>
<h3>When things go wrong</h3>
<div class="buttons">
${button(known, 'pay_lost', 'Pay but lose the redirect')}
${button(known, 'pay_twice', 'Pay twice')}
${button(known, 'wait', 'Wait')}
</div>
<p class="hint">Pay twice also pays the attempts this buyer had left behind for the same purchase.
Wait goes back to the shop with nothing decided.</p>`;

const over =
  (title: string, text: string) =>
  (known: Known): Html =>
    html`
<h2>${title}</h2>
<p>${text}</p>
${button(known, 'leave', 'Back to the shop', 'primary')}`;

const parts: { readonly [S in SimulatedStatus]: (known: Known) => Html } = {
  created: login,
  opened: buttons,
  paid: over('Paid', 'The payment is made.'),
  declined: over('Declined', 'The wallet has declined this payment. Nothing was taken.'),
  cancelled: over('Cancelled', 'You have cancelled. Nothing was taken.'),
  ended: over('Too late', 'The time for this payment is over. Nothing was taken.'),
  partly_refunded: over('Refunded in part', 'A part of this payment was sent back.'),
  refunded: over('Refunded', 'This payment was sent back.'),
};
