/** Error pages: nothing here changes anything, and no page reveals more than its reader may know. */
import { glyph, type Glyph } from '../glyphs.ts';
import { html, type Html } from '../html.ts';
import type { Locale } from '../locale.ts';
import { plainPage, type Shop } from './frame.ts';
import { sign, soft } from './pieces.ts';
import { shopLink } from './ways.ts';
import { countedText } from './words.ts';

/** 404: no such session or payment. */
export function unknownPage(locale: Locale): string {
  const [title, then] = locale.texts.trouble.unknown;
  return card(locale, title, 'plain', 'note', soft(then));
}

/** 403: the merchant is suspended. */
export function suspendedPage(shop: Shop, locale: Locale): string {
  const { title, what, next } = locale.texts.trouble.suspended;
  const { shopUrl = null } = shop;
  return card(
    locale,
    title,
    'warn',
    'halt',
    html`${soft(what(shop.name))}
${soft(next)}
${shopUrl === null ? null : shopLink(shopUrl, shop.name, locale)}`,
  );
}

/** 403: the form did not come from our page. */
export const strangeFormPage = (path: string, locale: Locale): string =>
  card(locale, locale.texts.trouble.strangeForm, 'warn', 'note', unchanged(path, locale));

/** 400: a provider that is not offered, or an unknown way to pay with it. */
export const wrongChoicePage = (path: string, locale: Locale): string =>
  card(locale, locale.texts.trouble.wrongChoice, 'warn', 'note', unchanged(path, locale));

/** 404: a code that can no longer be paid, or a payment without a code. */
export function oldCodePage(path: string, locale: Locale): string {
  const [title, then] = locale.texts.trouble.oldCode;
  return card(locale, title, 'warn', 'clock', html`${soft(then)}${openAgain(path, locale)}`);
}

/** 429: too many forms from one address. */
export function tooManyPage(seconds: number, locale: Locale): string {
  const { tooMany, tooManyThen } = locale.texts.trouble;
  return card(locale, tooMany, 'warn', 'clock', soft(countedText(seconds, tooManyThen, locale.texts.times)));
}

/** 500, 502, 503: overloaded, out of time or failed. The page of the session shows its state; null: it is
 *  not known here. */
export function busyPage(path: string | null, locale: Locale): string {
  const { busy, busyHere, busyAnywhere } = locale.texts.trouble;
  const body = path === null ? soft(busyAnywhere) : html`${soft(busyHere)}${openAgain(path, locale)}`;
  return card(locale, busy, 'warn', 'clock', body);
}

/** 404: no page of ours. */
export function notFoundPage(locale: Locale): string {
  const [title, then] = locale.texts.trouble.notFound;
  return card(locale, title, 'plain', 'note', soft(then));
}

/** 405, 413: none of our pages or forms sends such a request. `path`: as for busyPage. */
export function wrongWayPage(path: string | null, locale: Locale): string {
  const { wrongWay, wrongWayAnywhere } = locale.texts.trouble;
  return card(
    locale,
    wrongWay,
    'warn',
    'note',
    path === null ? soft(wrongWayAnywhere) : unchanged(path, locale),
  );
}

const unchanged = (path: string, locale: Locale): Html =>
  html`${soft(locale.texts.trouble.unchanged)}${openAgain(path, locale)}`;

const openAgain = (path: string, { texts }: Locale): Html =>
  html`<a class="button" href="${path}">${texts.common.openPayment}${glyph('arrow')}</a>`;

const card = (
  locale: Locale,
  title: string,
  tone: 'bad' | 'warn' | 'plain',
  name: Glyph,
  body: Html,
): string =>
  plainPage({
    title,
    locale,
    main: html`${sign(tone, name)}
<h1>${title}</h1>
${body}`,
  });
