/** The public status of a payment as a page, for a buyer who has lost the tab: the search, and its result.
 *  Works without script; a result that may change loads itself again. */
import type { PublicStatus } from '../../status/answer.ts';
import type { StandingCode } from '../../status/standing.ts';
import { glyph, type Glyph } from '../glyphs.ts';
import { html, type Html } from '../html.ts';
import { clockText, momentText } from './words.ts';
import { hostedPage, plainPage } from './frame.ts';
import { fact, notice, sign, soft, turningSign, verdict } from './pieces.ts';

export const statusPath = '/status';

/** Why there is no result. */
export type NoResult = 'too_short' | 'too_long' | 'not_found' | 'ambiguous';

const problems: Readonly<Record<NoResult, readonly [what: string, then: string]>> = {
  too_short: ['That is too short.', 'A reference has at least 3 characters.'],
  too_long: ['That is too long.', 'A reference has at most 120 characters.'],
  not_found: [
    'We found no payment with this reference.',
    'Check each character. Order numbers are found for six months.',
  ],
  ambiguous: [
    'More than one shop uses this reference.',
    'Enter the payment id instead. It begins with pay_, and the page after the payment shows it.',
  ],
};

/** `sent`: what the buyer typed; `why`: null before anything was asked for. */
export const statusSearchPage = (sent: string, why: NoResult | null): string =>
  plainPage({
    title: 'Find your payment',
    main: html`${why === null ? sign('plain', 'list') : notice(...problems[why])}
<h1>Find your payment</h1>
${soft('See whether a payment was received, without the page you paid on.')}
<form method="get" action="${statusPath}" role="search">
<fieldset>
<label class="field">Order number, payment id or the provider's reference
<input name="query" value="${sent}" required minlength="3" maxlength="120" autocomplete="off"
autocapitalize="off" autocorrect="off" spellcheck="false"></label>
</fieldset>
<button class="button" type="submit">Show the payment${glyph('arrow')}</button>
</form>`,
  });

const signs: Readonly<
  Record<StandingCode, readonly [tone: 'good' | 'bad' | 'warn' | 'plain', Glyph] | null>
> = {
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

/** `payPath`: the payment page, for a buyer who named the session and may still pay it. */
export function statusPage(found: PublicStatus, now: number, payPath: string | null): string {
  const { status, merchant, amount, mode } = found;
  const drawn = signs[status.code];
  return hostedPage({
    title: status.label,
    sheet: { shop: merchant, sandbox: mode === 'sandbox', amount: amount.value, description: null },
    ...(status.autoRefresh ? { refresh: { seconds: status.refreshIntervalMs / 1000 } } : {}),
    main: html`${drawn === null ? turningSign : sign(...drawn)}
${verdict(status.label)}
${soft(status.summary)}
${factsOf(found)}
${payPath === null ? null : html`<a class="button" href="${payPath}">Open the payment page${glyph('arrow')}</a>`}
<a class="button second" href="${statusPath}">Find another payment</a>
${status.autoRefresh ? lookedAt(now, status.refreshIntervalMs / 1000) : null}`,
  });
}

const lookedAt = (now: number, seconds: number): Html =>
  html`<p class="soft small next">As of ${clockText(now, now)}, Nepal time.
This page looks again every ${seconds} seconds.</p>`;

function factsOf({ provider, payment, session, references, merchant, updatedAt }: PublicStatus): Html {
  const { orderId, providerRef } = references;
  const ofProvider = `${provider?.label ?? 'Provider'} reference`;
  const at = Date.parse(updatedAt);
  return html`<dl class="facts">
${provider === null ? null : fact('Provider', provider.label)}
${fact('Last change', html`<time datetime="${updatedAt}">${momentText(at)}</time>`)}
${orderId === null ? null : fact('Order number', codeOf(orderId))}
${session.referenceId === null ? null : fact('Shop reference', codeOf(session.referenceId))}
${payment === null ? null : fact('Payment id', codeOf(payment.id))}
${providerRef === null ? null : fact(ofProvider, codeOf(providerRef))}
${merchant.verified ? fact('Shop', 'Verified') : null}
</dl>`;
}

const codeOf = (text: string): Html => html`<bdi class="code">${text}</bdi>`;
