/** The pattern of URLs in the document against the service's own check: what the service takes, the document allows. */
import fc from 'fast-check';
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { fieldsOf } from '../../../../gateways/http/route/fields.ts';
import { shopUrl, siteUrl, webhookUrl } from '../../../../gateways/http/route/schemas.ts';
import { documentOfApi, merchantApi, operatorApi } from '../../../../gateways/http/openapi/documents.ts';
import { declaredOperations } from '../../../support/doors.ts';
import type { Json } from './reading.ts';

/** The patterns of all fields that are URLs and are sent. */
const patterns = [merchantApi, operatorApi].flatMap((api) => {
  const { components } = documentOfApi(api, declaredOperations, 'https://pay.example.com');
  const { schemas } = components as { readonly schemas: { readonly [name: string]: Json } };
  return Object.entries(schemas)
    .filter(([name]) => name.endsWith('Body'))
    .flatMap(([, { properties = {} }]) => Object.values(properties as { readonly [name: string]: Json }))
    .filter(({ format }) => format === 'uri')
    .map(({ pattern }) => pattern);
});
const [pattern = ''] = patterns.map(String);
const allows = (text: string): boolean => new RegExp(pattern, 'u').test(text);

const meanings = [shopUrl, siteUrl, webhookUrl].map((url) => fieldsOf(Type.Object({ url })));
const takes = (url: string): boolean =>
  meanings.some(
    (fields) =>
      fields.check({ url }, { mode: 'sandbox', allowPrivateHosts: true }, 'absent').errors.length === 0,
  );

test('every URL that is sent has the pattern', () => {
  expect(patterns.length).toBeGreaterThan(5);
  expect(new Set(patterns)).toEqual(new Set([pattern]));
});

test('what the service takes matches it', () => {
  const parts = [
    fc.constantFrom('http', 'https', 'HTTPS', 'hTTp', 'ftp', ''),
    fc.constantFrom('://', ':///', ':/', ':', '://@', '://:@', '://u@', '://u:p@', '://@@', '://::@'),
    fc.constantFrom('a.example', 'A.EXAMPLE:8080', '[::1]', '127.0.0.1:9', 'चि.example', 'x_y', '0x7f.1', ''),
    fc.constantFrom(
      '',
      '/',
      '/a/b',
      '//',
      '?q=1',
      '#end',
      '/@x',
      '?a@b',
      '/a b',
      '\\x',
      '/\u0001',
      '/\u3000',
    ),
  ] as const;
  let taken = 0;
  fc.assert(
    fc.property(fc.tuple(...parts), (each) => {
      const url = each.join('');
      if (!takes(url)) return;
      taken++;
      expect([url, allows(url)]).toEqual([url, true]);
    }),
    { numRuns: 3000 },
  );
  expect(taken).toBeGreaterThan(100);
});

test.each([
  'ftp://a.example/',
  'a.example',
  'http://',
  'http:///a',
  'http://u:p@a.example/',
  'http://a b/',
  '',
])('what the service refuses by its form alone does not match it: %s', (url) => {
  expect([takes(url), allows(url)]).toEqual([false, false]);
});
