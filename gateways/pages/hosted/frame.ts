/** The counter slip: the order above the fold line, its state below. Every page of a session is this frame
 *  with a different lower half. Boundary: a model in, a document out.
 *  1. Complete without script: the script only adds comfort.
 *  2. Reading order is order, heading, notices, choices, footer; one h1, and the title begins with the
 *     state. */
import { displayNpr, type Paisa } from '../../../src/kernel/money.ts';
import { iso, type DurationMs, type Instant } from '../../../src/kernel/time.ts';
import { isUploaded } from '../../logo/address.ts';
import { scriptPath, socketClientPath, stylesheetPath } from '../assets.ts';
import { glyph } from '../glyphs.ts';
import { originOf } from '../headers.ts';
import { html, page, type Html } from '../html.ts';
import { languageSwitch, type Locale } from '../locale.ts';
import { plain } from '../../../src/kernel/text.ts';
import { userText } from '../texts/user-text.ts';
import { buyerTexts } from '../texts/tables.ts';
import type { BuyerTexts, TimeTexts } from '../texts/texts.ts';
import { clockText, leftText, secondsText } from './words.ts';

export interface Shop {
  readonly name: string;
  readonly logoUrl: string | null;
  /** Where its shop is, for pages that know no other address to go back to. */
  readonly shopUrl?: string | null;
}

/** The data that every page of one session shows. */
export interface PageOrder {
  readonly shop: Shop;
  readonly sandbox: boolean;
  readonly amount: Paisa;
  readonly description: string | null;
}

/** Until when a payment can be started, and the current time, both on the session's clock. */
export interface Deadline {
  readonly at: Instant;
  readonly now: Instant;
  /** It is so near that seconds count: `2:59`. */
  readonly inSeconds?: true;
}

export interface Refresh {
  readonly seconds: number;
  readonly to?: string;
  /** Only for browsers without script; the script moves on by itself. */
  readonly scriptless?: boolean;
}

export interface HostedPage {
  /** The state in a few words; the shop's name follows in the title. */
  readonly title: string;
  readonly locale: Locale;
  /** `amount` null: the buyer has not chosen it yet. */
  readonly sheet: Omit<PageOrder, 'amount'> & { readonly amount: Paisa | null };
  readonly deadline?: Deadline;
  readonly main: Html;
  readonly refresh?: Refresh;
  readonly live?: Live;
  /** Shown below the slip. */
  readonly below?: Html;
}

/** Data that the script needs to move on. */
export interface Live {
  /** The session that it follows. */
  readonly session: string;
  /** What this page already shows: `status provider needsReview`. Any other value is news. */
  readonly seen: string;
  /** The address that shows the news; for a buyer who has just returned it is not the session's own page. */
  readonly to: string;
  /** `to` is opened after this time, with or without news. */
  readonly againMs?: DurationMs;
  /** Only the end of the session is news: what the buyer has typed here is not lost for less. */
  readonly onlyEnd?: true;
}

export const hostedPage = (of: HostedPage): string =>
  page({
    title: `${of.title} · ${plain(of.sheet.shop.name)}`,
    lang: of.locale.language,
    stylesheet: stylesheetPath,
    script: scriptPath,
    ...(of.refresh === undefined ? {} : { refresh: of.refresh }),
    body: html`${of.sheet.sandbox ? sandboxStrips[of.locale.language] : null}
<div class="desk">
${languageSwitch(of.locale)}
<div class="slip">
${orderOf(of)}
<div class="fold" aria-hidden="true"></div>
${mainOf(of)}
</div>
${of.below ?? null}
${feet[of.locale.language]}
</div>`,
  });

/** A page about no session that we could show: a single card. `foot` is shown below it; by default, advice
 *  for buyers. */
export const plainPage = (of: {
  readonly title: string;
  readonly locale: Locale;
  readonly main: Html;
  readonly foot?: Html;
}): string =>
  page({
    title: of.title,
    lang: of.locale.language,
    stylesheet: stylesheetPath,
    body: html`<div class="desk lone">
${languageSwitch(of.locale)}
<div class="slip lone">
<main class="act">${of.main}</main>
</div>
${of.foot ?? feet[of.locale.language]}
</div>`,
  });

