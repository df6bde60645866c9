/** Reads what a request sends to a route: one JSON object and a query, or a CSV file as the whole body with the other
 *  fields in the query.
 *  Boundary: reads bytes and names; the fields are checked by fields.ts.
 *  1. A body is UTF-8, one JSON object, within the bounds of json-scan.ts; anything else is
 *     `invalid_json`.
 *  2. A name in a body or query is only text: `__proto__` is a key like any other. */
import { isUtf8 } from 'node:buffer';
import type { TSchema } from 'typebox';
import { errorsListedMax, fieldError, type FieldError } from '../../../src/errors.ts';
import type { DoorRequest } from '../../server/door.ts';
import type { JsonValue } from '../../../src/kernel/canonical-json.ts';
import { jsonItemsMax, scanJson, type JsonScan } from '../../../src/kernel/json-scan.ts';
import { refused, type Refused } from './answer.ts';
import { withFractionsKept } from './fractions.ts';

export const metadataFiltersMax = 3;

export type JsonObject = { readonly [key: string]: JsonValue };

/** Only JSON is accepted; a charset parameter is allowed. */
export const isJsonType = (contentType: string): boolean =>
  /^application\/json[ \t]*(;|$)/i.test(contentType);

/** What a body holds. */
export type BodyRead = { readonly object: JsonObject } | { readonly refusal: Refused };

const notJson = refused('invalid_json');
const tooMany = refused('invalid_json', {
  message: `The body has more than ${jsonItemsMax.toLocaleString('en')} names and values.`,
});

/** Why a body that somebody else parses must not be parsed; null: it may. Whether it is JSON is not said. */
export const excessOf = (body: Buffer): Refused | null => refusalOf(scanJson(body));

function refusalOf({ is }: JsonScan): Refused | null {
  if (is === 'fine') return null;
  return is === 'too_many' ? tooMany : notJson;
}

/** The object in a body. An empty body is `{}`. */
export function readObject(body: Buffer): BodyRead {
  if (body.length === 0) return { object: {} };
  if (!isUtf8(body)) return { refusal: notJson };
  const json = hasMark(body) ? body.subarray(markBytes) : body;
  const scan = scanJson(json);
  const refusal = refusalOf(scan);
  if (refusal !== null) return { refusal };
  const value = parsed(withFractionsKept(json, scan.fractions).toString('utf8'));
  if (value === null || typeof value !== 'object' || isList(value)) return { refusal: notJson };
  return { object: value };
}

/** The byte order mark of UTF-8. */
const markBytes = 3;
const hasMark = (body: Buffer): boolean => body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;

