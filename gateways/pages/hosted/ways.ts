/** The ways to pay, as real buttons in real forms, and the cancel button. Used by every page on which a
 *  payment can start. */
import { traitsOf, type Provider } from '../../../src/providers/catalog.ts';
import { markPath } from '../assets.ts';
import { glyph } from '../glyphs.ts';
import { html, type Html } from '../html.ts';
import type { Locale } from '../locale.ts';
import type { HostedTexts } from '../texts/texts.ts';
import { shortName } from './words.ts';

/** A provider that a buyer may choose. */
export interface Way {
  readonly id: Provider;
  readonly label: string;
  /** `degraded` gets a notice and moves last; `down` is shown but cannot be chosen. */
  readonly health: 'up' | 'degraded' | 'down';
}

/** The form targets of one session's page, the token that proves the forms are ours, and their language. */
export interface Counter {
  /** `/pay/cs_...`. */
  readonly path: string;
  readonly token: string;
  /** What its cancel button says. */
  readonly cancel: string | Html;
  readonly locale: Locale;
}

/** `first` (a preselected provider) leads, then providers that are up, degraded ones last. */
export function inOrder(ways: readonly Way[], first: string | null): readonly Way[] {
  const rank = { up: 1, degraded: 2, down: 3 };
  const rankOf = (way: Way): number => (way.health === 'up' && way.id === first ? 0 : rank[way.health]);
  return ways.toSorted((a, b) => rankOf(a) - rankOf(b));
}

/** A separate form for each provider. */
export const waysList = (counter: Counter, ways: readonly Way[]): Html =>
  listOf(counter, ways, (way) =>
    startForm(
      counter,
      way.id,
      html`<button class="way" type="submit">${insideOf(counter, way)}${glyph('arrow')}</button>`,
    ),
  );

/** One form for all: `fields` are sent with whichever provider is chosen. */
export const waysForm = (
  counter: Counter,
  ways: readonly Way[],
  fields: Html,
): Html => html`<form method="post"
action="${counter.path}/start">
<input type="hidden" name="token" value="${counter.token}">
${fields}
${listOf(
  counter,
  ways,
  (way) =>
    html`<button class="way" type="submit" name="provider" value="${way.id}">${insideOf(
      counter,
      way,
    )}${glyph('arrow')}</button>`,
)}
</form>`;

/** One provider, one plain button: to continue, or where there is no choice. */
export const oneWay = (counter: Counter, provider: string, words: string): Html =>
  startForm(counter, provider, html`<button class="button" type="submit">${words}${glyph('arrow')}</button>`);

/** The same, less prominent: an action that the buyer should rather not need. */
export const secondWay = (counter: Counter, provider: string, words: string): Html =>
  startForm(counter, provider, html`<button class="button second" type="submit">${words}</button>`);

/** The redirect flow's only form: the script submits it at once, a link preview never does. */
export const autoWay = (counter: Counter, provider: string, words: string): Html => html`<form method="post"
action="${counter.path}/start" data-auto="yes">
${hidden(counter, provider)}
<button class="button" type="submit">${words}${glyph('arrow')}</button>
</form>`;

/** The web pages of the running payment's provider, instead of its app: the same payment, so nothing is paid twice. */
export const webForm = (counter: Counter, provider: string, words: string): Html => html`<form method="post"
action="${counter.path}/start" data-web="yes">
${hidden(counter, provider)}<input type="hidden" name="variant" value="web">
<button class="button second" type="submit">${words}</button>
</form>`;

export const cancelForm = (
  counter: Counter,
): Html => html`<form method="post" action="${counter.path}/cancel">
<input type="hidden" name="token" value="${counter.token}">
<button class="quiet" type="submit"><span>${counter.cancel}</span></button>
</form>`;

/** The link back to the shop; a link, because it changes nothing. */
export const shopLink = (address: string, shopName: string, { texts }: Locale): Html => html`<a class="button"
href="${address}"><span>${texts.common.backTo(shortName(shopName))}</span>${glyph('arrow')}</a>`;

const startForm = (counter: Counter, provider: string, button: Html): Html => html`<form method="post"
action="${counter.path}/start">
${hidden(counter, provider)}
${button}
</form>`;

const hidden = (counter: Counter, provider: string): Html => html`<input type="hidden" name="token"
value="${counter.token}"><input type="hidden" name="provider" value="${provider}">`;

const listOf = (
  counter: Counter,
  ways: readonly Way[],
  upOne: (way: Way) => Html,
): Html => html`<ul class="ways">
${ways.map((way) => html`<li>${way.health === 'down' ? downButton(counter, way) : upOne(way)}</li>`)}
</ul>`;

const downButton = (counter: Counter, way: Way): Html => html`<button class="way" type="button"
disabled>${insideOf(counter, way)}</button>`;

const insideOf = (
  { locale }: Counter,
  way: Way,
): Html => html`<img src="${markPath(way.id)}" alt="" width="40" height="40">
<span class="words"><span class="name">${way.label}</span> ${hintOf(way, locale.texts.hosted.ways)}</span>`;

function hintOf({ id, health }: Way, texts: HostedTexts['ways']): Html {
  if (health === 'down') return html`<span class="hint">${texts.down}</span>`;
  if (health === 'degraded') return html`<span class="hint caution">${texts.degraded}</span>`;
  return html`<span class="hint">${texts.hints[traitsOf(id).approval]}</span>`;
}
