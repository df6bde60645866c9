import { describe, expect, test } from 'vitest';
import type { InvoiceNotice } from '../../../actors/message/messages.ts';
import { invoiceMail } from '../../../gateways/messages/invoice-mail.ts';
import type { About } from '../../../gateways/messages/written.ts';

const notice: InvoiceNotice = {
  is: 'invoice',
  channel: 'email',
  cause: 'opened',
  subscriptionId: 'sub_11tp7r3ewecer10mt5bwmx93',
  customerId: 'bc_4hb3anpsq6g635dy35q0jc0h',
  invoiceId: 'inv_bkwv5cfvxf62gttfxm6dzpp7',
  number: 'INV-000002',
  planName: 'Pro monthly',
  amount: 150_000,
  // midnight in Kathmandu: the day before in UTC
  dueAt: Date.parse('2026-02-27T18:15:00.000Z'),
  periodStart: Date.parse('2026-02-27T18:15:00.000Z'),
  periodEnd: Date.parse('2026-03-30T18:15:00.000Z'),
};
const about: About = {
  merchant: { name: 'Example Store', email: 'owner@example.com' },
  livemode: true,
  baseUrl: 'https://pay.example',
};
const written = (changed: Partial<InvoiceNotice> = {}, more: Partial<About> = {}) =>
  invoiceMail({ ...notice, ...changed }, 'asha@example.com', { ...about, ...more });

test('the mail of a new invoice says everything in English, then in Nepali', () => {
  const { to, subject, text } = written();
  expect([to, subject]).toEqual(['asha@example.com', 'Invoice / बिल: INV-000002, NPR 1,500.00']);
  expect(text).toBe(`A new invoice from Example Store.

Amount: NPR 1,500.00
For: Pro monthly
Invoice: INV-000002
Period: 28 February 2026 to 30 March 2026
Due: 28 February 2026

Pay this invoice:
https://pay.example/invoice/inv_bkwv5cfvxf62gttfxm6dzpp7

Nothing is charged automatically: you pay on the page that this link opens.
Questions about this invoice? Please ask the shop.

----------------------------------------

Example Store बाट नयाँ बिल आएको छ।

रकम: NPR 1,500.00
विवरण: Pro monthly
बिल नम्बर: INV-000002
अवधि: २०२६ फेब्रुअरी २८ देखि २०२६ मार्च ३० सम्म
तिर्नुपर्ने मिति: २०२६ फेब्रुअरी २८

यो बिल तिर्नुहोस्:
https://pay.example/invoice/inv_bkwv5cfvxf62gttfxm6dzpp7

रकम आफैँ काटिँदैन: यो लिङ्कबाट खुल्ने पृष्ठमा तपाईंले नै तिर्नुपर्छ।
बिलबारे केही सोध्नु छ भने पसललाई सोध्नुहोस्।
`);
});

test.each([
  ['due', 'Due now / तिर्ने दिन', 'is due now.', 'को बिल तिर्ने दिन आयो।'],
  ['overdue', 'Overdue / म्याद नाघेको', 'is overdue.', 'को बिल तिर्ने म्याद नाघिसक्यो।'],
  ['again', 'Invoice / बिल', ', sent to you again.', 'को बिल फेरि पठाइएको छ।'],
] as const)('the mail of the cause %s says so', (cause, kind, english, nepali) => {
  const { subject, text } = written({ cause });
  expect(subject).toBe(`${kind}: INV-000002, NPR 1,500.00`);
  expect(text.split('\n').filter((line) => line.includes('Example Store'))).toEqual([
    expect.stringContaining(english),
    expect.stringContaining(nepali),
  ]);
});

describe('Its days are those of Kathmandu', () => {
  test('a period of one day is that day', () => {
    const { text } = written({ periodEnd: notice.periodStart + 86_400_000 });
    expect(text).toContain('Period: 28 February 2026\n');
    expect(text).toContain('अवधि: २०२६ फेब्रुअरी २८\n');
  });

  test('a period that ends at noon includes that day', () => {
    const periodEnd = Date.parse('2026-03-31T12:00:00.000+05:45');
    expect(written({ periodEnd }).text).toContain('Period: 28 February 2026 to 31 March 2026\n');
  });
});

test('in HTML each language is marked, and has its own link', () => {
  const { html } = written();
  expect(html?.match(/<h1/g)).toHaveLength(2);
  expect(html).toContain('<td lang="ne"');
  expect(html?.match(/href="https:\/\/pay\.example\/invoice\/inv_bkwv5cfvxf62gttfxm6dzpp7"/g)).toHaveLength(
    2,
  );
  expect(html).not.toMatch(/<(?:img|link|script|iframe)|url\(|@import/i);
});

test('a test says that it is one, in both languages', () => {
  const { text, html } = written({}, { livemode: false });
  for (const words of ['This is a test: no real money', 'यो परीक्षण हो']) {
    expect(text).toContain(words);
    expect(html).toContain(words);
  }
  expect(written().html).not.toMatch(/This is a test|परीक्षण/);
});

test('what the merchant has written is text and never markup, and no line of ours', () => {
  const merchant = { ...about.merchant, name: 'A"><script>alert(1)</script>\r\nDue: today' };
  const { subject, text, html } = written({ planName: '</td><b>\n\nAmount: 1' }, { merchant });
  expect(subject).toBe('Invoice / बिल: INV-000002, NPR 1,500.00');
  expect(html).not.toMatch(/<script|<b>/);
  expect(text.split('\n').filter((line) => /^(?:Due|Amount):/.test(line))).toEqual([
    'Amount: NPR 1,500.00',
    'Due: 28 February 2026',
  ]);
});
