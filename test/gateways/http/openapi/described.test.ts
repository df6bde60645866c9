/** The law of descriptions: every door of an API is in its document, and everything there says what it is. That a route
 *  has operation, summary, reply schema and example is the compiler's to check (test/types.test-d.ts). */
import { expect, test } from 'vitest';
import { operationsOf } from './reading.ts';
import { documentOfApi, merchantApi, operatorApi } from '../../../../gateways/http/openapi/documents.ts';
import { allDoors, declaredOperations as operations } from '../../../support/doors.ts';

test.each([merchantApi, operatorApi])('every door of $title is in its document', (api) => {
  const document = documentOfApi(api, operations, 'https://pay.example.com');
  const written = Object.entries(document['paths'] as object).flatMap(([path, methods]) =>
    Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const mounted = allDoors()
    .map(({ method, path }) => `${method} ${path}`)
    .filter((door) => door.split(' ')[1]?.startsWith(api.under) === true);
  expect(written.toSorted()).toEqual(mounted.toSorted());
});

test('every parameter and every field has a description', () => {
  const bare: string[] = [];
  const look = (value: unknown, at: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const { properties, in: place, name, description } = value as { readonly [key: string]: unknown };
    if (typeof place === 'string' && description === undefined) bare.push(`${at} ${String(name)}`);
    for (const [field, schema] of Object.entries(at.includes('/example') ? {} : (properties ?? {}))) {
      const { $ref, description: said } = schema as { readonly [key: string]: unknown };
      if ($ref === undefined && said === undefined) bare.push(`${at} ${field}`);
    }
    for (const [key, each] of Object.entries(value)) look(each, `${at}/${key}`);
  };
  for (const api of [merchantApi, operatorApi]) {
    const document = documentOfApi(api, operations, 'https://pay.example.com');
    look(document['paths'], api.title);
    look((document['components'] as { readonly schemas: unknown }).schemas, api.title);
  }
  expect(bare).toEqual([]);
});

test('an operation is named once, by a verb and a noun; its summary fits on a line', () => {
  const names = operations.map(({ operation }) => operation);
  expect(new Set(names).size).toBe(names.length);
  for (const { operation, summary } of operations) {
    expect(operation).toMatch(/^[a-z]+[A-Z][A-Za-z]+$/);
    expect(summary, operation).toMatch(/^[A-Z][^.]{3,79}$/);
  }
});

test('errors that a repeated request gets again are described with the header that says so', () => {
  const document = documentOfApi(merchantApi, operations, 'https://pay.example.com');
  const { responses = {} } =
    operationsOf(document).find(({ path }) => path === '/v1/checkout/{id}/expire') ?? {};
  const repeated = Object.entries(responses).filter(([, { headers }]) => 'Idempotent-Replayed' in headers);
  expect(repeated.map(([status]) => status)).toEqual(['200', '409', '422', '500']);
});

test('the documents name the keys that are issued, and no others', () => {
  const named = [merchantApi, operatorApi].flatMap((api) => {
    const text = JSON.stringify(documentOfApi(api, operations, 'https://pay.example.com'));
    return [...text.matchAll(/\b[sp]k_[a-z]+_/g)].map(([prefix]) => prefix);
  });
  expect([...new Set(named)].toSorted()).toEqual(['pk_live_', 'pk_sandbox_', 'sk_live_', 'sk_test_']);
});
