/** Validates a client's input against one schema and reports all errors at once.
 *  Boundary: JSON in, a value of the schema's type or field errors out; nothing here knows a resource.
 *  1. The output holds known fields only: an undeclared name is reported and never copied.
 *  2. One error per field, in the order of the schema, which is the order of the endpoint's field table.
 *  3. No coercion: 5 is not a string and "5" is not a number (only a query, which is all text, is read by
 *     type).
 *  4. For any input, validation costs at most a few times what parsing costs: a list is cut to one more
 *     than its bound before it is checked, undeclared names are counted but not kept, suggestions are few. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import type { Static, TSchema } from 'typebox';
import { errorsListedMax, fieldError, type FieldCode, type FieldError } from '../../../src/errors.ts';
import { assert } from '../../../src/kernel/assert.ts';
import { instantFrom } from './instant.ts';
import {
  meanings,
  type FieldContext,
  type Meaning,
  type MeaningContext,
  type MeaningError,
} from './meanings.ts';
import { allowsNull, type Nulls } from './nulls.ts';
import { hintOf, UnknownNames } from './unknown-names.ts';

export interface Checked<Value> {
  /** Known fields only; has the schema's type once `errors` is empty. */
  readonly value: Value;
  readonly errors: readonly FieldError[];
  /** Undeclared paths, the first few. */
  readonly ignored: readonly string[];
}

export interface Fields<Value> {
  check(input: object, context: FieldContext, nulls: Nulls): Checked<Value>;
  /** Errors sorted into the order of the field table. */
  sorted(errors: readonly FieldError[]): readonly FieldError[];
}

/** The subset of JSON Schema that our schemas use. */
interface Node {
  readonly type?: string | readonly string[];
  readonly properties?: { readonly [name: string]: Node };
  readonly items?: Node;
  readonly maxItems?: number;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  /** Completes "must be ..." for a pattern. */
  readonly says?: string;
  readonly means?: Meaning;
}

// The schemas are ours, and a test holds each against the meta-schema: at run time it is not even compiled.
const ajv = new Ajv2020({
  allErrors: true,
  verbose: true,
  passContext: true,
  allowUnionTypes: true,
  meta: false,
  validateSchema: false,
});
ajvFormats.default(ajv, { formats: ['email'], mode: 'full' });
ajv.addFormat('instant', (text: string) => instantFrom(text) !== null);
ajv.addKeyword({ keyword: 'says', schemaType: 'string' });
ajv.addKeyword({ keyword: 'means', schemaType: 'string', validate: meaningCheck(), errors: 'full' });

type Input = { readonly [name: string]: unknown };

/** Unknown names per request that are compared with the names possibly meant. */
const suggestionsMax = 5;

/** The check of an object's schema, which is compiled once, by its first input: a start that compiled the schemas of
 *  all routes would take longer than everything else in it, and most processes use a few. */
export function fieldsOf<Schema extends TSchema>(schema: Schema): Fields<Static<Schema>> {
  const root = schema as Node;
  assertBounded(root);
  let compiled: ValidateFunction | null = null;
  return {
    check(input, context, nulls) {
      const validate = (compiled ??= ajv.compile(schema));
      const unknown = new UnknownNames();
      const value = known(root, input, '', nulls, unknown);
      const within: MeaningContext = { ...context, suggestionsLeft: suggestionsMax };
      const errors = validate.call(within, value) ? [] : errorsOf(validate.errors ?? [], root, unknown);
      // all its declared fields have just been checked
      return { value: value as Static<Schema>, errors, ignored: unknown.paths };
    },
    sorted: (errors) => errors.toSorted((a, b) => compareRanks(rankOf(root, a.param), rankOf(root, b.param))),
  };
}

/** A list without a bound would be checked to its end. */
function assertBounded({ type, properties = {}, items, maxItems }: Node): void {
  assert(type !== 'array' || maxItems !== undefined, 'a list of a schema has a bound');
  for (const each of [...Object.values(properties), ...(items === undefined ? [] : [items])])
    assertBounded(each);
}

interface MeaningCheck {
  (this: MeaningContext, meaning: Meaning, data: unknown): boolean;
  errors?: Partial<ErrorObject>[];
}

/** Ajv stores the errors on the check itself, so they are read right after the call. */
function meaningCheck(): MeaningCheck {
  const check: MeaningCheck = function holds(meaning, data) {
    const errors = meanings[meaning](data, this);
    check.errors = errors.map((params) => ({ keyword: 'means', params }));
    return errors.length === 0;
  };
  return check;
}

