/** The counter slip: the order above the fold line, its state below. Every page of a session is this frame
 *  with a different lower half. Boundary: a model in, a document out.
 *  1. Complete without script: the script only adds comfort.
 *  2. Reading order is order, heading, notices, choices, footer; one h1, and the title begins with the
 *     state. */
import { displayNpr, type Paisa } from '../../../src/kernel/money.ts';
import { iso, type DurationMs, type Instant } from '../../../src/kernel/time.ts';
import { scriptPath, socketClientPath, stylesheetPath } from '../assets.ts';
import { glyph } from '../glyphs.ts';
import { originOf } from '../headers.ts';
import { html, page, type Html } from '../html.ts';
import { clockText, leftText, plain, said } from './words.ts';

export interface Shop {
  readonly name: string;
  readonly logoUrl: string | null;
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
  readonly sheet: PageOrder;
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
}

export const hostedPage = (of: HostedPage): string =>
  page({
    title: `${of.title} · ${plain(of.sheet.shop.name)}`,
    stylesheet: stylesheetPath,
    script: scriptPath,
    ...(of.refresh === undefined ? {} : { refresh: of.refresh }),
    body: html`${of.sheet.sandbox ? sandboxStrip : null}
<div class="desk">
<div class="slip">
${orderOf(of.sheet, of.deadline)}
<div class="fold" aria-hidden="true"></div>
${mainOf(of)}
</div>
${of.below ?? null}
${foot}
</div>`,
  });

/** A page about no session that we could show: a single card. `foot` is shown below it; by default, advice
 *  for buyers. */
export const plainPage = (of: {
  readonly title: string;
  readonly main: Html;
  readonly foot?: Html;
}): string =>
  page({
    title: of.title,
    stylesheet: stylesheetPath,
    body: html`<div class="desk lone">
<div class="slip lone">
<main class="act">${of.main}</main>
</div>
${of.foot ?? foot}
</div>`,
  });

const sandboxStrip = html`<p class="strip" role="note"><b>Sandbox:</b> no real money moves</p>`;

function mainOf({ live, main }: HostedPage): Html {
  if (live === undefined) return html`<main class="act">${main}</main>`;
  const { session, seen, to, againMs = '' } = live;
  return html`<main class="act" data-session="${session}" data-seen="${seen}" data-to="${to}"
data-again-ms="${againMs}" data-socket="${socketClientPath}">${main}</main>`;
}

const orderOf = (sheet: PageOrder, deadline: Deadline | undefined): Html => html`<header class="order">
<div class="shop">
${logoOf(sheet.shop)}
<p><small>Payment to</small> <strong>${said(sheet.shop.name)}</strong></p>
</div>
${amountOf(sheet.amount)}
${sheet.description === null ? null : html`<p class="what">${said(sheet.description)}</p>`}
${deadline === undefined ? null : untilOf(deadline)}
</header>`;

const logoOf = (shop: Shop): Html =>
  shop.logoUrl === null || originOf(shop.logoUrl) === null
    ? html`<span class="monogram" aria-hidden="true">${firstLetter(shop.name)}</span>`
    : html`<img class="logo" src="${shop.logoUrl}" alt="" width="44" height="44">`;

const graphemes = new Intl.Segmenter('ne', { granularity: 'grapheme' });

/** The first letter as readers see it: a Devanagari letter keeps its vowel sign. */
function firstLetter(name: string): string {
  const [first] = graphemes.segment(plain(name).trim());
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

const untilOf = ({ at, now }: Deadline): Html => html`<p class="until">${glyph('clock')}<span>
<span class="words">Pay within <b data-left-ms="${Math.max(0, at - now)}">${leftText(at - now)}</b></span>
<span class="words">until <time datetime="${iso(at)}">${clockText(at, now)}</time>, Nepal time</span>
</span></p>`;

const foot = html`<footer class="foot">
<p>${glyph('lock')}<span>You approve every payment at your provider. This page never asks for a PIN, a
password or an OTP.</span></p>
<p class="by">Payments by Galla</p>
</footer>`;
