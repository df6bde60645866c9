/** The schemas of requests are compiled by their first input, so a test looks at each before a client does. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Type, type TSchema } from 'typebox';
import { expect, test } from 'vitest';
import { loginBody } from '../../../../gateways/dashboard/server/session-routes.ts';
import { fieldsOf } from '../../../../gateways/http/route/fields.ts';
import { eventStreamQuery } from '../../../../gateways/http/schemas/stream.ts';
import { declaredRoutes } from '../../../support/doors.ts';

const schemas: readonly (readonly [string, TSchema])[] = [
  ...declaredRoutes().flatMap(({ method, path, body, query }) => [
    ...(body === undefined ? [] : [[`the body of ${method} ${path}`, body] as const]),
    ...(query === undefined ? [] : [[`the query of ${method} ${path}`, query] as const]),
  ]),
  ['the login of the dashboard', loginBody],
  ['the query of the event stream', eventStreamQuery],
];
const metaSchema = new Ajv2020({ strict: false });
const check = (schema: TSchema): unknown =>
  fieldsOf(schema).check({}, { mode: 'sandbox', allowPrivateHosts: true }, 'absent');

test.each(schemas)('%s is a schema, and compiles', (_, schema) => {
  expect(metaSchema.validateSchema(schema), JSON.stringify(metaSchema.errors)).toBe(true);
  expect(check(schema)).toMatchObject({ value: {} });
});

test('what is no schema would be seen', () => {
  expect(metaSchema.validateSchema({ type: 'object', required: 'name' })).toBe(false);
  expect(() => check(Type.Object({ name: Type.String({ longest: 5 }) }))).toThrow('unknown keyword');
});

test('a schema is compiled by its first input, not at start', () => {
  expect(() => fieldsOf(Type.Object({ name: Type.String({ longest: 5 }) }))).not.toThrow();
});
