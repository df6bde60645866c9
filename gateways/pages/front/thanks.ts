/** The sandbox's thank-you page: where the buyer of an example returns to while there is no shop.
 *  Boundary: a model in, a document out.
 *  1. The payment's result is the session's state; the claim in the address is shown beside it, as a claim. */
import { iso } from '../../../src/kernel/time.ts';
import { glyph, type Glyph } from '../glyphs.ts';
import { html, type Html } from '../html.ts';
import type { EndedPayment } from '../hosted/ended.ts';
import { hostedPage, plainPage, type PageOrder } from '../hosted/frame.ts';
import { notice, sign, soft } from '../hosted/pieces.ts';
import { momentText } from '../hosted/words.ts';
import { place, testPaymentForm } from './start.ts';

export type Standing = 'pending' | 'initiated' | 'success' | 'failed' | 'cancelled' | 'expired';

export interface Thanks {
  readonly sheet: PageOrder;
  readonly sessionId: string;
  /** The session's status. */
  readonly status: Standing;
  readonly needsReview: boolean;
  /** The claim in the address: `status` of its query; '' when there is none. */
  readonly said: string;
  /** The payment that succeeded, or the last attempt; null when there was none. */
  readonly payment: EndedPayment | null;
  /** Its address in the dashboard. */
  readonly dashboard: string;
  /** Its address in the API. */
  readonly api: string;
  /** Address of the guide to receiving webhooks; null: the documentation is not available. */
  readonly webhookGuide: string | null;
  /** null: no test payment is offered here. */
  readonly testPayment: { readonly token: string } | null;
}

interface Words {
  readonly title: string;
  readonly tone: 'good' | 'bad' | 'warn' | 'plain';
  readonly sign: Glyph;
  readonly text: string;
}

const open: Words = {
  title: 'Not paid yet',
  tone: 'plain',
  sign: 'clock',
  text: 'The payment page is still open. No money has been seen so far.',
};

const words: Readonly<Record<Standing, Words>> = {
  pending: open,
  initiated: open,
  success: {
    title: 'Thank you, it is paid',
    tone: 'good',
    sign: 'check',
    text: 'The provider has confirmed the money. A shop would now pack the order.',
  },
  failed: {
    title: 'The payment failed',
    tone: 'bad',
    sign: 'cross',
    text: 'Nothing was paid. A shop would offer another try.',
  },
  cancelled: {
    title: 'The payment was cancelled',
    tone: 'plain',
    sign: 'halt',
    text: 'Nothing was paid. A shop would show the basket again.',
  },
  expired: {
    title: 'The time to pay is over',
    tone: 'plain',
    sign: 'clock',
    text: 'Nothing was paid in time. A shop would offer to start again.',
  },
};

const review: Words = {
  title: 'The payment is under review',
  tone: 'warn',
  sign: 'eye',
  text: 'The provider gave an answer that settles nothing. A shop waits before it ships.',
};

export function thanksPage(of: Thanks): string {
  const {
    title,
    tone,
    sign: glyphName,
    text,
  } = of.needsReview && of.status !== 'success' ? review : words[of.status];
  return hostedPage({
    title,
    sheet: of.sheet,
    main: html`${doubt(of)}
${sign(tone, glyphName)}
<h1>${title}</h1>
${soft(text)}
${isOpen(of) ? openPayment(of.sessionId) : null}
${facts(of)}
<p class="soft small">This page of the sandbox stands in for your shop's own. An address proves nothing, anybody can
type one: so it asked the session.</p>
${of.testPayment === null ? null : testPaymentForm(of.testPayment.token, 'Make another test payment')}`,
    below: html`<aside class="slip lone next" aria-labelledby="next"><div class="act">
<h2 id="next">What next</h2>
${nextSteps(of)}
</div></aside>`,
  });
}

const isOpen = ({ status }: Thanks): boolean => status === 'pending' || status === 'initiated';

/** The claim in the address differs from the session's state. */
const doubt = ({ said, status }: Thanks): Html | null =>
  said === '' || said === status
    ? null
    : notice(
        'The address is not right.',
        `It says “${said}”, the session says “${status}”. Believe the session.`,
      );

const openPayment = (
  sessionId: string,
): Html => html`<a class="button" href="/pay/${sessionId}">Open the payment
page${glyph('arrow')}</a>`;

const facts = ({ sessionId, status, said, payment }: Thanks): Html => html`<dl class="facts">
${fact('The address says', said === '' ? 'nothing' : code(said))}
${fact('The session says', code(status))}
${payment === null ? null : fact(status === 'success' ? 'Paid with' : 'Last tried with', payment.label)}
${paidOn(payment)}
${fact('Session', code(sessionId))}
${payment === null ? null : fact('Payment', code(payment.id))}
</dl>`;

const paidOn = (payment: EndedPayment | null): Html | null =>
  payment === null || payment.paidAt === null
    ? null
    : fact('Paid on', html`<time datetime="${iso(payment.paidAt)}">${momentText(payment.paidAt)}</time>`);

const code = (text: string): Html => html`<span class="code">${text}</span>`;
const fact = (name: string, value: string | Html): Html => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

const nextSteps = ({ dashboard, api, webhookGuide }: Thanks): Html => html`<div class="pair"><div>
<ul class="ways">
${place(dashboard, 'list', 'See it in the dashboard', 'With all that was asked and answered on the way.')}
${
  webhookGuide === null
    ? null
    : place(webhookGuide, 'book', 'Receive the webhook', 'That is how your server learns of it.')
}
${place('/', 'till', 'Start page', 'The simulator, its test buyers, and more.')}
</ul></div><div>
<p class="small">In a terminal, in the folder of the project, this prints each webhook as it comes:</p>
<p class="line"><code>node docs/guides/receive-webhooks.mjs</code></p>
<p class="small">Your server reads the session with its secret key:</p>
<p class="line"><code>${`curl -s ${api} \\\n  -H "Authorization: Bearer $KEY"`}</code></p>
</div></div>`;

/** The address names no session, or no sandbox session. */
export const nobodysThanksPage = (): string =>
  plainPage({
    title: 'The sandbox’s thank-you page',
    main: html`${sign('plain', 'till')}
<h1>The sandbox’s thank-you page</h1>
${soft(
  'Buyers of test payments come back here when returnUrl names this page. This address names no sandbox session ' +
    'we know.',
)}
<a class="button" href="/">Go to the start page${glyph('arrow')}</a>`,
    foot: html``,
  });