function parsed(text: string): JsonValue {
  try {
    // JSON.parse returns a JSON value
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}

const isList = (value: object): value is readonly JsonValue[] => Array.isArray(value);

/** A name that may be given once. */
const givenTwice = (name: string): FieldError => fieldError(name, 'wrong_type', 'given once');

/** A query read by the types of its schema, ready for validation. */
export interface QueryRead {
  readonly values: object;
  /** `metadata.<key>=<text>` filters, as tags. */
  readonly tags: readonly string[];
  readonly errors: readonly FieldError[];
}

interface ParameterNode {
  readonly type?: unknown;
  readonly format?: unknown;
}
interface QueryNode {
  readonly properties?: { readonly [name: string]: ParameterNode };
}

const emptyQuery: QueryRead = { values: {}, tags: [], errors: [] };

/** Splits a raw query. `withMetadata`: the list can be filtered by metadata. */
export function queryFrom(rawQuery: string, schema: TSchema, withMetadata: boolean): QueryRead {
  if (rawQuery === '') return emptyQuery;
  const declared = (schema as QueryNode).properties ?? {};
  const values: { [name: string]: unknown } = Object.create(null);
  const tags: string[] = [];
  const errors: FieldError[] = [];
  const repeated = new Set<string>();
  for (const [name, text] of new URLSearchParams(rawQuery)) {
    // one more than the limit, to detect that there are too many
    if (withMetadata && name.startsWith('metadata.'))
      void (tags.length <= metadataFiltersMax && tags.push(`${name}=${text}`));
    else if (name in values) void (repeated.size < errorsListedMax && repeated.add(name));
    else values[name] = typed(text, Object.hasOwn(declared, name) ? declared[name] : undefined);
  }
  errors.push(...[...repeated].map(givenTwice));
  if (tags.length > metadataFiltersMax) {
    errors.push(fieldError('metadata', 'metadata_too_many_keys', `${metadataFiltersMax} keys`));
  }
  return { values, tags, errors };
}

/** A value that is not of its type stays text and fails validation. */
function typed(text: string, node: ParameterNode | undefined): unknown {
  if (node?.type === 'integer') return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
  if (node?.type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  // an offset's plus sign that was not encoded arrives as a space
  if (node?.format === 'instant') return text.replace(/ (\d\d(:?\d\d)?)$/, '+$1');
  return text;
}

/** null when none was sent; an empty header counts as sent, and is invalid. */
export function sentIn(request: DoorRequest, name: 'api-version' | 'idempotency-key'): string | null {
  const value = request.header(name);
  return value !== '' || request.emptyHeaders?.has(name) === true ? value : null;
}

/** Bodies above 64 KiB that may wait to be parsed, 120 MiB at most; one more is answered 503. */
export const largeBodiesWaitingMax = 24;

export interface Input {
  /** The fields as they were sent, unknown ones included. */
  readonly fields: JsonObject;
  /** A file that came beside them. */
  readonly file: Buffer | null;
  /** Both: what is checked. */
  readonly body: JsonObject;
  /** What of the query is no field of the body. */
  readonly rawQuery: string;
  readonly errors: readonly FieldError[];
}

interface Takes {
  readonly body?: TSchema;
  readonly csvField?: string;
}

/** Of a request that may have a body. */
export function inputOf(takes: Takes, request: DoorRequest): Input | Refused {
  const { body: bytes, rawQuery } = request;
  const type = bytes.length === 0 && takes.csvField === undefined ? '' : request.header('content-type');
  if (takes.csvField !== undefined && isCsvType(type))
    return withFile(takes.csvField, takes.body, bytes, rawQuery);
  if (bytes.length === 0) return inputOfJson({}, rawQuery);
  if (!isJsonType(type))
    return refused(
      'unsupported_media_type',
      takes.csvField === undefined ? {} : { message: 'Send application/json or text/csv.' },
    );
  const read = readObject(bytes);
  return 'refusal' in read ? read.refusal : inputOfJson(read.object, rawQuery);
}

export const inputOfJson = (body: JsonObject, rawQuery: string): Input => ({
  fields: body,
  body,
  file: null,
  rawQuery,
  errors: [],
});

/** A charset parameter is allowed; UTF-8 is assumed. */
const isCsvType = (contentType: string): boolean => /^text\/csv[ \t]*(;|$)/i.test(contentType);

function withFile(name: string, schema: TSchema | undefined, file: Buffer, rawQuery: string): Input {
  const { fields, errors } = fieldsInQuery(rawQuery, schema);
  const isText = isUtf8(file);
  const wrong = [
    ...errors,
    ...(isText ? [] : [fieldError(name, 'invalid_format', 'text in UTF-8')]),
    ...(name in fields ? [givenTwice(name)] : []),
  ];
  const sent = file.length === 0 ? fields : { ...fields, [name]: file.toString('utf8') };
  return { fields, file, body: sent, rawQuery: '', errors: wrong };
}

interface ObjectNode {
  readonly properties?: { readonly [name: string]: ObjectNode };
}
type Texts = { [name: string]: string | Texts };

/** `mapping.date=When` is the field `date` within `mapping`. All values are text. */
function fieldsInQuery(
  rawQuery: string,
  schema: TSchema | undefined,
): { readonly fields: JsonObject; readonly errors: readonly FieldError[] } {
  const declared = (schema as ObjectNode | undefined)?.properties ?? {};
  const fields: Texts = Object.create(null);
  const repeated = new Set<string>();
  for (const [name, text] of new URLSearchParams(rawQuery)) {
    const point = name.indexOf('.');
    const object = point < 0 ? '' : name.slice(0, point);
    const isWithin = Object.hasOwn(declared, object) && declared[object]?.properties !== undefined;
    const within = isWithin ? (fields[object] ??= Object.create(null) as Texts) : fields;
    const own = isWithin ? name.slice(point + 1) : name;
    if (typeof within !== 'string' && !(own in within)) within[own] = text;
    else if (repeated.size < errorsListedMax) repeated.add(name);
  }
  return { fields, errors: [...repeated].map(givenTwice) };
}
