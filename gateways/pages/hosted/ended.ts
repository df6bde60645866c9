/** After the end: the result, and the link back to the shop. */
import { displayNpr } from '../../../src/kernel/money.ts';
import { iso, type Instant } from '../../../src/kernel/time.ts';
import type { Glyph } from '../glyphs.ts';
import { html, type Html } from '../html.ts';
import { hostedPage, type PageOrder } from './frame.ts';
import { fact, sign, soft, verdict } from './pieces.ts';
import { shopLink } from './ways.ts';
import { momentText, said } from './words.ts';

export type End = 'success' | 'failed' | 'cancelled' | 'expired';

/** The payment that succeeded, or the last attempt. */
export interface EndedPayment {
  readonly id: string;
  readonly label: string;
  readonly paidAt: Instant | null;
}

export interface Ended {
  readonly sheet: PageOrder;
  readonly end: End;
  /** The shop's address for the buyer's return. */
  readonly shopAddress: string;
  /** null when there was no attempt. */
  readonly payment: EndedPayment | null;
  /** Whether a payment of this session was opened at a provider: its money may still arrive. */
  readonly moneyMayCome: boolean;
}

interface Words {
  readonly title: string;
  readonly tone: 'good' | 'bad' | 'plain';
  readonly sign: Glyph;
  readonly text: string | null;
}

const ends: Readonly<Record<End, Words>> = {
  success: { title: 'Payment received', tone: 'good', sign: 'check', text: null },
  failed: {
    title: 'Payment not completed',
    tone: 'bad',
    sign: 'cross',
    text: 'It could not be paid this time. Start again from the shop.',
  },
  cancelled: {
    title: 'Payment cancelled',
    tone: 'plain',
    sign: 'halt',
    text: 'Nothing more happens here. Start again from the shop whenever you like.',
  },
  expired: {
    title: 'This payment session has expired',
    tone: 'plain',
    sign: 'clock',
    text: 'Start again from the shop.',
  },
};

/** The last page of a session; it stays the same however often it is opened, unless late money arrives. */
export function endedPage(of: Ended): string {
  const { title, tone, sign: glyph, text } = ends[of.end];
  const { name } = of.sheet.shop;
  return hostedPage({
    title,
    sheet: of.sheet,
    main: html`${sign(tone, glyph)}
${verdict(title)}
${text === null ? html`<p class="soft">Thank you. ${said(name)} has been told.</p>` : soft(text)}
${of.end !== 'success' && of.moneyMayCome ? soft(lateMoney) : null}
${of.payment === null ? null : factsOf(of, of.payment)}
${shopLink(of.shopAddress, name)}`,
  });
}

const lateMoney =
  'If you did pay, do not pay again: we keep asking the provider, and the shop is told ' +
  'when the money is confirmed.';

const factsOf = ({ sheet, end }: Ended, { id, label, paidAt }: EndedPayment): Html => html`<dl class="facts">
${end === 'success' ? fact('Amount paid', displayNpr(sheet.amount)) : null}
${fact(end === 'success' ? 'Paid with' : 'Last tried with', label)}
${paidAt === null ? null : fact('Paid on', html`<time datetime="${iso(paidAt)}">${momentText(paidAt)}</time>`)}
${fact('Reference', html`<span class="code">${id}</span>`)}
</dl>`;
