import { expect, test } from 'vitest';
import { prefersHtml } from '../../../gateways/server/accept.ts';

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

test.each([
  browser,
  'text/html',
  'TEXT/HTML; q=0.5',
  'application/json;q=0.5, text/html',
  'application/xhtml+xml',
])('who asks for %s would rather see a page', (accept) => expect(prefersHtml(accept)).toBe(true));

test.each([
  '',
  '*/*',
  'application/json',
  'application/json, text/plain, */*',
  'application/json, text/html;q=0.9',
  'text/html;q=0',
  'text/html;q=much',
  'text/htmlx',
])('who asks for "%s" is a program', (accept) => expect(prefersHtml(accept)).toBe(false));
