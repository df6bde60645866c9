/** Error pages: nothing here changes anything, and no page reveals more than its reader may know. */
import { glyph, type Glyph } from '../glyphs.ts';
import { html, type Html } from '../html.ts';
import { plainPage, type Shop } from './frame.ts';
import { sign, soft } from './pieces.ts';
import { said } from './words.ts';

/** 404: no such session or payment. */
export const unknownPage = (): string =>
  card(
    'We do not know this payment',
    'plain',
    'note',
    soft('The link may be incomplete or mistyped. Please go back to the shop and start again from there.'),
  );

/** 403: the merchant is suspended. */
export const suspendedPage = (shop: Shop): string =>
  card(
    'This shop cannot take payments now',
    'warn',
    'halt',
    html`<p class="soft">${said(shop.name)} cannot take payments at the moment. Please ask the shop.</p>
${soft('If you have just paid, your payment is still recorded. You need not pay again.')}`,
  );

/** 403: the form did not come from our page. */
export const strangeFormPage = (path: string): string =>
  card('This form is out of date', 'warn', 'note', html`${soft(unchanged)}${openAgain(path)}`);

/** 400: a provider that is not offered, or an unknown way to pay with it. */
export const wrongChoicePage = (path: string): string =>
  card('This way to pay is not on offer', 'warn', 'note', html`${soft(unchanged)}${openAgain(path)}`);

/** 404: a code that can no longer be paid, or a payment without a code. */
export const oldCodePage = (path: string): string =>
  card(
    'This code is no longer valid',
    'warn',
    'clock',
    html`${soft('The payment page shows what stands.')}${openAgain(path)}`,
  );

/** 429: too many forms from one address. */
export const tooManyPage = (seconds: number): string =>
  card(
    'Please wait a moment',
    'warn',
    'clock',
    soft(
      'There were too many tries from your network. Nothing was changed. ' +
        `Try again in ${seconds === 1 ? 'a second' : `${seconds} seconds`}.`,
    ),
  );

/** 500, 502, 503: overloaded, out of time or failed. The page of the session shows its state; null: it is
 *  not known here. */
export const busyPage = (path: string | null): string =>
  card(
    'One moment, please',
    'warn',
    'clock',
    path === null
      ? soft('We are very busy right now. Wait a moment and load this page again: it shows what stands.')
      : html`${soft('We are very busy right now. Open the payment page again: it shows what stands.')}
${openAgain(path)}`,
  );

/** 404: no page of ours. */
export const nowherePage = (): string =>
  card(
    'There is nothing here',
    'plain',
    'note',
    soft('The link may be incomplete or mistyped. Please go back to where you found it and try from there.'),
  );

/** 405, 413: none of our pages or forms sends such a request. `path`: as for busyPage. */
export const wrongWayPage = (path: string | null): string =>
  card(
    'This did not come from our page',
    'warn',
    'note',
    path === null
      ? soft('Nothing was changed. Please go back to the shop and start again from there.')
      : html`${soft(unchanged)}${openAgain(path)}`,
  );

const unchanged = 'Nothing was changed. Open the payment page again and choose there.';

const openAgain = (path: string): Html =>
  html`<a class="button" href="${path}">Open the payment page${glyph('arrow')}</a>`;

const card = (title: string, tone: 'bad' | 'warn' | 'plain', name: Glyph, body: Html): string =>
  plainPage({
    title,
    main: html`${sign(tone, name)}
<h1>${title}</h1>
${body}`,
  });
