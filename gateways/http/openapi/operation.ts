/** One operation of a document: of a route, by its own declarations, or of a door that is no route (event
 *  streams, the documents themselves), by hand. */
import type { TSchema } from 'typebox';
import type { ErrorCode } from '../../../src/errors.ts';
import type { Door } from '../../server/door.ts';
import { isPublic } from '../access/cors.ts';
import type { KeyRule } from '../access/gate.ts';
import type { Resource, Shown } from '../route/description.ts';
import type { Fixed } from '../route/fixed.ts';
import { about } from '../route/schemas.ts';
import { takesBody } from '../../server/door.ts';
import { takesKey, type AnySpec } from '../route/spec.ts';
import { errorsOf } from './errors.ts';
import type { ResponseHeader } from './shared.ts';

export interface Operation {
  readonly method: Door['method'];
  readonly path: string;
  readonly key: KeyRule;
  readonly resource: Resource;
  readonly operation: string;
  readonly summary: string;
  readonly description?: string | undefined;
  /** What the path's `{id}` or `{key}` refers to. */
  readonly object?: string | undefined;
  readonly query?: TSchema | undefined;
  readonly metadataFilter?: boolean | undefined;
  /** Request headers of its own. */
  readonly headers?: readonly HeaderRead[];
  readonly body?: Shown | undefined;
  /** The field that may also be the whole body, as `text/csv`. */
  readonly csvField?: string | undefined;
  readonly results: readonly Result[];
  readonly errors: readonly ErrorCode[];
  /** Whether an `Idempotency-Key` is read. */
  readonly keyed: boolean;
  /** Whether unknown names are reported, and `Api-Version` is read. */
  readonly checksInput: boolean;
  /** Whether a page of any origin may read its answers. */
  readonly anyOrigin: boolean;
}

export interface HeaderRead {
  readonly name: string;
  readonly description: string;
  readonly example: string;
}

/** One 2xx answer. */
export interface Result {
  readonly status: number;
  readonly description: string;
  /** Headers beside those of every answer. */
  readonly headers?: readonly ResponseHeader[];
  /** By media type; empty for an answer without a body. */
  readonly content: { readonly [mediaType: string]: Shown };
}

export function operationOf(spec: AnySpec): Operation {
  const { method, path, key, resource, operation, summary, description, object, query, metadataFilter } =
    spec;
  const { answer, otherTypes = {}, reply } = spec;
  return {
    method,
    path,
    key,
    resource,
    operation,
    summary,
    description,
    object,
    query,
    metadataFilter,
    body: bodyOf(spec),
    csvField: spec.csvField,
    results: [
      {
        status: reply,
        description: resultTexts[reply],
        headers: spec.csv === undefined ? [] : csvHeaders,
        content: { 'application/json': answer, ...otherTypes },
      },
    ],
    errors: errorsOf(spec),
    keyed: takesKey(spec),
    checksInput: true,
    anyOrigin: isPublic(path),
  };
}

const csvHeaders = ['Content-Disposition', 'X-Total-Count'] as const;

const resultTexts = { 200: 'Done.', 201: 'Created.' };

function bodyOf(spec: AnySpec): Shown | undefined {
  if (spec.body === undefined || !takesBody(spec)) return undefined;
  return { schema: withFixed(spec.body, spec.fixed), example: spec.exampleBody ?? {} };
}

/** The body with the fields that a change cannot touch, told as such. */
function withFixed(body: TSchema, fixed: Fixed | undefined): TSchema {
  if (fixed === undefined) return body;
  const { properties = {} } = body as { readonly properties?: { readonly [name: string]: TSchema } };
  const described = Object.entries(fixed.fields).map(([name, schema]) => {
    const { description = '' } = schema as { readonly description?: string };
    return [name, about(`${description} ${neverChanges}`.trim(), schema)] as const;
  });
  return { ...body, properties: { ...properties, ...Object.fromEntries(described) } } as TSchema;
}

const neverChanges =
  'Never changes: leave it out, or send the stored value. Another one is `not_changeable`.';
