/** Values at and beyond the bounds of a field, from its published schema, and the code that each must be refused with.
 *  Boundary: builds values; field-bounds.test.ts sends them. */
import type { FieldCode } from '../../src/errors.ts';

export interface Schema {
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
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

/** A field at any depth: the names that lead to it. */
export interface Field {
  readonly path: readonly string[];
  readonly schema: Schema;
  readonly required: boolean;
}

/** A value that is refused: the codes are what a client may be told. */
export interface Beyond {
  readonly value: unknown;
  readonly codes: readonly FieldCode[];
}

export function fieldsIn({ properties = {}, required = [] }: Schema, path: readonly string[] = []): Field[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const at = [...path, name];
    return [{ path: at, schema, required: required.includes(name) }, ...fieldsIn(schema, at)];
  });
}

const times = (text: string, count: number): string => text.repeat(Math.max(0, count));
/** One character to a person, two code units. */
const wide = '\u{1f600}';
const typesOf = ({ type }: Schema): readonly string[] => (type === undefined ? [] : [type].flat());

const texts: { readonly [format: string]: string } = {
  email: 'asha@example.com',
  uri: 'https://shop.example/path',
  'date-time': new Date(Date.now() - 3_600_000).toISOString(),
};

/** Also where a text without bounds must be an event type. */
const plainText = 'payment.succeeded';

/** A pattern of its own; that of a format is beside it. */
const isPhone = ({ pattern, format: of }: Schema): boolean => pattern !== undefined && of === undefined;

/** A value that is accepted. */
export function sampleOf(schema: Schema): unknown {
  if (schema.enum !== undefined) return schema.enum[0];
  switch (typesOf(schema)[0]) {
    case 'integer':
      return Math.max(schema.minimum ?? 0, 1);
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return leastOf(schema);
    default:
      if (isPhone(schema)) return '9800000000';
      if (schema.maxLength === undefined && schema.format === undefined) return plainText;
      return texts[schema.format ?? ''] ?? times('a', Math.max(1, schema.minLength ?? 1));
  }
}

/** Required fields only. */
export const leastOf = ({ properties = {}, required = [] }: Schema): { readonly [name: string]: unknown } =>
  Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {})]));

/** Values that are still accepted. */
export function valuesAt(schema: Schema): readonly unknown[] {
  const { minimum, maximum, minLength, maxLength, format, pattern } = schema;
  if (schema.enum !== undefined) return schema.enum;
  const longest = (): readonly string[] => {
    if (maxLength === undefined || format === 'email') return [];
    const begun = texts[format ?? ''] ?? '';
    if (begun !== '') return [begun + times('a', maxLength - begun.length)];
    return [times('a', maxLength), times(wide, maxLength)];
  };
  const bounds = [minimum, maximum].filter((bound) => bound !== undefined);
  const shortest = minLength === undefined || pattern !== undefined ? [] : [times('a', minLength)];
  return [sampleOf(schema), ...bounds, ...shortest, ...longest()];
}

const format: readonly FieldCode[] = ['invalid_format'];
const wrongType: readonly FieldCode[] = ['wrong_type'];

/** Values of the right type that are refused, of bodies and queries alike. */
export function valuesBeyond(schema: Schema): readonly Beyond[] {
  const { minimum, maximum, minLength = 0, maxLength, maxItems } = schema;
  const all: Beyond[] = [];
  if (schema.enum !== undefined)
    return [{ value: 'unknown', codes: ['not_in_enum', 'currency_not_supported'] }];
  if (minimum !== undefined) all.push({ value: minimum - 1, codes: ['too_small'] });
  if (maximum !== undefined) all.push({ value: maximum + 1, codes: ['too_large'] });
  if (minLength > 0) all.push({ value: times('a', minLength - 1), codes: ['too_short'] });
  if (maxLength !== undefined) {
    const begun = texts[schema.format ?? ''] ?? '';
    const letters = begun === '' ? wide : 'a';
    const value = begun + times(letters, maxLength + 1 - begun.length);
    all.push({ value, codes: schema.format === 'email' ? ['too_long', 'invalid_format'] : ['too_long'] });
  }
  if (isPhone(schema))
    for (const value of ['', '980000000', '98000000001', '+977980000']) all.push({ value, codes: format });
  if (schema.format !== undefined)
    for (const value of ['', 'unknown', '2026-02-30T00:00:00Z', 'javascript:alert(1)', 'a@b@c'])
      all.push({ value, codes: schema.format === 'uri' ? ['invalid_format', 'url_not_allowed'] : format });
  if (maxItems !== undefined)
    all.push({ value: Array.from({ length: maxItems + 1 }, () => 'payment.succeeded'), codes: ['too_long'] });
  return all;
}

const ofTypes: { readonly [type: string]: readonly unknown[] } = {
  string: ['text'],
  integer: [5],
  number: [1.5],
  boolean: [true],
  object: [{}],
  array: [[]],
};

/** Values of every other type. A null is no value. */
export function valuesOfOtherTypes(schema: Schema): readonly Beyond[] {
  const types = typesOf(schema);
  const others = Object.keys(ofTypes).filter((type) => !types.includes(type));
  const codesOf = (type: string): readonly FieldCode[] => {
    if (schema.enum !== undefined) return ['not_in_enum', 'wrong_type', 'currency_not_supported'];
    return type === 'number' ? ['wrong_type', 'amount_must_be_integer'] : wrongType;
  };
  return others.flatMap((type) => (ofTypes[type] ?? []).map((value) => ({ value, codes: codesOf(type) })));
}

/** Texts that a query parameter of this type cannot be. */
export function textsOfOtherTypes(schema: Schema): readonly Beyond[] {
  const [type] = typesOf(schema);
  if (type === 'integer')
    return ['', 'x', '1.5', '1e2', '0x1', '9'.repeat(30)].map((value) => ({ value, codes: wrongType }));
  return type === 'boolean' ? ['', 'yes', '1'].map((value) => ({ value, codes: wrongType })) : [];
}

/** The object with a value at the path; objects on the way get the fields they need. */
export function withAt(whole: Schema, base: object, path: readonly string[], value: unknown): object {
  const [name = '', ...rest] = path;
  if (rest.length === 0) return { ...base, [name]: value };
  const schema = whole.properties?.[name] ?? {};
  const inner = (base as { readonly [name: string]: object })[name] ?? leastOf(schema);
  return { ...base, [name]: withAt(schema, inner, rest, value) };
}
