/** The sandbox's thank-you page: where the buyer of an example returns to while there is no shop.
 *  Boundary: a model in, a document out.
 *  1. The payment's result is the session's state; the claim in the address is shown beside it, as a claim. */
import type { sessionStatuses } from '../../http/schemas/checkout.ts';
import { iso, type Instant } from '../../../src/kernel/time.ts';
import { glyph, type Glyph } from '../glyphs.ts';
import { html, type Html } from '../html.ts';
import type { EndedPayment } from '../hosted/ended.ts';
import { hostedPage, plainPage, type PageOrder } from '../hosted/frame.ts';
import { fact, notice, sign, soft } from '../hosted/pieces.ts';
import type { Locale } from '../locale.ts';
import type { ThanksTexts } from '../texts/texts.ts';
import { place, testPaymentForm } from './start.ts';

export interface Thanks {
  readonly locale: Locale;
  readonly sheet: PageOrder;
  readonly sessionId: string;
  /** The session's status. */
  readonly status: (typeof sessionStatuses)[number];
  readonly needsReview: boolean;
  /** The claim in the address: `status` of its query; '' when there is none. */
  readonly claimed: string;
  /** The payment that succeeded, or the last attempt; null when there was none. */
  readonly payment: EndedPayment | null;
  /** Its address in the dashboard. */
  readonly dashboard: string;
  /** Public address of the service. */
  readonly service: string;
  /** Address of the guide to receiving webhooks; null: the documentation is not available. */
  readonly webhookGuide: string | null;
  /** null: no test payment is offered here. */
  readonly testPayment: { readonly token: string } | null;
}

type Tone = 'good' | 'bad' | 'warn' | 'plain';
const signs: Readonly<Record<keyof ThanksTexts['ends'], readonly [Tone, Glyph]>> = {
  open: ['plain', 'clock'],
  review: ['warn', 'eye'],
  success: ['good', 'check'],
  failed: ['bad', 'cross'],
  cancelled: ['plain', 'halt'],
  expired: ['plain', 'clock'],
};

function endOf({ status, needsReview }: Thanks): keyof ThanksTexts['ends'] {
  if (needsReview && status !== 'success') return 'review';
  return status === 'pending' || status === 'initiated' ? 'open' : status;
}

export function thanksPage(of: Thanks): string {
  const { locale } = of;
  const texts = locale.texts.thanks;
  const end = endOf(of);
  const [title, text] = texts.ends[end];
  return hostedPage({
    title,
    locale,
    sheet: of.sheet,
    main: html`${doubt(of)}
${sign(...signs[end])}
<h1>${title}</h1>
${soft(text)}
${isOpen(of) ? openPayment(of) : null}
${facts(of)}
<p class="soft small">${texts.standsIn}</p>
${of.testPayment === null ? null : testPaymentForm(of.testPayment.token, texts.another)}`,
    below: html`<aside class="slip lone next" aria-labelledby="next"><div class="act">
<h2 id="next">${texts.next}</h2>
${nextSteps(of)}
</div></aside>`,
  });
}

const isOpen = ({ status }: Thanks): boolean => status === 'pending' || status === 'initiated';

/** The claim in the address differs from the session's state. */
function doubt({ claimed, status, locale }: Thanks): Html | null {
  const { notRight, believe } = locale.texts.thanks;
  return claimed === '' || claimed === status ? null : notice(notRight, believe(claimed, status));
}

const openPayment = ({ sessionId, locale }: Thanks): Html => html`<a class="button"
href="/pay/${sessionId}">${locale.texts.common.openPayment}${glyph('arrow')}</a>`;

function facts({ sessionId, status, claimed, payment, locale }: Thanks): Html {
  const { common, thanks, times } = locale.texts;
  const paidAt = payment?.paidAt ?? null;
  const paidWith = status === 'success' ? common.facts.paidWith : common.facts.lastTriedWith;
  return html`<dl class="facts">
${fact(thanks.facts.addressSays, claimed === '' ? thanks.facts.nothing : code(claimed))}
${fact(thanks.facts.sessionSays, code(status))}
${payment === null ? null : fact(paidWith, payment.label)}
${paidAt === null ? null : fact(common.facts.paidOn, timeOf(paidAt, times.moment(paidAt)))}
${fact(thanks.facts.session, code(sessionId))}
${payment === null ? null : fact(thanks.facts.payment, code(payment.id))}
</dl>`;
}

const timeOf = (at: Instant, text: string): Html => html`<time datetime="${iso(at)}">${text}</time>`;
const code = (text: string): Html => html`<span class="code">${text}</span>`;

function nextSteps({ sessionId, dashboard, service, webhookGuide, locale }: Thanks): Html {
  const texts = locale.texts.thanks;
  return html`<div class="pair"><div>
<ul class="ways">
${place(dashboard, 'list', ...texts.dashboard)}
${webhookGuide === null ? null : place(webhookGuide, 'book', ...texts.webhook)}
${place('/', 'till', ...texts.start)}
</ul></div><div>
<p class="small">${texts.inTerminal}</p>
<p class="line"><code>${`node docs/guides/receive-webhooks.mjs ${service}`}</code></p>
<p class="small">${texts.withKey}</p>
<p class="line"><code>${`curl -s ${service}/v1/checkout/${sessionId} \\\n  -H "Authorization: Bearer $KEY"`}</code></p>
</div></div>`;
}

/** The address names no session, or no sandbox session. */
export function nobodysThanksPage(locale: Locale): string {
  const { title, what, toStart } = locale.texts.thanks.nobody;
  return plainPage({
    title,
    locale,
    main: html`${sign('plain', 'till')}
<h1>${title}</h1>
${soft(what)}
<a class="button" href="/">${toStart}${glyph('arrow')}</a>`,
    foot: html``,
  });
}
