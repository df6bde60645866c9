/** After the end: what came of it, and the way back to the shop. */
import { displayNpr } from '../../../src/kernel/money.ts';
import { iso, type Instant } from '../../../src/kernel/time.ts';
import { glyph, type Glyph } from '../glyphs.ts';
import { html, type Html } from '../html.ts';
import { hostedPage, type Sheet } from './frame.ts';
import { shopLink } from './ways.ts';
import { momentText, said } from './words.ts';

export type End = 'success' | 'failed' | 'cancelled' | 'expired';

export interface Ended {
  readonly sheet: Sheet;
  readonly end: End;
  /** Where the shop waits for the buyer. */
  readonly shopAddress: string;
  /** The payment that paid, or the last one tried; null when there was none. */
  readonly payment: { readonly id: string; readonly label: string; readonly at: Instant | null } | null;
  /** Whether a payment of this session was sent to a provider: its money may still come. */
  readonly moneyMayCome: boolean;
}

interface Words {
  readonly title: string;
  readonly tone: 'good' | 'bad' | 'plain';
  readonly sign: Glyph;
  readonly text: (of: Ended) => Html;
}

const ends: Readonly<Record<End, Words>> = {
  success: {
    title: 'Payment received', tone: 'good', sign: 'check',
    text: (of) => html`<p class="soft">Thank you. ${said(of.sheet.shop.name)} has been told.</p>`,
  },
  failed: {
    title: 'Payment not completed', tone: 'bad', sign: 'cross',
    text: () => html`<p class="soft">It could not be paid this time. Start again from the shop.</p>`,
  },
  cancelled: {
    title: 'Payment cancelled', tone: 'plain', sign: 'halt',
    text: () => html`<p class="soft">Nothing more happens here. Start again from the shop whenever you like.</p>`,
  },
  expired: {
    title: 'This payment session has expired', tone: 'plain', sign: 'clock',
    text: () => html`<p class="soft">Start again from the shop.</p>`,
  },
};

/** The last page of a session; it stays the same however often it is opened, unless late money comes. */
export function endedPage(of: Ended): string {
  const words = ends[of.end];
  return hostedPage({
    title: words.title,
    sheet: of.sheet,
    main: html`<div class="sign ${words.tone}">${glyph(words.sign)}</div><div role="status"><h1>${words.title}</h1></div>
${words.text(of)}${of.end !== 'success' && of.moneyMayCome ? lateMoney : null}
${of.payment === null ? null : factsOf(of, of.payment)}${shopLink(of.shopAddress, of.sheet.shop.name)}`,
  });
}

const lateMoney = html`<p class="soft">If you did pay, do not pay again: we keep asking the provider, and the shop is told
when the money is confirmed.</p>`;

const factsOf = (of: Ended, payment: NonNullable<Ended['payment']>): Html => html`<dl class="facts">
${of.end !== 'success' ? null : html`<div><dt>Amount paid</dt><dd>${displayNpr(of.sheet.amount)}</dd></div>`}
<div><dt>${of.end === 'success' ? 'Paid with' : 'Last tried with'}</dt><dd>${payment.label}</dd></div>
${payment.at === null ? null : html`<div><dt>Paid on</dt><dd><time datetime="${iso(payment.at)}">${
    momentText(payment.at)}</time></dd></div>`}
<div><dt>Reference</dt><dd class="code">${payment.id}</dd></div>
</dl>`;
