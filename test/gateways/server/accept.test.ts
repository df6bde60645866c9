import { expect, test } from 'vitest';
import { languageIn, prefersCsv, prefersHtml } from '../../../gateways/server/accept.ts';

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

test.each([
  browser,
  'text/html',
  'TEXT/HTML; q=0.5',
  'application/json;q=0.5, text/html',
  'application/xhtml+xml',
])('a client that accepts %s prefers a page', (accept) => expect(prefersHtml(accept)).toBe(true));

test.each([
  '',
  '*/*',
  'application/json',
  'application/json, text/plain, */*',
  'application/json, text/html;q=0.9',
  'text/html;q=0',
  'text/html;q=much',
  'text/htmlx',
])('a client that accepts "%s" gets JSON', (accept) => expect(prefersHtml(accept)).toBe(false));

test.each(['text/csv', 'text/csv; charset=utf-8', 'TEXT/CSV, */*;q=0.1', 'application/json;q=0.9, text/csv'])(
  'who asks for %s gets a CSV file',
  (accept) => expect(prefersCsv(accept)).toBe(true),
);

test.each([
  '',
  '*/*',
  'text/*',
  'application/json',
  'text/csv;q=0.5, application/json',
  'text/csv;q=0',
  'text/csvx',
])('who asks for "%s" gets JSON', (accept) => expect(prefersCsv(accept)).toBe(false));

test.each([
  ['ne-NP,ne;q=0.9,en;q=0.8', 'ne'],
  ['NE', 'ne'],
  ['ne, en', 'ne'],
  ['hi,ne;q=0.5,en;q=0.4', 'ne'],
  ['en-US,en;q=0.9,ne;q=0.8', 'en'],
  ['en, ne', 'en'],
  ['ne;q=0, en;q=0.1', 'en'],
  ['new', 'en'],
  ['fr', 'en'],
  ['*', 'en'],
  ['', 'en'],
  [',;q=,', 'en'],
])('who reads %s is written in %s', (header, language) => expect(languageIn(header)).toBe(language));
