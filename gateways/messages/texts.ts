/** The sentences of our messages in both languages. Pure: names and amounts are inserted as they are, so whoever
 *  makes markup of a sentence escapes it. */
import type { Language } from '../../actors/message/messages.ts';
import type { Instant } from '../../src/kernel/time.ts';

export interface ReceiptTexts {
  subject(amount: string): string;
  /** `Paid to Example Store.` */
  headline(shop: string): string;
  readonly labels: {
    readonly amount: string;
    readonly purpose: string;
    readonly provider: string;
    readonly paidAt: string;
    readonly payment: string;
    readonly reference: string;
  };
  readonly keep: string;
  /** Leads to the payment's public status. */
  readonly status: string;
  readonly sandbox: string;
  readonly questions: string;
  sms(of: { readonly shop: string; readonly amount: string; readonly paymentId: string }): string;
  moment(at: Instant): string;
}

/** Nepal has one time zone. */
const timeZone = 'Asia/Kathmandu';
const locales = { en: 'en-GB', ne: 'ne-NP' } as const;
const formatted = (
  language: Language,
  style: Pick<Intl.DateTimeFormatOptions, 'dateStyle' | 'timeStyle'>,
): ((at: Instant) => string) => {
  const format = new Intl.DateTimeFormat(locales[language], { timeZone, ...style });
  return (at) => format.format(at);
};
/** `28 February 2026`. */
export const dayIn = {
  en: formatted('en', { dateStyle: 'long' }),
  ne: formatted('ne', { dateStyle: 'long' }),
} as const;
const timeIn = {
  en: formatted('en', { timeStyle: 'short' }),
  ne: formatted('ne', { timeStyle: 'short' }),
} as const;
/** Day and time separately: how a format joins them differs between versions of its data. */
const momentIn = (language: Language, at: Instant): string =>
  `${dayIn[language](at)}, ${timeIn[language](at)}`;

/** In Nepali the ending joins the word; a name in another script stays apart. */
export const withEnding = (shop: string, ending: string): string =>
  `${shop}${/\p{Script=Devanagari}$/u.test(shop) ? '' : ' '}${ending}`;
const to = (shop: string): string => withEnding(shop, 'लाई');

export const receiptTexts: { readonly [language in Language]: ReceiptTexts } = {
  en: {
    subject: (amount) => `Receipt for ${amount}`,
    headline: (shop) => `Paid to ${shop}.`,
    labels: {
      amount: 'Amount',
      purpose: 'For',
      provider: 'Paid with',
      paidAt: 'Paid on',
      payment: 'Payment',
      reference: 'Reference',
    },
    keep: 'Keep this message as your receipt.',
    status: 'See the state of this payment',
    sandbox: 'This is a test: no real money was moved.',
    questions: 'Questions about your order? Please ask the shop.',
    sms: ({ shop, amount, paymentId }) => `Paid ${amount} to ${shop}. Payment ${paymentId}.`,
    moment: (at) => `${momentIn('en', at)} (Nepal time)`,
  },
  ne: {
    subject: (amount) => `${amount} को रसिद`,
    headline: (shop) => `${to(shop)} भुक्तानी भयो।`,
    labels: {
      amount: 'रकम',
      purpose: 'विवरण',
      provider: 'भुक्तानी माध्यम',
      paidAt: 'भुक्तानी मिति',
      payment: 'भुक्तानी नम्बर',
      reference: 'सन्दर्भ नम्बर',
    },
    keep: 'यो सन्देशलाई रसिदका रूपमा सुरक्षित राख्नुहोस्।',
    status: 'यो भुक्तानीको अवस्था हेर्नुहोस्',
    sandbox: 'यो परीक्षण हो: वास्तविक रकम सारिएको छैन।',
    questions: 'अर्डरबारे केही सोध्नु छ भने पसललाई सोध्नुहोस्।',
    sms: ({ shop, amount, paymentId }) => `${to(shop)} ${amount} भुक्तानी भयो। भुक्तानी नम्बर ${paymentId}।`,
    moment: (at) => `${momentIn('ne', at)} (नेपाली समय)`,
  },
};

/** Merchants are written to in English: their language is not known. */
export const disabledTexts = {
  subject: 'A webhook endpoint was disabled',
  headline: 'We have stopped sending events to your webhook endpoint.',
  labels: { url: 'Address', endpoint: 'Endpoint', reason: 'Reason', mode: 'Mode' },
  reasons: {
    failing: 'every try has failed for 120 hours',
    gone: 'it answered 410 Gone',
  },
  modes: { sandbox: 'sandbox', live: 'live' },
  todo:
    'Correct what fails, then register the address again (POST /v1/webhooks). ' +
    'The events it has missed are kept for 90 days: read them with GET /v1/events.',
} as const;
