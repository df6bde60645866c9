/** Random requests to every operation that a document describes. */
import fc, { type Arbitrary } from 'fast-check';
import type { Described, Json } from '../../gateways/http/openapi/reading.ts';
import { bodySchemaOf } from '../stage.ts';
import { noObject, text, Values } from './values.ts';

/** A request before the ids of objects are known: those are taken when it is sent. */
export interface Draft {
  readonly operation: Described;
  /** For each parameter of the path: an object that is there, by its place, or any text. */
  readonly ids: readonly (number | string)[];
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: { readonly [name: string]: string };
  /** Whose key is sent. */
  readonly who: Who;
  readonly body: string | null;
  /** Fields and parameters that name an object name one that is there, by its place. null: as drawn. */
  readonly named: number | null;
  readonly isHead: boolean;
}

const others = ['live', 'publishable', 'read', 'stranger', 'nobody'] as const;
export type Who = 'own' | (typeof others)[number];
const who: Arbitrary<Who> = fc.oneof(
  { weight: 9, arbitrary: fc.constant('own' as const) },
  { weight: 1, arbitrary: fc.constantFrom(...others) },
);

const headers: Arbitrary<{ readonly [name: string]: string }> = fc.record(
  {
    'idempotency-key': fc.oneof(
      fc.constantFrom('a', 'b', 'c', ' ', 'x'.repeat(256)),
      fc.string({ maxLength: 20 }).filter(isHeader),
    ),
    'api-version': fc.constantFrom('2026-11-20', '2026-11-20', '2026-11-20', '1999-01-01', ''),
    accept: fc.constantFrom('application/json', 'text/csv', 'text/html', '*/*', 'text/csv;q=0.1, */*'),
    'content-type': fc.constantFrom(...Array.from({ length: 8 }, () => 'application/json'), 'text/plain', ''),
    'last-event-id': fc.string({ maxLength: 30 }).filter(isHeader),
    'if-none-match': fc.constantFrom('"x"', '*'),
  },
  { requiredKeys: [] },
);

function isHeader(value: string): boolean {
  return /^[\x21-\x7e]*$/.test(value);
}

/** Most have no headers of their own. */
const someHeaders = fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: headers });

export function draftsOf(document: Json, operations: readonly Described[]): Arbitrary<Draft> {
  const values = new Values(document);
  return fc.oneof(...operations.map((operation) => draftOf(document, values, operation)));
}

function draftOf(document: Json, values: Values, operation: Described): Arbitrary<Draft> {
  const { path, method, parameters } = operation;
  const places = [...path.matchAll(/\{\w+\}/g)].length;
  const id = fc.oneof({ weight: 6, arbitrary: fc.nat({ max: 30 }) }, { weight: 1, arbitrary: text });
  const isGet = method === 'GET';
  return fc.record({
    operation: fc.constant(operation),
    ids: fc.array(id, { minLength: places, maxLength: places }),
    query: queryOf(values, parameters as unknown as readonly Parameter[]),
    headers: someHeaders,
    who,
    body: isGet ? fc.constant(null) : bodyOf(document, values, operation),
    named: fc.option(fc.nat({ max: 30 }), { freq: 4 }),
    isHead: isGet ? fc.integer({ min: 0, max: 9 }).map((n) => n === 0) : fc.constant(false),
  });
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Json;
}

function queryOf(values: Values, parameters: readonly Parameter[]): Arbitrary<Draft['query']> {
  const known = parameters.filter((one) => one.in === 'query' && one.name !== 'metadata');
  const value = (schema: Json): Arbitrary<string> =>
    fc.oneof({ weight: 19, arbitrary: values.of(schema).map(String) }, { weight: 1, arbitrary: text });
  const own = fc
    .subarray(known, { maxLength: Math.min(known.length, 3) })
    .map((some) => [...known.filter((one) => one.required === true && !some.includes(one)), ...some])
    .chain((some) => fc.tuple(...some.map(({ name, schema }) => fc.tuple(fc.constant(name), value(schema)))));
  const more = fc.array(fc.tuple(fc.oneof(text, fc.constant('metadata.order_id')), text), { maxLength: 3 });
  return fc
    .tuple(own, fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: more }))
    .map(([given, extra]) => [...given, ...extra]);
}

function bodyOf(document: Json, values: Values, operation: Described): Arbitrary<string | null> {
  const schema = bodySchemaOf(document, operation);
  if (schema === null) return fc.option(noObject, { freq: 1 });
  const valid = values.of(schema).map((value) => JSON.stringify(value));
  return fc.oneof({ weight: 9, arbitrary: valid }, { weight: 1, arbitrary: noObject });
}
