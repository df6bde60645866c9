/** While a payment runs: at the provider, returning from it, or without an answer yet. The other providers
 *  and the cancel button stay available, except in the first seconds after the buyer's return, when paying
 *  again would be a mistake. */
import type { DurationMs } from '../../../src/kernel/time.ts';
import { glyph } from '../glyphs.ts';
import { html, type Html } from '../html.ts';
import type { Locale } from '../locale.ts';
import type { HostedTexts } from '../texts/texts.ts';
import { statusPath } from './status.ts';
import { hostedPage, type Deadline, type Live, type PageOrder } from './frame.ts';
import { copyable, notice, sign, soft, turningSign, verdict } from './pieces.ts';
import {
  cancelForm,
  inOrder,
  oneWay,
  secondWay,
  shopLink,
  waysList,
  type Counter,
  type Way,
} from './ways.ts';
import { numberText } from './words.ts';

export interface Waiting {
  readonly locale: Locale;
  readonly sheet: PageOrder;
  readonly deadline: Deadline;
  readonly counter: Counter;
  /** The provider of the running payment. */
  readonly running: { readonly id: string; readonly label: string };
  /** The other providers that the buyer may choose. */
  readonly others: readonly Way[];
  /** The session that the script follows, and what this page already shows of it. */
  readonly live: Pick<Live, 'session' | 'seen'>;
}

/** Without script these pages reload by themselves: soon where there is nothing to press, else slowly. */
const lookAgainSeconds = 2;
const lookAgainSecondsCalm = 15;

const textsOf = ({ locale }: Pick<Waiting, 'locale'>): HostedTexts['waiting'] => locale.texts.hosted.waiting;

/** Our start call is under way: there is no address to redirect the buyer to yet. The script gets no
 *  notification when it arrives, so this page reloads by itself. */
export function openingPage(of: Waiting): string {
  const { opening, aFewSeconds } = textsOf(of);
  const title = opening(of.running.label);
  return hostedPage({
    title,
    locale: of.locale,
    sheet: of.sheet,
    deadline: of.deadline,
    refresh: { seconds: lookAgainSeconds, to: of.counter.path },
    main: html`${turningSign}
${verdict(title)}
${soft(aFewSeconds)}
${cancelForm(of.counter)}`,
  });
}

/** The buyer was redirected to the provider and has not returned. */
export function awayPage(of: Waiting, above: Html | null = null): string {
  const { label, id } = of.running;
  const { finish, approveThere } = textsOf(of);
  return hostedPage({
    title: finish(label),
    locale: of.locale,
    sheet: of.sheet,
    deadline: of.deadline,
    live: { ...of.live, to: of.counter.path },
    refresh: { seconds: lookAgainSecondsCalm, to: of.counter.path, scriptless: true },
    main: html`${above}
<h1>${finish(label)}</h1>
${soft(approveThere(label))}
${oneWay(of.counter, id, of.locale.texts.hosted.chooser.continueTo(label))}
${foldedWays(of)}
${cancelForm(of.counter)}`,
  });
}

/** The first seconds after the return: the buyer can only wait, for this long. `to` is reloaded. */
export function checkingPage(of: Waiting & { readonly to: string; readonly waitMs: DurationMs }): string {
  const { checking, confirming, doNotPayAgain } = textsOf(of);
  return hostedPage({
    title: checking,
    locale: of.locale,
    sheet: of.sheet,
    live: { ...of.live, to: of.to, againMs: of.waitMs },
    refresh: { seconds: lookAgainSeconds, to: of.to, scriptless: true },
    main: html`${turningSign}
${verdict(checking)}
${soft(confirming(of.running.label))}
<p><b>${doNotPayAgain}</b></p>`,
  });
}

/** Still no verdict: the buyer may keep waiting, try again, pay another way, or cancel. */
export function undecidedPage(
  of: Waiting & { readonly to: string; readonly mayTryAgain: boolean },
  above: Html | null = null,
): string {
  const { waitingFor, noAnswerYet, ifPaid, ifPaidThen, notPaidTryAgain } = textsOf(of);
  return hostedPage({
    title: waitingFor(of.running.label),
    locale: of.locale,
    sheet: of.sheet,
    deadline: of.deadline,
    live: { ...of.live, to: of.to },
    refresh: { seconds: lookAgainSecondsCalm, to: of.to, scriptless: true },
    main: html`${above}
${turningSign}
${verdict(waitingFor(of.running.label))}
${soft(noAnswerYet)}
<p><b>${ifPaid}</b> ${ifPaidThen}</p>
${of.mayTryAgain ? secondWay(of.counter, of.running.id, notPaidTryAgain) : null}
${foldedWays(of)}
${cancelForm(of.counter)}`,
  });
}

/** The amounts do not match: a person reviews the payment. It cannot be cancelled meanwhile: money may have moved.
 *  Paying again stays possible, but is not offered first; after the session's end only the link back to the shop
 *  remains. */
export function reviewPage(
  of: Omit<Waiting, 'running'> & {
    readonly running: Waiting['running'] | null;
    /** The payment under review. */
    readonly reference: string;
    /** Once the session has ended, if there is a shop to go back to. */
    readonly shopAddress?: string | null;
  },
): string {
  const { title, what, nothingPaid, next, steps, seeStatus } = of.locale.texts.hosted.review;
  const { shopAddress = null } = of;
  return hostedPage({
    title,
    locale: of.locale,
    sheet: of.sheet,
    live: { ...of.live, to: of.counter.path },
    refresh: { seconds: lookAgainSecondsCalm, to: of.counter.path, scriptless: true },
    main: html`${sign('warn', 'eye')}
${verdict(title)}
${soft(what(of.running?.label ?? of.locale.texts.common.provider))}
<p><b>${textsOf(of).doNotPayAgain}</b></p>
${copyable(of.reference, of.locale)}
<h2>${next}</h2>
<ol class="steps">${steps.map((step) => html`<li>${step}</li>`)}</ol>
${shopAddress === null ? null : shopLink(shopAddress, of.sheet.shop.name, of.locale)}
<a class="button second" href="${`${statusPath}?query=${of.reference}`}">${seeStatus}</a>
${of.others.length === 0 ? null : folded(nothingPaid, waysList(of.counter, inOrder(of.others, null)))}`,
  });
}

/** Shown above the running payment when a sixth attempt was requested. */
export const triesUsedUp = (triesMax: number, { texts }: Locale): Html =>
  notice(...texts.hosted.waiting.triesUsedUp(numberText(triesMax, texts.times)));

export const otherWays = (of: Waiting): Html | null =>
  of.others.length === 0
    ? null
    : html`<h2>${textsOf(of).otherWays}</h2>
${waysList(of.counter, inOrder(of.others, null))}`;

/** The same while the buyer may have paid already: opened on purpose, below a warning. */
export function foldedWays(of: Waiting): Html | null {
  const { summary, warning } = textsOf(of).fold;
  const [what, then] = warning(of.running.label);
  if (of.others.length === 0) return null;
  return folded(
    summary,
    html`<div class="notice warn">${glyph('note')}<p><strong>${what}</strong> ${then}</p></div>
${waysList(of.counter, inOrder(of.others, null))}`,
  );
}

export const folded = (summary: string, inside: Html): Html => html`<details>
<summary>${summary}${glyph('down')}</summary>
${inside}
</details>`;
