/** After the end: the result, and the link back to the shop. */
import { displayNpr } from '../../../src/kernel/money.ts';
import { iso, type DurationMs, type Instant } from '../../../src/kernel/time.ts';
import { glyph, type Glyph } from '../glyphs.ts';
import { html, type Html } from '../html.ts';
import { billedFacts, type BilledPeriod } from '../invoice/period.ts';
import type { Locale } from '../locale.ts';
import type { End, HostedTexts } from '../texts/texts.ts';
import { countedText, shortName } from './words.ts';
import { hostedPage, type PageOrder, type Refresh } from './frame.ts';
import { copyable, fact, sign, soft, verdict } from './pieces.ts';
import { shopLink } from './ways.ts';

/** The payment that succeeded, or the last attempt. */
export interface EndedPayment {
  readonly id: string;
  readonly label: string;
  readonly paidAt: Instant | null;
  /** What it was for had been paid before. */
  readonly duplicate: boolean;
}

export interface Ended {
  readonly locale: Locale;
  readonly sheet: PageOrder;
  readonly end: End;
  /** The shop's address for the buyer's return; null: the buyer stays here. */
  readonly shopAddress: string | null;
  /** What the end means where nothing was paid. */
  readonly texts: HostedTexts['ended']['texts'];
  /** Another page of ours that comes before it: of its payment link. null: none. */
  readonly back: { readonly path: string; readonly words: string } | null;
  /** The invoice that was paid: in text, because its page names the customer. null: none. */
  readonly invoice: BilledPeriod | null;
  /** null when there was no attempt. */
  readonly payment: EndedPayment | null;
  /** What the buyer names when asking about it: the payment's id, or the session's. */
  readonly reference: string;
  /** Whether a payment of this session was opened at a provider: its money may still arrive. */
  readonly moneyMayCome: boolean;
  /** A buyer who has just paid by code looks at the phone: the page goes back to the shop by itself. null: the
   *  buyer decides when. */
  readonly returns: Returns | null;
}

export interface Returns {
  readonly afterMs: DurationMs;
  /** The shop's address. */
  readonly to: string;
  /** The address of this page when it stays. */
  readonly stay: string;
}

const signs: Readonly<Record<End, readonly [tone: 'good' | 'bad' | 'plain', Glyph]>> = {
  success: ['good', 'check'],
  failed: ['bad', 'cross'],
  cancelled: ['plain', 'halt'],
  expired: ['plain', 'clock'],
};

/** The last page of a session; it stays the same however often it is opened, unless late money arrives. */
export function endedPage(of: Ended): string {
  const { end, locale } = of;
  const { titles, success } = locale.texts.hosted.ended;
  const isDuplicate = end !== 'success' && of.payment?.duplicate === true;
  const { name } = of.sheet.shop;
  return hostedPage({
    title: titles[end],
    locale,
    sheet: of.sheet,
    ...(of.returns === null ? {} : { refresh: returnAfter(of.returns) }),
    main: html`${sign(...signs[end])}
${verdict(titles[end])}
${soft(end === 'success' ? success(name) : of.texts[end])}
${isDuplicate ? soft(locale.texts.invoice.duplicate) : null}
${end === 'success' || isDuplicate ? null : ifMoneyLeft(of)}
${of.payment === null ? null : factsOf(of, of.payment)}
${copyable(of.reference, locale)}
${onward(of)}
${end === 'success' ? printButton(locale) : null}
${of.returns === null ? null : returning(of, of.returns)}`,
  });
}

/** A buyer who paid, and whose payment we did not see, must not pay twice. */
function ifMoneyLeft({ end, moneyMayCome, locale }: Ended): Html | null {
  const { doNotPayAgain, weKeepAsking, giveReference } = locale.texts.hosted.ended;
  if (end === 'cancelled' && !moneyMayCome) return null;
  return html`<p><b>${doNotPayAgain}</b> ${moneyMayCome ? weKeepAsking : giveReference}</p>`;
}

const printButton = ({ texts }: Locale): Html =>
  html`<button class="quiet print" type="button" data-print>${texts.hosted.ended.print}</button>`;

/** Back to the shop; otherwise to the page before it. */
function onward({ shopAddress, back, sheet, locale }: Ended): Html | null {
  if (shopAddress !== null) return shopLink(shopAddress, sheet.shop.name, locale);
  if (back === null) return null;
  return html`<a class="button" href="${back.path}">${back.words}${glyph('arrow')}</a>`;
}

const returnAfter = ({ afterMs, to }: Returns): Refresh => ({
  seconds: afterMs / 1000,
  to,
  scriptless: true,
});

/** Counts down where script runs: what is read aloud does not change with each second. */
function returning({ locale, sheet }: Ended, { afterMs, to, stay }: Returns): Html {
  const { ended } = locale.texts.hosted;
  const { times } = locale.texts;
  const shop = shortName(sheet.shop.name);
  const time = countedText(afterMs / 1000, ended.seconds, times);
  return html`<div class="returning" data-return-to="${to}" data-return-ms="${afterMs}"
data-words="${JSON.stringify({ ...ended.seconds, digits: times.digits })}" data-stays="${ended.stays}">
<p class="unseen" role="status" tabindex="-1">${ended.returning(shop, time)}</p>
<p class="soft" aria-hidden="true">${ended.returning(shop, html`<b data-count>${time}</b>`)}</p>
<a class="quiet" href="${stay}" data-stay>${ended.stay}</a>
</div>`;
}

function factsOf({ sheet, end, invoice, locale }: Ended, { label, paidAt }: EndedPayment): Html {
  const { common, times } = locale.texts;
  const { facts } = common;
  return html`<dl class="facts">
${invoice === null ? null : billedFacts(invoice, locale)}
${end === 'success' ? fact(facts.amountPaid, displayNpr(sheet.amount)) : null}
${fact(end === 'success' ? facts.paidWith : facts.lastTriedWith, label)}
${paidAt === null ? null : fact(facts.paidOn, html`<time datetime="${iso(paidAt)}">${times.moment(paidAt)}</time>`)}
</dl>`;
}
