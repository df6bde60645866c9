/** Reads the input of a request: JSON bodies and queries.
 *  1. A body is UTF-8, one JSON object, nested at most `jsonDepthMax` deep; anything else is
 *     `invalid_json`.
 *  2. A name in a body or query is only text: `__proto__` is a key like any other. */
import { isUtf8 } from 'node:buffer';
import type { TSchema } from 'typebox';
import type { JsonValue } from '../../../src/kernel/canonical-json.ts';
import { errorsListedMax, fieldError, type FieldError } from '../../../src/errors.ts';
import { withFractionsKept } from './fractions.ts';

export const jsonDepthMax = 64;
export const metadataFiltersMax = 3;

export type JsonObject = { readonly [key: string]: JsonValue };

/** Only JSON is accepted; a charset parameter is allowed. */
export const isJsonType = (contentType: string): boolean =>
  /^application\/json[ \t]*(;|$)/i.test(contentType);

/** The object in a body; null when it holds none. An empty body is `{}`. */
export function objectFrom(body: Buffer): JsonObject | null {
  if (body.length === 0) return {};
  if (!isUtf8(body) || tooDeep(body)) return null;
  const text = body.toString('utf8').replace(/^\uFEFF/, '');
  const value = exact(text, parsed(text));
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return null;
  // an escaped lone surrogate is not valid text in any encoding; it could not be stored as it was sent
  if (/\\u[dD]/.test(text) && holdsLoneSurrogate(value)) return null;
  return value as JsonObject;
}

/** The value with no fraction lost to rounding; `text` is JSON, or `value` null. */
function exact(text: string, value: JsonValue): JsonValue {
  const kept = value === null ? text : withFractionsKept(text);
  return kept === text ? value : parsed(kept);
}

function parsed(text: string): JsonValue {
  try {
    // JSON.parse returns a JSON value
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}

const quote = 0x22;
const backslash = 0x5c;

/** Counted on the bytes, so that a deeply nested value is never built. */
function tooDeep(body: Buffer): boolean {
  let depth = 0;
  let inText = false;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i];
    if (inText) {
      if (byte === backslash) i++;
      else if (byte === quote) inText = false;
    } else if (byte === quote) inText = true;
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > jsonDepthMax) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return false;
}

function holdsLoneSurrogate(value: JsonValue): boolean {
  if (typeof value === 'string') return /\p{Surrogate}/u.test(value);
  if (value === null || typeof value !== 'object') return false;
  return Object.entries(value).some(([key, each]) => holdsLoneSurrogate(key) || holdsLoneSurrogate(each));
}

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
  for (const name of repeated) errors.push(fieldError(name, 'wrong_type', 'given once'));
  if (tags.length > metadataFiltersMax) {
    errors.push(fieldError('metadata', 'metadata_too_many_keys', String(metadataFiltersMax)));
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