/** A copy with declared fields only. */
function known(node: Node, input: object, path: string, nulls: Nulls, unknown: UnknownNames): object {
  const kept: { [name: string]: unknown } = {};
  // names alone: of one that nobody declared, nothing else is looked at
  for (const name of Object.keys(input)) {
    const field = fieldIn(node, name);
    if (field === undefined) {
      unknown.add(path, name);
      continue;
    }
    const value = (input as Input)[name];
    if (value === null && nulls === 'absent' && !allowsNull(field)) continue;
    if (field.properties !== undefined && isObject(value))
      kept[name] = known(field, value, path === '' ? name : `${path}.${name}`, nulls, unknown);
    else if (field.maxItems !== undefined && Array.isArray(value) && value.length > field.maxItems)
      kept[name] = value.slice(0, field.maxItems + 1);
    else kept[name] = value;
  }
  return kept;
}

const fieldIn = ({ properties }: Node, name: string): Node | undefined =>
  properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The first hundred, one for each field. */
function errorsOf(found: readonly ErrorObject[], root: Node, unknown: UnknownNames): readonly FieldError[] {
  const first = new Map<string, { readonly error: FieldError; readonly rank: readonly number[] }>();
  for (const one of found) {
    const error = errorOf(one, unknown);
    if (!first.has(error.param)) first.set(error.param, { error, rank: rankOf(root, error.param) });
  }
  return [...first.values()]
    .sort((a, b) => compareRanks(a.rank, b.rank))
    .slice(0, errorsListedMax)
    .map(({ error }) => error);
}

function errorOf(found: ErrorObject, unknown: UnknownNames): FieldError {
  const path = paramOf(found.instancePath);
  const node = (found.parentSchema ?? {}) as Node;
  if (found.keyword === 'means') {
    const { at = '', code, form } = found.params as MeaningError;
    return fieldError(path + at, code, form);
  }
  if (found.keyword === 'required') {
    const missing = String(found.params['missingProperty']);
    const param = path === '' ? missing : `${path}.${missing}`;
    return fieldError(param, 'required', hintOf(unknown, path, missing));
  }
  const { code, form } = plainError(found, node);
  return fieldError(path === '' ? 'body' : path, code, form);
}

interface Plain {
  readonly code: FieldCode;
  readonly form: string;
}

/** Our error code for a keyword of JSON Schema. */
function plainError({ keyword, params, data }: ErrorObject, node: Node): Plain {
  const limit = String(params['limit'] ?? '');
  switch (keyword) {
    case 'type':
      return wrongType(node, data);
    case 'minLength':
      return { code: 'too_short', form: `${limit} character${limit === '1' ? '' : 's'}` };
    case 'maxLength':
      return { code: 'too_long', form: `${limit} characters` };
    case 'minItems':
      return { code: 'too_short', form: `${limit} entries` };
    case 'maxItems':
      return { code: 'too_long', form: `${limit} entries` };
    case 'minimum':
      return { code: 'too_small', form: inUnits(limit, node) };
    case 'maximum':
      return { code: 'too_large', form: inUnits(limit, node) };
    case 'enum':
      return node.means === 'currency'
        ? { code: 'currency_not_supported', form: '' }
        : { code: 'not_in_enum', form: (node.enum ?? []).map(String).join(', ') };
    default:
      return { code: 'invalid_format', form: node.says ?? formats[node.format ?? ''] ?? 'well formed' };
  }
}

/** A client that seems to send rupees is told that amounts are in paisa. */
const inUnits = (limit: string, { means }: Node): string =>
  means === 'amount' ? `${limit} paisa (NPR ${Number(limit) / 100})` : limit;

function wrongType(node: Node, data: unknown): Plain {
  if (typeof data === 'number' && !Number.isFinite(data)) {
    return { code: data > 0 ? 'too_large' : 'too_small', form: 'a number we can hold' };
  }
  if (node.means === 'amount' && typeof data === 'number') {
    return { code: 'amount_must_be_integer', form: '' };
  }
  if (node.means === 'amount') return { code: 'wrong_type', form: 'an integer in paisa' };
  const types = node.type === undefined ? [] : [node.type].flat();
  return { code: 'wrong_type', form: types.map((type) => typeNames[type] ?? type).join(' or ') };
}

const typeNames: { readonly [type: string]: string } = {
  string: 'text',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

const formats: { readonly [format: string]: string } = {
  email: 'an e-mail address',
  instant: 'an ISO 8601 date-time with Z or an offset',
};

/** `/customer/email` -> `customer.email`, `/events/0` -> `events[0]`. */
const paramOf = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => {
      if (/^\d+$/.test(part)) return `${path}[${part}]`;
      return path === '' ? part : `${path}.${part}`;
    }, '');

/** The position of a field in the schema, level by level. */
function rankOf(root: Node, param: string): readonly number[] {
  const rank: number[] = [];
  let node: Node | undefined = root;
  for (const part of param.split(/[.[\]]+/)) {
    if (part === '') continue;
    const names: readonly string[] = Object.keys(node?.properties ?? {});
    const index = names.indexOf(part);
    rank.push(index < 0 ? (/^\d+$/.test(part) ? Number(part) : names.length) : index);
    node = index < 0 ? node?.items : node?.properties?.[part];
  }
  return rank;
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = (a[i] ?? 0) - (b[i] ?? 0);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}
