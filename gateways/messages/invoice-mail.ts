/** The mail about one invoice to its customer. A customer has no language, so it says everything in English and in
 *  Nepali. */
import type { InvoiceNotice, Language, Written } from '../../actors/message/messages.ts';
import { displayNpr } from '../../src/kernel/money.ts';
import { shortened } from '../../src/kernel/text.ts';
import { invoicePathOf } from '../pages/invoice/path.ts';
import { invoiceTexts } from './invoice-texts.ts';
import type { Fact, MailPart } from './mail-page.ts';
import { line, writtenMail } from './mail.ts';
import { shopCharactersMax, type About } from './written.ts';

const planCharactersMax = 100;

export function invoiceMail(notice: InvoiceNotice, to: string, about: About): Written {
  const { cause, number, amount } = notice;
  const kinds = [...new Set([invoiceTexts.en.subject[cause], invoiceTexts.ne.subject[cause]])].join(' / ');
  return writtenMail(to, {
    subject: `${kinds}: ${number}, ${displayNpr(amount)}`,
    parts: [partIn('en', notice, about), partIn('ne', notice, about)],
  });
}

function partIn(language: Language, notice: InvoiceNotice, { merchant, livemode, baseUrl }: About): MailPart {
  const texts = invoiceTexts[language];
  const { labels } = texts;
  const facts: readonly Fact[] = [
    { label: labels.amount, value: displayNpr(notice.amount), main: true },
    { label: labels.purpose, value: shortened(line(notice.planName), planCharactersMax) },
    { label: labels.number, value: notice.number },
    { label: labels.period, value: periodIn(texts, notice) },
    { label: labels.due, value: texts.day(notice.dueAt) },
  ];
  return {
    language,
    headline: texts.headline(notice.cause, shortened(line(merchant.name), shopCharactersMax)),
    facts,
    link: { label: texts.pay, url: `${baseUrl}${invoicePathOf(notice.invoiceId)}` },
    notes: [texts.byHand, texts.questions],
    warning: livemode ? null : texts.sandbox,
  };
}

/** A period ends when the next one begins: its last day is the one before that moment. */
function periodIn(texts: (typeof invoiceTexts)[Language], { periodStart, periodEnd }: InvoiceNotice): string {
  const [first, last] = [texts.day(periodStart), texts.day(periodEnd - 1)];
  return first === last ? first : texts.days(first, last);
}
