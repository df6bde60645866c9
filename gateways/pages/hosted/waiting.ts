/** While a payment runs: at the provider, returning from it, or without an answer yet. The other providers
 *  and the cancel button stay available, except in the first seconds after the buyer's return, when paying
 *  again would be a mistake. */
import type { DurationMs } from '../../../src/kernel/time.ts';
import { glyph } from '../glyphs.ts';
import { html, type Html } from '../html.ts';
import { hostedPage, type Deadline, type Live, type PageOrder } from './frame.ts';
import { notice, sign, soft, turningSign, verdict } from './pieces.ts';
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

export interface Waiting {
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

/** Our start call is under way: there is no address to redirect the buyer to yet. The script gets no
 *  notification when it arrives, so this page reloads by itself. */
export const openingPage = (of: Waiting): string =>
  hostedPage({
    title: `Opening ${of.running.label}`,
    sheet: of.sheet,
    deadline: of.deadline,
    refresh: { seconds: lookAgainSeconds, to: of.counter.path },
    main: html`${turningSign}
${verdict(`Opening ${of.running.label}`)}
${soft('This takes a few seconds.')}
${cancelForm(of.counter)}`,
  });

/** The buyer was redirected to the provider and has not returned. */
export const awayPage = (of: Waiting, above: Html | null = null): string =>
  hostedPage({
    title: `Finish paying with ${of.running.label}`,
    sheet: of.sheet,
    deadline: of.deadline,
    live: { ...of.live, to: of.counter.path },
    refresh: { seconds: lookAgainSecondsCalm, to: of.counter.path, scriptless: true },
    main: html`${above}
<h1>Finish paying with ${of.running.label}</h1>
${soft(`Approve the payment there. Once ${of.running.label} confirms it, this page moves on by itself.`)}
${oneWay(of.counter, of.running.id, `Continue to ${of.running.label}`)}
${otherWays(of)}
${cancelForm(of.counter)}`,
  });

/** The first seconds after the return: the buyer can only wait, for this long. `to` is reloaded. */
export const checkingPage = (of: Waiting & { readonly to: string; readonly waitMs: DurationMs }): string =>
  hostedPage({
    title: 'Checking your payment',
    sheet: of.sheet,
    live: { ...of.live, to: of.to, againMs: of.waitMs },
    refresh: { seconds: lookAgainSeconds, to: of.to, scriptless: true },
    main: html`${turningSign}
${verdict('Checking your payment')}
${soft(`${of.running.label} is confirming it. This takes a few seconds.`)}
<p><b>Please do not pay again.</b></p>`,
  });

/** Still no verdict: the buyer may keep waiting, try again, pay another way, or cancel. */
export const undecidedPage = (
  of: Waiting & { readonly to: string; readonly mayTryAgain: boolean },
  above: Html | null = null,
): string =>
  hostedPage({
    title: `Waiting for ${of.running.label}`,
    sheet: of.sheet,
    deadline: of.deadline,
    live: { ...of.live, to: of.to },
    refresh: { seconds: lookAgainSecondsCalm, to: of.to, scriptless: true },
    main: html`${above}
${turningSign}
${verdict(`Waiting for ${of.running.label}`)}
${soft('There is no answer yet. We keep asking.')}
<p><b>If you have paid, just wait.</b> You need not pay again, and the shop hears of it even if you close
this page.</p>
${of.mayTryAgain ? secondWay(of.counter, of.running.id, 'Not paid? Try again') : null}
${otherWays(of)}
${cancelForm(of.counter)}`,
  });

/** The amounts do not match: a person reviews the payment. Paying again stays possible, but is not offered
 *  first; after the session's end only the link back to the shop remains. */
export const reviewPage = (
  of: Omit<Waiting, 'running'> & {
    readonly running: Waiting['running'] | null;
    readonly shopAddress?: string;
  },
): string =>
  hostedPage({
    title: 'Your payment is under review',
    sheet: of.sheet,
    live: { ...of.live, to: of.counter.path },
    refresh: { seconds: lookAgainSecondsCalm, to: of.counter.path, scriptless: true },
    main: html`${sign('warn', 'eye')}
${verdict('Your payment is under review')}
${soft(
  `${of.running?.label ?? 'The provider'} gave an answer that a person has to look at. The shop is told ` +
    'as soon as it is clear.',
)}
<p><b>Please do not pay again.</b></p>
${
  of.others.length === 0
    ? null
    : html`<details>
<summary>Nothing was paid? Pay another way${glyph('down')}</summary>
${waysList(of.counter, inOrder(of.others, null))}
</details>`
}
${of.shopAddress === undefined ? cancelForm(of.counter) : shopLink(of.shopAddress, of.sheet.shop.name)}`,
  });

/** Shown above the running payment when a sixth attempt was requested. */
export const triesUsedUp = (triesMax: number): Html =>
  notice(
    'No more tries.',
    `All ${triesMax} were used. Finish the running payment, or start again from the shop.`,
  );

export const otherWays = (of: Waiting): Html | null =>
  of.others.length === 0
    ? null
    : html`<h2>Or pay another way</h2>
${waysList(of.counter, inOrder(of.others, null))}`;
