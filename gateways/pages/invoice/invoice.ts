/** The page of an invoice: what is billed, to whom and for which days, and one button; or that it is paid or
 *  cancelled. In the frame of the payment pages, which follow it.
 *  1. Complete without script. Opening the page starts nothing: only its form does. */
import { displayNpr, type Paisa } from '../../../src/kernel/money.ts';
import { iso, type Instant } from '../../../src/kernel/time.ts';
import { glyph } from '../glyphs.ts';
import { hostedPage, plainPage, type Shop } from '../hosted/frame.ts';
import { fact, notice, sign, soft, verdict } from '../hosted/pieces.ts';
import { statusPath } from '../hosted/status.ts';
import { html, type Html } from '../html.ts';
import type { Locale } from '../locale.ts';
import { userText } from '../texts/user-text.ts';
import type { InvoiceTexts } from '../texts/texts.ts';
import { daysOf, numberFact, periodFact, type BilledPeriod } from './period.ts';

export type InvoicePageStatus =
  | { readonly is: 'open' }
  | { readonly is: 'past_due'; readonly since: Instant }
  /** `paymentId` null: the shop has recorded it. */
  | { readonly is: 'paid'; readonly paidAt: Instant; readonly paymentId: string | null }
  | { readonly is: 'voided' };

export interface InvoiceShown extends BilledPeriod {
  readonly shop: Shop;
  readonly sandbox: boolean;
  readonly customerName: string;
  readonly planName: string;
  readonly amount: Paisa;
  /** The period that it pays for, where that was moved after the payment. Its end is the start of the next one. */
  readonly applies: { readonly from: Instant; readonly to: Instant } | null;
  readonly dueAt: Instant;
  readonly pageStatus: InvoicePageStatus;
  /** `/invoice/inv_...`. */
  readonly path: string;
  readonly locale: Locale;
}

/** The form that leads to the payment page. */
export interface InvoiceForm {
  /** The session that it opens, unless one is running. */
  readonly session: string;
  readonly token: string;
}

/** `form` null: no provider of the shop can be paid with now. */
export function invoicePage(invoice: InvoiceShown, form: InvoiceForm | null): string {
  const { shop, sandbox, amount, planName, locale } = invoice;
  return hostedPage({
    title: titleOf(invoice),
    locale,
    sheet: { shop, sandbox, amount, description: planName },
    main: mainOf(invoice, form),
  });
}

const textsOf = ({ locale }: Pick<InvoiceShown, 'locale'>): InvoiceTexts => locale.texts.invoice;

function titleOf(invoice: InvoiceShown): string {
  const { heading, paid, voided } = textsOf(invoice);
  const { is } = invoice.pageStatus;
  return is === 'paid' ? paid[0] : is === 'voided' ? voided[0] : heading(invoice.number ?? '');
}

function mainOf(invoice: InvoiceShown, form: InvoiceForm | null): Html {
  const { pageStatus } = invoice;
  switch (pageStatus.is) {
    case 'open':
      return payable(invoice, form, null);
    case 'past_due':
      return payable(invoice, form, pageStatus.since);
    case 'paid':
      return paid(invoice, pageStatus);
    case 'voided':
      return voided(invoice);
  }
}

function payable(invoice: InvoiceShown, form: InvoiceForm | null, overdueSince: Instant | null): Html {
  return html`${noticeOf(invoice, form !== null, overdueSince)}
<h1>${textsOf(invoice).heading(invoice.number ?? '')}</h1>
${factsOf(invoice, [])}
${form === null ? lookAgain(invoice) : formOf(invoice, form)}`;
}

function noticeOf(invoice: InvoiceShown, hasWay: boolean, overdueSince: Instant | null): Html | null {
  const { overdue, noWay } = textsOf(invoice);
  if (overdueSince === null) return hasWay ? null : notice(...noWay);
  const [what, then] = overdue(invoice.locale.texts.times.date(overdueSince));
  return notice(what, hasWay ? then : noWay.join(' '));
}

function formOf(invoice: InvoiceShown, { session, token }: InvoiceForm): Html {
  const { pay, byHand } = textsOf(invoice);
  return html`<form method="post" action="${invoice.path}">
<input type="hidden" name="session" value="${session}"><input type="hidden" name="token" value="${token}">
<button class="button" type="submit">${pay}${glyph('arrow')}</button>
</form>
<p class="soft small next">${byHand}</p>`;
}

const lookAgain = ({ path, locale }: InvoiceShown): Html =>
  html`<a class="button second" href="${path}">${locale.texts.link.lookAgain}</a>`;

function paid(
  invoice: InvoiceShown,
  { paidAt, paymentId }: Extract<InvoicePageStatus, { is: 'paid' }>,
): Html {
  const { texts } = invoice.locale;
  const { facts, paid, paidByHand } = textsOf(invoice);
  const at = html`<time datetime="${iso(paidAt)}">${texts.times.moment(paidAt)}</time>`;
  const more = [
    fact(texts.common.facts.amountPaid, displayNpr(invoice.amount)),
    fact(facts.paidOn, at),
    ...(paymentId === null ? [] : [fact(facts.payment, html`<bdi class="code">${paymentId}</bdi>`)]),
  ];
  return html`${sign('good', 'check')}
${verdict(paid[0])}
${soft(paid[1])}
${paymentId === null ? soft(paidByHand) : null}
${factsOf(invoice, more)}
${paymentId === null ? null : statusLink(paymentId, invoice.locale)}`;
}

/** The public status of its payment. */
const statusLink = (paymentId: string, { texts }: Locale): Html => html`<a class="button second"
href="${statusPath}?query=${paymentId}">${texts.hosted.review.seeStatus}</a>`;

function voided(invoice: InvoiceShown): Html {
  const [title, then] = textsOf(invoice).voided;
  return html`${sign('plain', 'halt')}
${verdict(title)}
${soft(then)}
${factsOf(invoice, [])}`;
}

function factsOf(invoice: InvoiceShown, more: readonly Html[]): Html {
  const { pageStatus, number, customerName, dueAt, applies, locale } = invoice;
  const { facts } = textsOf(invoice);
  const { date } = locale.texts.times;
  const isPayable = pageStatus.is === 'open' || pageStatus.is === 'past_due';
  return html`<dl class="facts">
${isPayable || number === null ? null : numberFact(number, locale)}
${fact(facts.customer, userText(customerName))}
${periodFact(invoice, locale)}
${applies === null ? null : fact(facts.appliesTo, daysOf(applies.from, applies.to, locale))}
${pageStatus.is === 'paid' ? null : fact(facts.due, html`<time datetime="${iso(dueAt)}">${date(dueAt)}</time>`)}
${more}
</dl>`;
}

/** 404: no such invoice, or one that has not opened. */
export function unknownInvoicePage(locale: Locale): string {
  const [title, then] = locale.texts.invoice.unknown;
  return plainPage({
    title,
    locale,
    main: html`${sign('plain', 'note')}
<h1>${title}</h1>
${soft(then)}`,
  });
}
