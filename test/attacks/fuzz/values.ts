/** Values for fuzzing: some that a published schema accepts, some that it nearly does, some that nobody would send.
 *  Boundary: generators; nothing here knows our API. */
import fc, { type Arbitrary } from 'fast-check';
import { at, type Json } from '../../gateways/http/openapi/reading.ts';

/** Texts that have broken readers before. */
const strange = [
  '',
  ' ',
  '\0',
  '__proto__',
  'constructor',
  '../../etc/passwd',
  '%00',
  '\u202etxt',
  '\ufeff',
  '\u{1f469}\u200d\u{1f4bb}',
  'İ',
  '{"$ne":null}',
  "' OR 1=1 --",
  '<script>alert(1)</script>',
  '=1+1',
  'a'.repeat(5000),
  '9'.repeat(30),
  '-0',
  '1e999',
  'NaN',
  'true',
  '2026-02-30T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  '-271821-04-19T23:59:59.999Z',
  '9999-12-31T23:59:59.999+14:00',
  '0000-01-01T00:00:00Z',
];

const numbers = [0, -0, -1, 1.5, 1e21, 2 ** 53, -(2 ** 53), 2 ** 31, 5e-324, 1.7976931348623157e308];

const text: Arbitrary<string> = fc.oneof(
  fc.constantFrom(...strange),
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: 'grapheme', maxLength: 600 }),
);

/** Any JSON. */
const anything: Arbitrary<unknown> = fc.oneof(
  text,
  fc.constantFrom<unknown>(null, true, false, [], {}, ...numbers),
  fc.jsonValue({ maxDepth: 5 }),
);

const isoInstant = fc
  .date({ min: new Date('1990-01-01'), max: new Date('2060-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());

const formats: { readonly [format: string]: Arbitrary<string> } = {
  'date-time': fc.oneof(isoInstant, fc.constantFrom('9999-12-31T23:59:59.999Z', '0001-01-01T00:00:00+14:00')),
  email: fc.emailAddress(),
  uri: fc.oneof(fc.webUrl({ withQueryParameters: true }), fc.constant('https://shop.example/return')),
};

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

/** Generators for the schemas of one document. */
export class Values {
  private readonly document: Json;

  constructor(document: Json) {
    this.document = document;
  }

  /** Mostly what the schema accepts, as far as it can be told from it; a field in twenty is something else. */
  of(schema: Json): Arbitrary<unknown> {
    return this.node(schema as Schema);
  }

  private almost(schema: Schema): Arbitrary<unknown> {
    return fc.oneof({ weight: 19, arbitrary: this.node(schema) }, { weight: 1, arbitrary: anything });
  }

  private node(schema: Schema): Arbitrary<unknown> {
    if (schema.$ref !== undefined) return this.node(at(this.document, schema.$ref.slice(1)) as Schema);
    const either = schema.oneOf ?? schema.anyOf;
    if (either !== undefined) return fc.oneof(...either.map((one) => this.node(one)));
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
    const types = schema.type === undefined ? [] : [schema.type].flat();
    return types.length === 0 ? anything : fc.oneof(...types.map((type) => this.ofType(type, schema)));
  }

  private ofType(type: string, schema: Schema): Arbitrary<unknown> {
    switch (type) {
      case 'integer':
        return integerIn(schema);
      case 'number':
        return fc.double({ noNaN: true, noDefaultInfinity: true });
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      case 'array':
        return fc.array(this.almost(schema.items ?? {}), { maxLength: Math.min(schema.maxItems ?? 5, 5) });
      case 'object':
        return this.object(schema);
      default:
        return textIn(schema);
    }
  }

  private object({ properties, required = [] }: Schema): Arbitrary<unknown> {
    if (properties === undefined)
      return fc.dictionary(fc.string({ maxLength: 45 }), anything, { maxKeys: 6 });
    const fields = Object.entries(properties);
    const optional = fc.record(Object.fromEntries(fields.map(([name, one]) => [name, this.almost(one)])), {
      requiredKeys: required.filter((name) => name in properties),
    });
    const extra = fc.dictionary(text, anything, { maxKeys: 2 });
    return fc
      .tuple(optional, fc.oneof({ weight: 9, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: extra }))
      .map(([known, unknown]) => ({ ...unknown, ...known }));
  }
}

function integerIn({ minimum = -5, maximum = 2 ** 53 }: Schema): Arbitrary<number> {
  const small = Math.min(maximum, minimum + 2000);
  return fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: minimum, max: small }) },
    { weight: 2, arbitrary: fc.constantFrom(minimum, maximum) },
    { weight: 1, arbitrary: fc.constantFrom(minimum - 1, maximum + 1) },
  );
}

function textIn({ format, pattern, minLength = 0, maxLength = 60 }: Schema): Arbitrary<string> {
  const known = format === undefined ? undefined : formats[format];
  if (known !== undefined) return known;
  if (pattern !== undefined)
    return fc.oneof(fc.stringMatching(new RegExp(pattern)), fc.constant('9800000000'));
  return fc.oneof(
    fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, 60)) }),
    fc.constantFrom(
      'payment.succeeded',
      'a'.repeat(Math.min(maxLength, 2000)),
      'अ'.repeat(Math.min(maxLength, 500)),
    ),
  );
}

/** A body that is no JSON object. */
const noObject: Arbitrary<string> = fc.oneof(
  text,
  anything.map((value) => JSON.stringify(value) ?? ''),
  fc.constantFrom('{', '[]', 'null', '{"a":1,}', `${'['.repeat(3000)}`),
);

export { anything, noObject, text };
