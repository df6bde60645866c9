/** The page of a payment link: what is sold, an amount if the buyer chooses it, and one button; or why nobody
 *  can pay by it now. In the frame of the payment pages, which follow it.
 *  1. Complete without script. Opening the page starts nothing: only its form does. */
import type { LinkStatus } from '../../../actors/payment-link/messages.ts';
import { displayNpr, type Paisa } from '../../../src/kernel/money.ts';
import { iso, type Instant } from '../../../src/kernel/time.ts';
import { glyph, type Glyph } from '../glyphs.ts';
import { hostedPage, plainPage, type Shop } from '../hosted/frame.ts';
import { notice, sign, soft } from '../hosted/pieces.ts';
import { clockText } from '../hosted/words.ts';
import { html, type Html } from '../html.ts';
import type { Locale } from '../locale.ts';
import { plain } from '../../../src/kernel/text.ts';
import { userText } from '../texts/user-text.ts';

/** What the shop says of it. */
export interface LinkShown {
  readonly shop: Shop;
  readonly sandbox: boolean;
  readonly name: string;
  readonly description: string | null;
  /** null: the buyer enters one between the bounds. */
  readonly amount: Paisa | null;
  readonly minAmount: Paisa;
  readonly maxAmount: Paisa;
  readonly expiresAt: Instant | null;
  readonly now: Instant;
  /** `/link/PL-...`. */
  readonly path: string;
  readonly locale: Locale;
}

/** What is wrong with the amount that was entered. */
export type AmountProblem = 'missing' | 'unreadable' | 'outside';

export interface LinkForm {
  /** The session that the form opens. */
  readonly session: string;
  readonly token: string;
  readonly entered: string;
  readonly problem: AmountProblem | null;
}

/** A buyer can type more than any amount has. */
export const amountCharactersMax = 30;

export const linkPage = (link: LinkShown, form: LinkForm): string =>
  framed(
    link,
    plain(link.name),
    html`${form.problem === null ? null : problemOf(link, form.problem)}
<h1>${link.amount === null ? link.locale.texts.link.amount.heading : userText(link.name)}</h1>
${link.description === null ? null : soft(userText(link.description))}
<form method="post" action="${link.path}">
<input type="hidden" name="session" value="${form.session}"><input type="hidden" name="token"
value="${form.token}">
${link.amount === null ? amountField(link, form) : null}
<button class="button" type="submit">${link.locale.texts.link.proceed}${glyph('arrow')}</button>
</form>
${link.expiresAt === null ? null : untilOf(link, link.expiresAt)}`,
    // where the heading asks for the amount, the name stands in its place
    link.amount === null ? link.name : null,
  );

const bounds = ({ minAmount, maxAmount }: LinkShown): readonly [string, string] => [
  displayNpr(minAmount),
  displayNpr(maxAmount),
];

function problemOf(link: LinkShown, problem: AmountProblem): Html {
  const { problems } = link.locale.texts.link.amount;
  return notice(...(problem === 'outside' ? problems.outside(...bounds(link)) : problems[problem]), 'bad');
}

function amountField(link: LinkShown, { entered }: LinkForm): Html {
  const { label, between } = link.locale.texts.link.amount;
  return html`<fieldset>
<label class="field"><span>${label}</span>
<input name="amount" value="${entered}" inputmode="decimal" autocomplete="off" required
maxlength="${amountCharactersMax}"><span class="soft">${between(...bounds(link))}</span></label>
</fieldset>`;
}

function untilOf({ locale: { texts }, now }: LinkShown, at: Instant): Html {
  const clock = html`<time datetime="${iso(at)}">${clockText(at, now, texts.times)}</time>`;
  return html`<p class="soft small next">${texts.link.until(clock)}</p>`;
}

/** Why a link cannot be paid now. `reserved`: every use that is left is being paid. `noWay`: the shop has no
 *  provider switched on. */
export type Closed = Exclude<LinkStatus, 'active'> | 'reserved' | 'noWay';

const signs: Readonly<Record<Closed, readonly [tone: 'good' | 'warn' | 'plain', Glyph]>> = {
  inactive: ['plain', 'halt'],
  expired: ['plain', 'clock'],
  completed: ['plain', 'check'],
  reserved: ['warn', 'clock'],
  noWay: ['warn', 'note'],
};

export function closedLinkPage(link: LinkShown, why: Closed): string {
  const { link: texts, hosted } = link.locale.texts;
  const [title, then] = why === 'noWay' ? hosted.chooser.noWay : texts.closed[why];
  return framed(
    link,
    title,
    html`${sign(...signs[why])}
<h1>${title}</h1>
${soft(then)}
${why === 'reserved' || why === 'noWay' ? lookAgain(link.path, link.locale) : null}`,
    link.name,
  );
}

const lookAgain = (path: string, { texts }: Locale): Html =>
  html`<a class="button second" href="${path}">${texts.link.lookAgain}</a>`;

/** 404: no such link. */
export function unknownLinkPage(locale: Locale): string {
  const [title, then] = locale.texts.link.unknown;
  return plainPage({
    title,
    locale,
    main: html`${sign('plain', 'note')}
<h1>${title}</h1>
${soft(then)}`,
  });
}

/** `description`: below the amount, where the main part does not say what is sold. */
const framed = (
  { shop, sandbox, amount, locale }: LinkShown,
  title: string,
  main: Html,
  description: string | null = null,
): string => hostedPage({ title, locale, sheet: { shop, sandbox, amount, description }, main });
