/** The sentences of invoices' mails in both languages. Pure: names and amounts are inserted as they are. */
import type { InvoiceNotice, Language } from '../../actors/message/messages.ts';
import type { Instant } from '../../src/kernel/time.ts';
import { dayIn, withEnding } from './texts.ts';

type Cause = InvoiceNotice['cause'];

export interface InvoiceTexts {
  /** What the subject line begins with. */
  readonly subject: { readonly [cause in Cause]: string };
  headline(cause: Cause, shop: string): string;
  readonly labels: {
    readonly amount: string;
    readonly purpose: string;
    readonly number: string;
    readonly period: string;
    readonly due: string;
  };
  day(at: Instant): string;
  /** From the first to the last day. */
  days(first: string, last: string): string;
  readonly pay: string;
  /** Nobody has stored a credential of the customer. */
  readonly byHand: string;
  readonly questions: string;
  readonly sandbox: string;
}

export const invoiceTexts: { readonly [language in Language]: InvoiceTexts } = {
  en: {
    subject: { opened: 'Invoice', due: 'Due now', overdue: 'Overdue', again: 'Invoice' },
    headline: (cause, shop) =>
      ({
        opened: `A new invoice from ${shop}.`,
        due: `Your invoice from ${shop} is due now.`,
        overdue: `Your invoice from ${shop} is overdue.`,
        again: `Your invoice from ${shop}, sent to you again.`,
      })[cause],
    labels: { amount: 'Amount', purpose: 'For', number: 'Invoice', period: 'Period', due: 'Due' },
    day: dayIn.en,
    days: (first, last) => `${first} to ${last}`,
    pay: 'Pay this invoice',
    byHand: 'Nothing is charged automatically: you pay on the page that this link opens.',
    questions: 'Questions about this invoice? Please ask the shop.',
    sandbox: 'This is a test: no real money is moved.',
  },
  ne: {
    subject: { opened: 'बिल', due: 'तिर्ने दिन', overdue: 'म्याद नाघेको', again: 'बिल' },
    headline: (cause, shop) =>
      ({
        opened: `${withEnding(shop, 'बाट')} नयाँ बिल आएको छ।`,
        due: `${withEnding(shop, 'को')} बिल तिर्ने दिन आयो।`,
        overdue: `${withEnding(shop, 'को')} बिल तिर्ने म्याद नाघिसक्यो।`,
        again: `${withEnding(shop, 'को')} बिल फेरि पठाइएको छ।`,
      })[cause],
    labels: {
      amount: 'रकम',
      purpose: 'विवरण',
      number: 'बिल नम्बर',
      period: 'अवधि',
      due: 'तिर्नुपर्ने मिति',
    },
    day: dayIn.ne,
    days: (first, last) => `${first} देखि ${last} सम्म`,
    pay: 'यो बिल तिर्नुहोस्',
    byHand: 'रकम आफैँ काटिँदैन: यो लिङ्कबाट खुल्ने पृष्ठमा तपाईंले नै तिर्नुपर्छ।',
    questions: 'बिलबारे केही सोध्नु छ भने पसललाई सोध्नुहोस्।',
    sandbox: 'यो परीक्षण हो: वास्तविक रकम सारिने छैन।',
  },
};
