/** What a request sends to a route: one JSON object, or a CSV file as the whole body with the other fields in the
 *  query.
 *  Boundary: reads bytes and names; the fields are checked by fields.ts. */
import { isUtf8 } from 'node:buffer';
import type { TSchema } from 'typebox';
import { errorsListedMax, fieldError, type FieldError } from '../../../src/errors.ts';
import type { DoorRequest } from '../../server/door.ts';
import { refused, type Refused } from './answer.ts';
import { givenTwice, isJsonType, readObject, type JsonObject } from './request.ts';

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
export function fieldsInQuery(
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
