/** What the deeplink shows a browser that is no phone: the wallet's page in an app store. In the sandbox it leads to
 *  the simulated app. */
import type { SimulatedPaymentState } from '../../../actors/simulated-payment/messages.ts';
import { displayNpr } from '../../../src/kernel/money.ts';
import { html, page } from '../../pages/html.ts';
import { stylePath } from '../style.ts';

export const storePage = ({ amount, title }: SimulatedPaymentState, appPath: string): string =>
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
