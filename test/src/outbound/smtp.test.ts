import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openMailer, type Mail } from '../../../src/outbound/smtp.ts';
import { headerOf, MailServer } from '../../support/mail-server.ts';

const from = { name: 'Galla', address: 'pay@galla.example' };
const mail: Mail = {
  id: 'msg_dcr04ackxsm0g5771p7748n0',
  to: 'asha@example.com',
  subject: 'NPR 1,250.50 को रसिद',
  text: 'Paid to Example Store.\n',
  html: '<p>Paid to Example Store.</p>\n',
};

let server: MailServer;
beforeAll(async () => {
  server = await MailServer.open();
});
afterAll(() => server.close());
beforeEach(() => {
  server.received.length = 0;
  server.refusing = null;
});

const sent = (over: Partial<Mail> = {}, url = server.url) =>
  openMailer({ url, from }).send({ ...mail, ...over });

test('a mail is handed over with its id, in text and HTML, and the answer of the server is told', async () => {
  expect(await sent()).toEqual({ is: 'accepted', reply: '250 kept as 1' });
  const [kept] = server.received;
  expect(kept).toMatchObject({ from: 'pay@galla.example', to: ['asha@example.com'] });
  if (kept === undefined) throw new Error('nothing came');
  expect(headerOf(kept, 'Message-ID')).toBe('<msg_dcr04ackxsm0g5771p7748n0@galla.example>');
  expect(headerOf(kept, 'From')).toBe('Galla <pay@galla.example>');
  expect(headerOf(kept, 'To')).toBe('asha@example.com');
  expect(headerOf(kept, 'Auto-Submitted')).toBe('auto-generated');
  expect(kept.raw).toContain('Content-Type: text/plain; charset=utf-8');
  expect(kept.raw).toContain('Content-Type: text/html; charset=utf-8');
  // the subject is encoded: what came back is what was written
  const encoded = headerOf(kept, 'Subject') ?? '';
  const words = [...encoded.matchAll(/=\?UTF-8\?B\?([^?]*)\?=/gi)].map(([, base64 = '']) => base64);
  expect(Buffer.concat(words.map((word) => Buffer.from(word, 'base64'))).toString()).toContain('को रसिद');
});

test('sent a second time it is the same mail by its id', async () => {
  await sent();
  await sent();
  expect(new Set(server.received.map((one) => headerOf(one, 'Message-ID'))).size).toBe(1);
});

test.each([
  ['a subject', { subject: 'Receipt\r\nBcc: thief@example.com\r\n\r\nbody' }],
  ['an address', { to: 'asha@example.com\r\nBcc: thief@example.com' }],
  ['two addresses', { to: 'asha@example.com, thief@example.com' }],
  ['an id', { id: 'msg_1\r\nBcc: thief@example.com' }],
])('%s with line breaks adds no header and no recipient', async (_what, over) => {
  await sent(over);
  for (const one of server.received) {
    expect(headerOf(one, 'Bcc')).toBe(null);
    expect(one.to.filter((to) => to.startsWith('thief'))).toEqual([]);
  }
});

test('a recipient who is refused for good is not tried again, one who is refused for now is', async () => {
  server.refusing = 550;
  expect(await sent()).toMatchObject({ is: 'refused', reason: expect.stringContaining('550') });
  server.refusing = 451;
  expect(await sent()).toMatchObject({ is: 'failed', reason: expect.stringContaining('451') });
  expect(server.received).toEqual([]);
});

test('without a server, or with a wrong password, it may succeed later', async () => {
  const gone = await MailServer.open();
  await gone.close();
  expect(await sent({}, gone.url)).toEqual({ is: 'failed', reason: 'no connection to the mail server' });
  const guarded = await MailServer.open('shop');
  const at = (login: string): string => `smtp://${login}@127.0.0.1:${guarded.port}`;
  expect(await sent({}, at('shop:wrong'))).toEqual({
    is: 'failed',
    reason: 'the mail server does not accept our user and password',
  });
  expect(await sent({}, at('shop:open%20sesame'))).toMatchObject({ is: 'accepted' });
  await guarded.close();
});