const stripOf = ({ common }: BuyerTexts): Html => {
  const { name, what } = common.sandbox;
  return html`<p class="strip" role="note"><b>${name}</b> ${what}</p>`;
};
/** The same on every page of a language. */
const sandboxStrips = { en: stripOf(buyerTexts.en), ne: stripOf(buyerTexts.ne) };

function mainOf({ live, main }: HostedPage): Html {
  if (live === undefined) return html`<main class="act">${main}</main>`;
  const { session, seen, to, againMs = '', onlyEnd = false } = live;
  return html`<main class="act" data-session="${session}" data-seen="${seen}" data-to="${to}"
data-again-ms="${againMs}" data-only-end="${onlyEnd ? 'yes' : ''}" data-socket="${socketClientPath}">${main}</main>`;
}

const orderOf = ({ sheet, deadline, locale }: HostedPage): Html => html`<header class="order">
<div class="shop">
${logoOf(sheet.shop)}
<p><small>${locale.texts.common.paymentTo}</small> <strong>${userText(sheet.shop.name)}</strong></p>
</div>
${sheet.amount === null ? null : amountOf(sheet.amount)}
${sheet.description === null ? null : html`<p class="what">${userText(sheet.description)}</p>`}
${deadline === undefined ? null : untilOf(deadline, locale)}
</header>`;

const logoOf = (shop: Shop): Html =>
  shop.logoUrl === null || !(isUploaded(shop.logoUrl) || originOf(shop.logoUrl) !== null)
    ? html`<span class="monogram" aria-hidden="true">${firstLetter(shop.name)}</span>`
    : html`<img class="logo" src="${shop.logoUrl}" alt="" width="44" height="44">`;

const graphemes = new Intl.Segmenter('ne', { granularity: 'grapheme' });

/** The first letter as readers see it: a Devanagari letter keeps its vowel sign. */
function firstLetter(name: string): string {
  const text = plain(name).trim();
  // between two characters of ASCII a letter always ends: the segmenter would need a hundred times as long
  if (/^[!-~](?:[ -~]|$)/.test(text)) return text.charAt(0).toUpperCase();
  const [first] = graphemes.segment(text);
  return first?.segment.toUpperCase() ?? '';
}

/** Drawn in three sizes, read as one text. */
function amountOf(amount: Paisa): Html {
  const text = displayNpr(amount);
  const [unit = '', number = ''] = text.split(' ');
  const paisa = html`<span class="paisa">${number.slice(-3)}</span>`;
  // from one lakh upwards it fits a narrow slip only in fonts that are narrower than those of some systems
  const size = number.length > 9 ? 'amount long' : 'amount';
  return html`<p class="${size}"><span class="unseen">${text}</span>
<span aria-hidden="true"><span class="unit">${unit}</span>${number.slice(0, -3)}${paisa}</span></p>`;
}

/** Its texts for the script: the same on every page of a language. */
const countdownOf = ({ left, digits }: TimeTexts): string => JSON.stringify({ ...left, digits });
const countdowns = { en: countdownOf(buyerTexts.en.times), ne: countdownOf(buyerTexts.ne.times) };

function untilOf({ at, now, inSeconds }: Deadline, { language, texts }: Locale): Html {
  const { common, times } = texts;
  const text = inSeconds === true ? secondsText(at - now, times) : leftText(at - now, times);
  const left = html`<b role="timer" data-left-ms="${Math.max(0, at - now)}"
data-in="${inSeconds === true ? 'seconds' : ''}"
data-words="${countdowns[language]}">${text}</b>`;
  const clock = html`<time datetime="${iso(at)}">${clockText(at, now, times)}</time>`;
  return html`<p class="until">${glyph('clock')}<span>
<span class="words">${common.payWithin(left)}</span>
<span class="words">${common.until(clock)}</span>
</span></p>`;
}

const footOf = ({ common }: BuyerTexts): Html => html`<footer class="foot">
<p>${glyph('lock')}<span>${common.safety}</span></p>
<p class="by">${common.by}</p>
</footer>`;
/** The same on every page of a language. */
const feet = { en: footOf(buyerTexts.en), ne: footOf(buyerTexts.ne) };
