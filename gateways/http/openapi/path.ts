/** One operation as an Operation Object of OpenAPI. */
import { Type } from 'typebox';
import { errors, idempotencyConflict, conflictBody, type ErrorCode } from '../../../src/errors.ts';
import { nullsIn, withNulls } from '../route/nulls.ts';
import { metadataFiltersMax } from '../route/request.ts';
import { takesBody } from '../../server/door.ts';
import type { Shown } from '../route/description.ts';
import { messageOf, securityOf } from './errors.ts';
import type { HeaderRead, Operation, Result } from './operation.ts';
import type { Components, Json } from './schema.ts';
import type { ResponseHeader } from './shared.ts';

export function operationObject(operation: Operation, components: Components): Json {
  const { description, summary, resource, key } = operation;
  return {
    operationId: operation.operation,
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [resource.name],
    security: securityOf(key),
    ...listed('parameters', parametersOf(operation, components)),
    ...(takesBody(operation) ? { requestBody: requestBodyOf(operation, components) } : {}),
    responses: {
      ...Object.fromEntries(
        operation.results.map((result) => [
          String(result.status),
          resultObject(operation, result, components),
        ]),
      ),
      ...errorResponses(operation),
    },
  };
}

const listed = (name: string, values: readonly Json[]): Json =>
  values.length === 0 ? {} : { [name]: values };

function parametersOf(operation: Operation, components: Components): readonly Json[] {
  const { path, object, query, metadataFilter, headers = [], keyed, checksInput } = operation;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: name === 'id' || name === 'key' ? `Names the ${object ?? 'object'}.` : `Which ${name}.`,
    schema: { type: 'string' },
  }));
  return [
    ...inPath,
    ...(query === undefined ? [] : inQuery(components.shown(query))),
    ...besideFile(operation, components),
    ...(metadataFilter === true ? [metadataParameter] : []),
    ...headers.map(headerParameter),
    ...(keyed ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...(checksInput ? [{ $ref: '#/components/parameters/ApiVersion' }] : []),
  ];
}

interface ObjectSchema {
  readonly properties?: { readonly [name: string]: Json };
  readonly required?: readonly string[];
}

function inQuery(schema: Json): readonly Json[] {
  const { properties = {}, required = [] } = schema as ObjectSchema;
  return Object.entries(properties).map(([name, { description, ...type }]) => ({
    name,
    in: 'query',
    ...(description === undefined ? {} : { description }),
    required: required.includes(name),
    schema: type,
  }));
}

/** The other fields of a body, where a file is the body itself. */
function besideFile({ body, csvField }: Operation, components: Components): readonly Json[] {
  if (body === undefined || csvField === undefined) return [];
  return Object.entries(flat(components.shown(body.schema))).flatMap(([name, { description, ...type }]) =>
    name === csvField
      ? []
      : [
          {
            name,
            in: 'query',
            description: `With a body of \`text/csv\`: ${String(description)}`,
            required: false,
            schema: type,
          },
        ],
  );
}

/** `mapping.date`: a field within an object. */
const flat = (schema: Json): { readonly [name: string]: Json } =>
  Object.fromEntries(
    Object.entries((schema as ObjectSchema).properties ?? {}).flatMap(([name, field]) =>
      field['properties'] === undefined
        ? [[name, field]]
        : Object.entries(flat(field)).map(([own, each]) => [`${name}.${own}`, each]),
    ),
  );

/** Each property of an exploded form is a parameter of its own: `metadata.order_id=1001`. */
const metadataParameter: Json = {
  name: 'metadata',
  in: 'query',
  description:
    'Only objects whose metadata has this text, number or boolean under the key: ' +
    `\`metadata.<key>=<text>\`, at most ${metadataFiltersMax} times.`,
  required: false,
  style: 'form',
  explode: true,
  schema: {
    type: 'object',
    maxProperties: metadataFiltersMax,
    propertyNames: { pattern: '^metadata\\.' },
    additionalProperties: { type: 'string' },
  },
};

const headerParameter = ({ name, description, example }: HeaderRead): Json => ({
  name,
  in: 'header',
  description,
  required: false,
  schema: { type: 'string' },
  example,
});

/** An operation without fields takes an object, too: most clients send one with every POST. */
const noFields: Shown = {
  schema: Type.Object({}, { $id: 'NoFields', description: 'This operation takes no fields.' }),
  example: {},
};

