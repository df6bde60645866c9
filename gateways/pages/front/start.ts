/** The start page at `/`: for someone who has just started the service, or has opened its address by hand.
 *  Boundary: a model in, a document out.
 *  1. It names no merchant, no key and no folder: anyone may open it. */
import { displayNpr } from '../../../src/kernel/money.ts';
import { glyph, type Glyph } from '../glyphs.ts';
import { html, type Html } from '../html.ts';
import { plainPage } from '../hosted/frame.ts';
import { sign, soft } from '../hosted/pieces.ts';
import { english } from '../locale.ts';
import { docsPath, simulatorPath, testOrder, testPaymentPath } from './places.ts';

export interface StartPage {
  /** Proves that the form of the test payment is ours; null: no test payment is offered. */
  readonly testPayment: { readonly token: string } | null;
  /** Whether the simulator is on. */
  readonly simulator: boolean;
}

export const startPage = (of: StartPage): string =>
  plainPage({
    title: 'Galla',
    locale: english,
    main: html`${sign('good', 'till')}
${of.testPayment === null ? forAnybody : forTheFirstTime(of.testPayment.token)}
<h2>Look around</h2>
${placesList(of)}`,
    foot: html`<footer class="foot"><a href="/health">Service health</a></footer>`,
  });

const forTheFirstTime = (token: string): Html => html`<h1>Galla is running</h1>
${soft('This is a sandbox on your own machine. No real money moves here.')}
${testPaymentForm(token, 'Make a test payment')}
<p class="soft small">You play the buyer of an order of ${displayNpr(testOrder.amount)}: choose <b>Wallet B</b>,
press <b>Log in</b>, then <b>Pay</b>.</p>`;

const forAnybody: Html = html`<h1>Galla takes payments for shops</h1>
${soft('Did you mean to pay? Then the link was incomplete. Please go back to the shop and start again from there.')}
${soft('Do you build a shop? The API lies under /v1 and answers with your secret key.')}`;

/** The button that creates a checkout of the demo merchant and opens its payment page. */
export const testPaymentForm = (token: string, words: string): Html => html`<form method="post"
action="${testPaymentPath}">
<input type="hidden" name="token" value="${token}">
<button class="button" type="submit">${words}${glyph('arrow')}</button>
</form>`;

const placesList = ({ simulator, testPayment }: StartPage): Html => html`<ul class="ways">
${place('/dashboard', 'list', 'Dashboard', `Payments as they happen. ${loginIs(testPayment !== null)}`)}
${simulator ? place(simulatorPath, 'flask', 'Simulator', 'The simulated providers and their test buyers.') : null}
${place(docsPath, 'book', 'Documentation', 'The API to look up and to try, and the guides.')}
</ul>`;

const loginIs = (isOwnMachine: boolean): string =>
  isOwnMachine
    ? 'Its login is in the terminal, under “Demo merchant”.'
    : 'Log in with the password your operator gave you.';

export const place = (to: string, name: Glyph, title: string, hint: string): Html => html`<li><a class="way"
href="${to}"><span class="tile">${glyph(name)}</span>
<span class="words"><span class="name">${title}</span> <span class="hint">${hint}</span></span>
${glyph('arrow')}</a></li>`;

/** 403 and 503: no test payment was made. */
export const noTestPaymentPage = (why: string): string =>
  plainPage({
    title: 'No test payment was made',
    locale: english,
    main: html`${sign('warn', 'note')}
<h1>No test payment was made</h1>
${soft(why)}
<a class="button" href="/">Back to the start page${glyph('arrow')}</a>`,
    foot: html``,
  });
