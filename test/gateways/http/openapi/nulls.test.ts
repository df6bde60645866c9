/** An optional field sent as null: what the document allows and what the service takes are the same, for every operation
 *  with a body. The path names no object, so an accepted body ends in a 404 at the latest. */
import { describe, expect, test } from 'vitest';
import { documentOfApi, merchantApi, operatorApi } from '../../../../gateways/http/openapi/documents.ts';
import type { Answer } from '../../../../src/cli/demo/api.ts';
import { declaredOperations } from '../../../support/doors.ts';
import { gallaOfFile } from '../../../support/of-file.ts';
import { premium } from '../../../support/qr-shop.ts';
import type { Node } from '../worst-bodies.ts';
import { at, judgeBy, operationsOf, type Described, type Json } from './reading.ts';

const galla = gallaOfFile();

/** The path of a field, and whether its object must have it. */
interface Field {
  readonly path: readonly string[];
  readonly required: boolean;
  /** Only its stored value is accepted. */
  readonly isFixed: boolean;
}

const documents = [merchantApi, operatorApi].map((api) =>
  documentOfApi(api, declaredOperations, 'https://pay.example.com'),
);

/** The schema of a body, by the name that its operation refers to. */
function bodySchemaOf(document: Json, { requestBody }: Described): { pointer: string; schema: Node } {
  const $ref = String(requestBody?.content['application/json']?.schema['$ref']);
  return { pointer: $ref.slice(1), schema: at(document, $ref.slice(1)) as Node };
}

const isFixed = (field: Node): boolean => JSON.stringify(field).includes('`not_changeable`');

const fieldsOf = (
  { properties = {}, required = [] }: Node,
  within: readonly string[] = [],
): readonly Field[] =>
  Object.entries(properties).flatMap(([name, field]) => [
    { path: [...within, name], required: required.includes(name), isFixed: isFixed(field) },
    ...fieldsOf(field, [...within, name]),
  ]);

/** The body with this value at the path; undefined removes the field. Objects on the way get what they require. */
function withField(body: Json, node: Node, [name = '', ...rest]: readonly string[], value: unknown): Json {
  if (rest.length === 0) return { ...body, [name]: value };
  const inner = node.properties?.[name] ?? {};
  const own = (body[name] ?? leastOf(inner)) as Json;
  return { ...body, [name]: withField(own, inner, rest, value) };
}

const leastOf = ({ properties = {}, required = [] }: Node): Json =>
  Object.fromEntries(required.map((name) => [name, leastValueOf(properties[name] ?? {})]));
function leastValueOf({ type, enum: values, minimum = 1, format }: Node): unknown {
  if (values !== undefined) return values[0];
  if (format === 'email') return 'asha@example.com';
  return [type].flat().includes('integer') ? minimum : 'text';
}

/** How the service judges the fields of a body: accepted, whatever becomes of the request then, or what is wrong. */
function verdictOf({ status, text, body }: Answer): unknown {
  expect(status, text).toBeLessThan(500);
  return status === 400 ? body.at('error.errors') : 'accepted';
}

describe.each(
  documents.flatMap((document) =>
    operationsOf(document)
      .filter(({ method }) => method !== 'GET' && method !== 'DELETE')
      .map((operation) => ({ name: operation.operationId, document, operation })),
  ),
)('$name', ({ document, operation }) => {
  test('declares its body, which may be absent where no field is required', () => {
    expect([schema.type, operation.requestBody?.required]).toEqual(['object', schema.required !== undefined]);
  });

  async function sender(): Promise<(body: Json) => Promise<unknown>> {
    const ofOperator = operation.security.some((one) => 'operatorToken' in one);
    const api = ofOperator ? galla.admin : (await premium(galla)).api;
    const path = operation.path.replace('{provider}', 'wallet_b').replaceAll(/\{\w+\}/g, 'unknown');
    return async (body) => verdictOf(await api.send(operation.method, path, { body }));
  }

  const { pointer, schema } = bodySchemaOf(document, operation);
  const example = operation.requestBody?.content['application/json']?.example as Json;

  test('takes null exactly where the document allows it', async () => {
    const [send, judge] = [await sender(), judgeBy(document)];
    for (const { path, required, isFixed } of fieldsOf(schema)) {
      // its value is compared with the stored one, and there is none here
      if (isFixed) continue;
      const body = withField(example, schema, path, null);
      const forbids = judge(pointer, body).length > 0;
      const verdict = await send(body);
      // in a PATCH null is a value: it clears a field that can be empty
      if (operation.method === 'PATCH') expect([path, verdict !== 'accepted']).toEqual([path, forbids]);
      else {
        expect([path, forbids]).toEqual([path, required]);
        const absent = await send(withField(example, schema, path, undefined));
        expect([path, verdict]).toEqual([path, absent]);
      }
    }
  });

  if (operation.method !== 'PATCH')
    test('takes all optional fields as null at once, as if none was sent', async () => {
      const [send, judge] = [await sender(), judgeBy(document)];
      const optional = fieldsOf(schema).filter(({ path, required }) => path.length === 1 && !required);
      const nulls = Object.fromEntries(optional.map(({ path: [name = ''] }) => [name, null]));
      const least = Object.fromEntries(Object.entries(example).filter(([name]) => !(name in nulls)));
      expect(judge(pointer, { ...least, ...nulls })).toEqual([]);
      expect(await send({ ...least, ...nulls })).toEqual(await send(least));
    });
});
