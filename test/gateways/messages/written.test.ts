import { expect, test } from 'vitest';
import type { Notice, ReceiptNotice } from '../../../actors/message/messages.ts';
import { written, type About } from '../../../gateways/messages/written.ts';

const receipt: ReceiptNotice = {
  is: 'receipt',
  channel: 'email',
  to: 'asha@example.com',
  language: 'en',
  paymentId: 'pay_4t8z1m6q3x9k2v7b',
  amount: 125_050,
  description: 'Order 1001',
  provider: 'wallet_a',
  providerRef: '000AWEO',
  paidAt: Date.parse('2026-11-20T09:16:40.000Z'),
};
const about: About = {
  merchant: { name: 'Example Store', email: 'owner@example.com' },
  livemode: true,
  baseUrl: 'https://pay.example',
};
const nepali = { language: 'ne' } as const;

/** The words of a page, as a reader sees them. */
const wordsOf = (html: string): string =>
  html
    .replace(/<(?:style|title)[^]*?<\/(?:style|title)>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&amp;', '&')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replace(/\s+/g, ' ');

test('a receipt in English', () => {
  const { to, subject, text } = written(receipt, about);
  expect([to, subject]).toEqual(['asha@example.com', 'Receipt for NPR 1,250.50']);
  expect(text).toBe(`Paid to Example Store.

Amount: NPR 1,250.50
For: Order 1001
Paid with: Wallet A
Paid on: 20 November 2026, 15:01 (Nepal time)
Payment: pay_4t8z1m6q3x9k2v7b
Reference: 000AWEO

See the state of this payment:
https://pay.example/status?query=pay_4t8z1m6q3x9k2v7b

Keep this message as your receipt.
Questions about your order? Please ask the shop.
`);
});

test('a receipt in Nepali', () => {
  const { subject, text, html } = written({ ...receipt, ...nepali }, about);
  expect(subject).toBe('NPR 1,250.50 को रसिद');
  expect(text).toBe(`Example Store लाई भुक्तानी भयो।

रकम: NPR 1,250.50
विवरण: Order 1001
भुक्तानी माध्यम: Wallet A
भुक्तानी मिति: २०२६ नोभेम्बर २०, १५:०१ (नेपाली समय)
भुक्तानी नम्बर: pay_4t8z1m6q3x9k2v7b
सन्दर्भ नम्बर: 000AWEO

यो भुक्तानीको अवस्था हेर्नुहोस्:
https://pay.example/status?query=pay_4t8z1m6q3x9k2v7b

यो सन्देशलाई रसिदका रूपमा सुरक्षित राख्नुहोस्।
अर्डरबारे केही सोध्नु छ भने पसललाई सोध्नुहोस्।
`);
  expect(html).toContain('<html lang="ne">');
});

test('in Nepali the ending joins a name that is written in its script', () => {
  const merchant = { ...about.merchant, name: 'आशा पसल' };
  const { text } = written({ ...receipt, ...nepali }, { ...about, merchant });
  expect(text.startsWith('आशा पसललाई भुक्तानी भयो।\n')).toBe(true);
});

test('what is not known is left out, and a test says that it is one', () => {
  const { text } = written(
    { ...receipt, description: null, providerRef: null },
    { ...about, livemode: false },
  );
  expect(text).not.toMatch(/For:|Reference:|null/);
  expect(text).toContain('This is a test: no real money was moved.');
  expect(written(receipt, about).html).not.toContain('This is a test');
});

test('an SMS is short, in both languages', () => {
  const sms = { ...receipt, channel: 'sms', to: '9800000000' } as const;
  expect(written(sms, about)).toEqual({
    to: '9800000000',
    subject: null,
    text: 'Paid NPR 1,250.50 to Example Store. Payment pay_4t8z1m6q3x9k2v7b.',
    html: null,
  });
  const long = { ...about, merchant: { ...about.merchant, name: 'क'.repeat(100) } };
  expect(written({ ...sms, ...nepali }, long).text).toBe(
    `${'क'.repeat(30)}... लाई NPR 1,250.50 भुक्तानी भयो। भुक्तानी नम्बर pay_4t8z1m6q3x9k2v7b।`,
  );
});

test('a merchant is told which endpoint was disabled, and why', () => {
  const notice: Notice = {
    is: 'endpoint_disabled',
    channel: 'email',
    endpointId: 'we_n9bpy9ep30dg728y8n6r6p5w',
    url: 'https://shop.example/hooks?a=1&b=2',
    reason: 'gone',
  };
  const { to, subject, text, html } = written(notice, about);
  expect([to, subject]).toEqual(['owner@example.com', 'A webhook endpoint was disabled']);
  expect(text).toContain('Address: https://shop.example/hooks?a=1&b=2\n');
  expect(text).toContain('Reason: it answered 410 Gone\nMode: live\n');
  expect(wordsOf(html ?? '')).toContain('https://shop.example/hooks?a=1&b=2');
  expect(written({ ...notice, reason: 'failing' }, about).text).toContain(
    'every try has failed for 120 hours',
  );
});

test.each([receipt, { ...receipt, ...nepali }])('text and HTML say the same (%#)', (notice) => {
  const { text, html } = written(notice, about);
  const words = wordsOf(html ?? '');
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [label = '', value] = line.split(/: (.*)/s);
    expect(words).toContain(line.startsWith('https://') ? '' : (value ?? label).replace(/:$/, ''));
  }
  expect(html).toContain('href="https://pay.example/status?query=pay_4t8z1m6q3x9k2v7b"');
});

test('what others have written is text and never markup, one line and never a header', () => {
  const name = 'A"><img src=x onerror=alert(1)>\r\nBcc: thief@example.com';
  const hostile: ReceiptNotice = {
    ...receipt,
    description: '</td><script>alert(1)</script>\n\nReference: 999',
    providerRef: '\u202Eevil\u0000<b>',
  };
  const { subject, text, html } = written(hostile, { ...about, merchant: { ...about.merchant, name } });
  expect(subject).toBe('Receipt for NPR 1,250.50');
  expect(html).not.toMatch(/<script|<img|<b>|\u202E|[^\P{Cc}\n]/u);
  expect(html).toContain('A&quot;&gt;&lt;img src=x onerror=alert(1)&gt; Bcc: thief@example.com');
  // a description adds no line that looks like one of ours
  expect(text.split('\n').filter((line) => line.startsWith('Reference:'))).toEqual(['Reference: evil <b>']);
  expect(text).toContain('For: </td><script>alert(1)</script> Reference: 999\n');
});

test('nothing is loaded from elsewhere', () => {
  expect(written(receipt, about).html).not.toMatch(/<(?:img|link|script|iframe)|url\(|@import/i);
});
