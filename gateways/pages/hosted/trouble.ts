/** Pages of refusal: nothing here changes anything, and none says more than its reader may know. */
import { glyph, type Glyph } from '../glyphs.ts';
import { html, type Html } from '../html.ts';
import { lonePage, type Shop } from './frame.ts';
import { said } from './words.ts';

const card = (title: string, sign: Glyph, tone: 'bad' | 'warn' | 'plain', body: Html): string => lonePage({
  title, main: html`<div class="sign ${tone}">${glyph(sign)}</div><h1>${title}</h1>${body}`,
});

const openAgain = (path: string): Html => html`<a class="button" href="${path}">Open the payment page${glyph('arrow')}</a>`;

/** 404: no such session or payment. */
export const unknownPage = (): string => card('We do not know this payment', 'note', 'plain',
  html`<p class="soft">The link may be incomplete or mistyped. Please go back to the shop and start again from there.</p>`);

/** 403: the merchant is suspended (decisions 4.8). */
export const suspendedPage = (shop: Shop): string => card('This shop cannot take payments now', 'halt', 'warn',
  html`<p class="soft">${said(shop.name)} cannot take payments at the moment. Please ask the shop.</p>
<p class="soft">If you have just paid, your payment is still recorded. You need not pay again.</p>`);

/** 403: the form did not come from our page. */
export const strangeFormPage = (path: string): string => card('This form is out of date', 'note', 'warn',
  html`<p class="soft">Nothing was changed. Open the payment page again and choose there.</p>${openAgain(path)}`);

/** 400: a provider we do not know or that is not on offer. */
export const wrongChoicePage = (path: string): string => card('This way to pay is not on offer', 'note', 'warn',
  html`<p class="soft">Nothing was changed. Open the payment page again and choose there.</p>${openAgain(path)}`);

/** 429: too many forms from one address. */
export const tooManyPage = (seconds: number): string => card('Please wait a moment', 'clock', 'warn',
  html`<p class="soft">There were too many tries from your network. Try again in ${seconds === 1 ? 'a second' : `${seconds} seconds`}.
Nothing was changed.</p>`);

/** 503: overloaded, starting, or out of time. Nothing is known to have happened; the page says what stands. */
export const busyPage = (path: string): string => card('One moment, please', 'clock', 'warn',
  html`<p class="soft">We are very busy right now. Open the payment page again: it shows what stands.</p>${openAgain(path)}`);