function requestBodyOf({ operation, method, body, csvField }: Operation, components: Components): Json {
  const { schema, example } = body ?? noFields;
  const file = csvField === undefined ? undefined : (example as Json)[csvField];
  const { required = [] } = schema as ObjectSchema;
  const name = `${operation.charAt(0).toUpperCase()}${operation.slice(1)}Body`;
  const shown = nullsIn(method) === 'absent' ? withNulls({ ...schema }) : { ...schema };
  return {
    required: required.length > 0,
    content: {
      'application/json': {
        schema: components.shown(shown, body === undefined ? undefined : name),
        example,
      },
      ...(file === undefined ? {} : { 'text/csv': { schema: { type: 'string' }, example: file } }),
    },
  };
}

function resultObject(
  operation: Operation,
  { description, headers = [], content }: Result,
  components: Components,
): Json {
  const media = Object.entries(content).map(([type, { schema, example, others }]) => [
    type,
    { schema: components.shown(schema), ...examplesOf(example, others) },
  ]);
  return {
    description,
    headers: headersOf([
      ...ofEveryAnswerOf(operation),
      ...(isLimited(operation) ? rateHeaders : []),
      ...(operation.checksInput ? (['X-Ignored-Params'] as const) : []),
      ...(operation.keyed ? (['Idempotent-Replayed'] as const) : []),
      ...headers,
    ]),
    ...(media.length === 0 ? {} : { content: Object.fromEntries(media) }),
  };
}

const examplesOf = (example: unknown, others: Shown['others']): Json =>
  others === undefined
    ? { example }
    : {
        examples: Object.fromEntries(
          Object.entries({ default: example, ...others }).map(([name, value]) => [name, { value }]),
        ),
      };

const ofEveryAnswer = ['X-Request-Id', 'Api-Version', 'Cache-Control'] as const;
const ofEveryAnswerOf = ({ anyOrigin, checksInput }: Operation): readonly ResponseHeader[] => [
  ...ofEveryAnswer,
  ...(checksInput ? (['Deprecation', 'Sunset'] as const) : []),
  ...(anyOrigin ? (['Access-Control-Allow-Origin'] as const) : []),
];
const rateHeaders = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const;

/** Statuses that are always answered before the names in body and query are looked at. Not 403: some follow. */
const beforeInput: ReadonlySet<number> = new Set([401, 413, 415, 429]);

/** Errors that an idempotency record keeps, and repeats. */
const keptStatuses: ReadonlySet<number> = new Set([409, 422, 500]);

/** The operator is limited only after failed authentications. */
const isLimited = ({ key, errors: all }: Operation): boolean =>
  key !== 'operator' && all.includes('rate_limit_exceeded');

const headersOf = (names: readonly ResponseHeader[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** One response for each status, with an example of each code. */
function errorResponses(operation: Operation): Json {
  const byStatus = new Map<number, readonly ErrorCode[]>();
  for (const code of operation.errors) {
    const { status } = errors[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const { status: conflict } = idempotencyConflict;
  if (operation.keyed && !byStatus.has(conflict)) byStatus.set(conflict, []);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      errorResponse(operation, status, codes, operation.keyed && status === conflict),
    ]),
  );
}

function errorResponse(
  operation: Operation,
  status: number,
  codes: readonly ErrorCode[],
  mayConflict: boolean,
): Json {
  const lines = codes.map((code) => `- \`${code}\`: ${messageOf(code)}`);
  if (mayConflict) lines.push(`- \`${idempotencyConflict.code}\`: ${idempotencyConflict.message}`);
  const schemas = [
    ...(codes.length === 0 ? [] : [{ $ref: '#/components/schemas/Error' }]),
    ...(mayConflict ? [{ $ref: '#/components/schemas/IdempotencyConflict' }] : []),
  ];
  const shownCodes = mayConflict ? [...codes, idempotencyConflict.code] : codes;
  return {
    description: lines.join('\n'),
    headers: headersOf([
      ...ofEveryAnswerOf(operation),
      ...(status === 429 || (isLimited(operation) && status !== 401) ? rateHeaders : []),
      ...(operation.checksInput && !beforeInput.has(status) ? (['X-Ignored-Params'] as const) : []),
      ...(operation.keyed && keptStatuses.has(status) ? (['Idempotent-Replayed'] as const) : []),
      ...(status === 429 || status === 503 || mayConflict ? (['Retry-After'] as const) : []),
    ]),
    content: {
      'application/json': {
        schema: schemas.length === 1 ? schemas[0] : { oneOf: schemas },
        examples: Object.fromEntries(
          shownCodes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
        ),
      },
    },
  };
}

/** The example of the flat error. */
export const conflictExample: Json = {
  summary: idempotencyConflict.message,
  value: JSON.parse(conflictBody()) as unknown,
};
