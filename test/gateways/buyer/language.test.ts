import { expect, test } from 'vitest';
import { languageOf, localeOf, withLanguageHeaders } from '../../../gateways/buyer/language.ts';
import { languageSwitch } from '../../../gateways/pages/locale.ts';
import { pay } from '../../actors/checkout-session/buyer.ts';
import { payPath, Till, token } from './till.ts';

const asked = (rawQuery: string, headers: { readonly [name: string]: string } = {}) => ({
  rawQuery,
  header: (name: string): string => headers[name] ?? '',
});

test.each([
  ['', {}, 'en'],
  ['', { 'accept-language': 'ne-NP,en;q=0.5' }, 'ne'],
  ['', { 'accept-language': 'ne', cookie: 'lang=en' }, 'en'],
  ['', { cookie: 'a=1; lang=ne; b=2' }, 'ne'],
  ['', { cookie: 'lang=nepali' }, 'en'],
  ['', { cookie: 'slang=ne' }, 'en'],
  ['lang=ne', { cookie: 'lang=en', 'accept-language': 'en' }, 'ne'],
  ['a=b&lang=en', { cookie: 'lang=ne' }, 'en'],
  ['lang=fr', { cookie: 'lang=ne' }, 'ne'],
  ['lang=', {}, 'en'],
])('the query "%s" with the headers %j is read in %s', (rawQuery, headers, language) => {
  expect(languageOf(asked(rawQuery, headers))).toBe(language);
});

test("a page is in the browser's language, and caches learn what it depends on", async () => {
  const till = new Till();
  const nepali = await till.get(payPath, { 'accept-language': 'ne' });
  expect(String(nepali.body)).toMatch(/<html lang="ne">[^]*<h1>कसरी भुक्तानी गर्नुहुन्छ\?<\/h1>/);
  expect(nepali.headers).toMatchObject({ Vary: 'Accept-Language, Cookie' });
  expect(nepali.headers).not.toHaveProperty('Set-Cookie');
  const english = await till.get(payPath);
  expect(String(english.body)).toMatch(/<html lang="en">[^]*<h1>How would you like to pay\?<\/h1>/);
});

test('the switch opens the same page, and its choice is remembered', async () => {
  const till = new Till();
  const page = String((await till.get(`${payPath}?back=1&x=%22`)).body);
  const [, link = ''] = /<a href="([^"]*)" lang="ne"/.exec(page) ?? [];
  expect(link).toBe(`${payPath}?back=1&amp;x=%22&amp;lang=ne`);
  const chosen = await till.get(link.replaceAll('&amp;', '&'));
  expect(String(chosen.body)).toContain('<html lang="ne">');
  const cookie = chosen.headers?.['Set-Cookie'] ?? '';
  expect(cookie).toBe('lang=ne; Path=/; Max-Age=31536000; SameSite=Lax');
  const later = await till.get(payPath, { cookie: cookie.split(';')[0] ?? '' });
  expect(String(later.body)).toContain('<html lang="ne">');
});

test('an answer that shared caches keep carries no cookie', () => {
  const picture = {
    status: 200,
    headers: { 'Content-Type': 'image/png', 'Cache-Control': 'public, max-age=9' },
  };
  expect(withLanguageHeaders({ rawQuery: 'lang=ne' }, { ...picture, body: 'x' }).headers).toEqual(
    picture.headers,
  );
});

test('what a form brings about is in the language of its page; its switch opens the page of the session', async () => {
  const till = new Till();
  const refused = await till.send('POST', `${payPath}/start`, `token=${token}&provider=nobody`, {
    cookie: 'lang=ne',
  });
  expect(refused.status).toBe(400);
  expect(String(refused.body)).toContain('यो भुक्तानी माध्यम उपलब्ध छैन');
  expect(String(refused.body)).toContain(`<a href="${payPath}?lang=en" lang="en"`);
});

test("a receipt is in the language that the buyer has chosen, not in the browser's", async () => {
  const till = new Till();
  const start = till.send('POST', `${payPath}/start`, `token=${token}&provider=wallet_b`, {
    cookie: 'lang=ne',
    'accept-language': 'en',
  });
  await expect.poll(() => till.asked.at(-1)).toMatchObject({ command: 'start', data: { language: 'ne' } });
  await till.clock.pass(15_000);
  await start;
});

test.each(['//evil.example/x', '/\\evil.example', '///evil.example'])(
  'the switch never leads to another host: %s',
  (path) => {
    const locale = localeOf({ requestId: 'req_x', method: 'GET', path, ...asked('') });
    expect(locale.here).toBeNull();
    expect(languageSwitch(locale)).toBeNull();
  },
);

test('the errors of the listener are in the language of the browser too', () => {
  const till = new Till();
  const request = { requestId: 'req_x', method: 'GET', path: `/return/wallet_b/${pay(1)}/web/done` };
  const door = till.doors.find(({ path }) => path.startsWith('/return/'));
  const reply = door?.errorPage?.(503, { ...request, ...asked('', { 'accept-language': 'ne' }) });
  expect(String(reply?.body)).toContain('कृपया एकछिन पर्खनुहोस्');
  expect(reply?.headers).toMatchObject({ Vary: 'Accept-Language, Cookie' });
});
