/** The public status of a payment as a page, for a buyer who has lost the tab: the search, and its result.
 *  Works without script; a result that may change loads itself again. */
import type { PublicStatus } from '../../status/answer.ts';
import type { StatusCode } from '../../status/status-codes.ts';
import { glyph, type Glyph } from '../glyphs.ts';
import { html, type Html } from '../html.ts';
import type { Locale } from '../locale.ts';
import type { Pair } from '../texts/texts.ts';
import { clockText, numberText } from './words.ts';
import { hostedPage, plainPage } from './frame.ts';
import { fact, notice, sign, soft, turningSign, verdict } from './pieces.ts';

export const statusPath = '/status';

/** Why there is no result. */
export type NoResult = 'too_short' | 'too_long' | 'not_found' | 'ambiguous';

/** `sent`: what the buyer typed; `why`: null before anything was asked for. */
export function statusSearchPage(sent: string, why: NoResult | null, locale: Locale): string {
  const { title, purpose, field, show, problems } = locale.texts.status;
  return plainPage({
    title,
    locale,
    main: html`${why === null ? sign('plain', 'list') : notice(...problems[why])}
<h1>${title}</h1>
${soft(purpose)}
<form method="get" action="${statusPath}" role="search">
<fieldset>
<label class="field">${field}
<input name="query" value="${sent}" required minlength="3" maxlength="120" autocomplete="off"
autocapitalize="off" autocorrect="off" spellcheck="false"></label>
</fieldset>
<button class="button" type="submit">${show}${glyph('arrow')}</button>
</form>`,
  });
}

const signs: Readonly<Record<StatusCode, readonly [tone: 'good' | 'bad' | 'warn' | 'plain', Glyph] | null>> =
  {
    awaiting_payment: ['plain', 'clock'],
    // the spinner
    processing: null,
    under_review: ['warn', 'eye'],
    paid: ['good', 'check'],
    partially_refunded: ['good', 'check'],
    refunded: ['plain', 'back'],
    failed: ['bad', 'cross'],
    cancelled: ['plain', 'halt'],
    expired: ['plain', 'clock'],
  };

/** A payment link that is not one payment has its own words. */
function statusTexts({ lookup, status }: PublicStatus, { texts }: Locale): Pair {
  const ofLinks: { readonly [code in StatusCode]?: Pair } =
    lookup.type === 'payment_link' ? texts.link.publicStatuses : {};
  return ofLinks[status.code] ?? texts.status.publicStatuses[status.code];
}

/** `payPath`: the payment page, for a buyer who named the session and may still pay it. */
export function statusPage(found: PublicStatus, now: number, payPath: string | null, locale: Locale): string {
  const { status, merchant, amount, mode } = found;
  const { common, status: texts } = locale.texts;
  const [label, summary] = statusTexts(found, locale);
  const drawn = signs[status.code];
  return hostedPage({
    title: label,
    locale,
    sheet: { shop: merchant, sandbox: mode === 'sandbox', amount: amount?.value ?? null, description: null },
    ...(status.autoRefresh ? { refresh: { seconds: status.refreshIntervalMs / 1000 } } : {}),
    main: html`${drawn === null ? turningSign : sign(...drawn)}
${verdict(label)}
${soft(summary)}
${factsOf(found, locale)}
${payPath === null ? null : html`<a class="button" href="${payPath}">${common.openPayment}${glyph('arrow')}</a>`}
<a class="button second" href="${statusPath}">${texts.another}</a>
${status.autoRefresh ? lookedAt(now, status.refreshIntervalMs / 1000, locale) : null}`,
  });
}

const lookedAt = (now: number, seconds: number, { texts: { status, times } }: Locale): Html =>
  html`<p class="soft small next">${status.asOf(clockText(now, now, times))}
${status.looksAgain(numberText(seconds, times))}</p>`;

function factsOf(found: PublicStatus, { texts }: Locale): Html {
  const { provider, payment, session, references, merchant, updatedAt } = found;
  const { orderId, linkReferenceId, providerRef } = references;
  const { facts } = texts.status;
  const at = texts.times.moment(Date.parse(updatedAt));
  return html`<dl class="facts">
${provider === null ? null : fact(facts.provider, provider.label)}
${fact(facts.lastChange, html`<time datetime="${updatedAt}">${at}</time>`)}
${orderId === null ? null : fact(facts.orderNumber, codeOf(orderId))}
${session === null || session.referenceId === null ? null : fact(facts.shopReference, codeOf(session.referenceId))}
${linkReferenceId === null ? null : fact(facts.linkReference, codeOf(linkReferenceId))}
${payment === null ? null : fact(facts.paymentId, codeOf(payment.id))}
${providerRef === null ? null : fact(facts.providerReference(provider?.label ?? null), codeOf(providerRef))}
${merchant.verified ? fact(facts.shop, facts.verified) : null}
</dl>`;
}

const codeOf = (text: string): Html => html`<bdi class="code">${text}</bdi>`;
