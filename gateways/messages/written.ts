/** Writes messages: subject, text and HTML. Those about invoices are in invoice-mail.ts.
 *  1. Text and HTML say the same.
 *  2. What merchants and buyers have written stays one line of text: no control characters, no change of the
 *     text direction. `html` escapes it, and the mail library encodes what goes into a header. */
import type {
  EndpointDisabledNotice,
  InvoiceNotice,
  Notice,
  ReceiptNotice,
  Written,
} from '../../actors/message/messages.ts';
import { displayNpr } from '../../src/kernel/money.ts';
import { shortened } from '../../src/kernel/text.ts';
import { traitsOf } from '../../src/providers/catalog.ts';
import { statusPath } from '../pages/hosted/status.ts';
import type { Fact } from './mail-page.ts';
import { line, writtenMail } from './mail.ts';
import { disabledTexts, receiptTexts } from './texts.ts';

/** What a message says beside its notice. */
export interface About {
  readonly merchant: { readonly name: string; readonly email: string };
  readonly livemode: boolean;
  /** Public address without a trailing slash. */
  readonly baseUrl: string;
}

export const shopCharactersMax = 60;
const descriptionCharactersMax = 200;
const smsShopCharactersMax = 30;

export function written(notice: Exclude<Notice, InvoiceNotice>, about: About): Written {
  if (notice.is === 'endpoint_disabled') return endpointDisabled(notice, about);
  return notice.channel === 'sms' ? receiptSms(notice, about) : receiptMail(notice, about);
}

function receiptSms({ to, language, amount, paymentId }: ReceiptNotice, { merchant }: About): Written {
  const shop = shortened(line(merchant.name), smsShopCharactersMax);
  const text = receiptTexts[language].sms({ shop, amount: displayNpr(amount), paymentId });
  return { to, subject: null, text, html: null };
}

function receiptMail(notice: ReceiptNotice, { merchant, livemode, baseUrl }: About): Written {
  const { to, language, paymentId, description, provider, providerRef, paidAt } = notice;
  const texts = receiptTexts[language];
  const { labels } = texts;
  const amount = displayNpr(notice.amount);
  const purpose = description === null ? '' : shortened(line(description), descriptionCharactersMax);
  const facts: readonly Fact[] = [
    { label: labels.amount, value: amount, main: true },
    ...(purpose === '' ? [] : [{ label: labels.purpose, value: purpose }]),
    { label: labels.provider, value: traitsOf(provider).label },
    { label: labels.paidAt, value: texts.moment(paidAt) },
    { label: labels.payment, value: paymentId },
    ...(providerRef === null ? [] : [{ label: labels.reference, value: line(providerRef) }]),
  ];
  const part = {
    language,
    headline: texts.headline(shortened(line(merchant.name), shopCharactersMax)),
    facts,
    link: { label: texts.status, url: `${baseUrl}${statusPath}?query=${paymentId}` },
    notes: [texts.keep, texts.questions],
    warning: livemode ? null : texts.sandbox,
  };
  return writtenMail(to, { subject: texts.subject(amount), parts: [part] });
}

function endpointDisabled({ endpointId, url, reason }: EndpointDisabledNotice, about: About): Written {
  const { labels, reasons, modes, subject, headline, todo } = disabledTexts;
  const part = {
    language: 'en' as const,
    headline,
    facts: [
      { label: labels.url, value: line(url) },
      { label: labels.endpoint, value: endpointId },
      { label: labels.reason, value: reasons[reason] },
      { label: labels.mode, value: about.livemode ? modes.live : modes.sandbox },
    ],
    link: null,
    notes: [todo],
    warning: null,
  };
  return writtenMail(about.merchant.email, { subject, parts: [part] });
}
