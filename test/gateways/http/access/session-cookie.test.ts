import { expect, test } from 'vitest';
import { cookieIn, cookieText, noCookieText } from '../../../../gateways/http/access/session-cookie.ts';

const cookie = {
  userId: 'usr_4t8z1m6q3x9k2v7b4t8z1m6q',
  token: 'lXf31ngdpmN2zL0JHjPGVu2nok8eGbNV2-EY7UktYVY',
};
const value = `${cookie.userId}.${cookie.token}`;

test('the cookie is limited to this host, unreadable by scripts, and not sent with a POST of another site', () => {
  const [pair, ...attributes] = cookieText(cookie).split('; ');
  expect(pair).toBe(`__Host-galla=${value}`);
  expect(attributes.toSorted()).toEqual(['HttpOnly', 'Max-Age=43200', 'Path=/', 'SameSite=Lax', 'Secure']);
  expect(noCookieText).toBe('__Host-galla=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0');
});

test.each([
  ['alone', `__Host-galla=${value}`],
  ['among others', `theme=dark; __Host-galla=${value}; x=y`],
  ['first of two', `__Host-galla=${value}; __Host-galla=usr_1.x`],
])('it is found %s', (_how, header) => {
  expect(cookieIn(header)).toEqual(cookie);
});

test.each([
  ['nothing', ''],
  ['another cookie', `galla=${value}`],
  ['a cookie whose name ends like ours', `x__Host-galla=${value}`],
  ['a value that is none', '__Host-galla='],
  ['a shorter token', `__Host-galla=${value.slice(0, -1)}`],
  ['a user that cannot be', `__Host-galla=usr_ilou.${cookie.token}`],
  ['another kind of id', `__Host-galla=${value.replace('usr_', 'mer_')}`],
  ['a wildcard', `__Host-galla=usr_*.${cookie.token}`],
  ['a flood', `${'x=y; '.repeat(3000)}__Host-galla=${value}`],
])('%s is not a session cookie', (_what, header) => {
  expect(cookieIn(header)).toBeNull();
});
