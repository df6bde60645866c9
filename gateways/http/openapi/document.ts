/** The OpenAPI document of a set of operations: https://spec.openapis.org/oas/v3.1.1. */
import type { ErrorCode } from '../../../src/errors.ts';
import { apiVersion } from '../../../src/kernel/api-releases.ts';
import { exampleOf, messageOf, securityOf } from './errors.ts';
import type { Operation } from './operation.ts';
import { conflictExample, operationObject } from './path.ts';
import { Components, type Json } from './schema.ts';
import { errorSchemas, parameters, responseHeaders, securitySchemes } from './shared.ts';

export interface About {
  readonly title: string;
  readonly description: string;
  /** Where the service is reached: `BASE_URL`. */
  readonly baseUrl: string;
}

export function documentOf({ title, description, baseUrl }: About, operations: readonly Operation[]): Json {
  const components = new Components();
  const paths = pathsOf(operations, components);
  const resources = new Map(operations.map(({ resource }) => [resource.name, resource]));
  const codes = new Set(operations.flatMap(({ errors }) => errors));
  const keyed = operations.some((operation) => operation.keyed);
  const schemes = new Set(operations.flatMap(({ key }) => securityOf(key).flatMap(Object.keys)));
  const errors = keyed ? errorSchemas : without(errorSchemas, 'IdempotencyConflict');
  return {
    openapi: '3.1.1',
    info: {
      title,
      version: apiVersion,
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    tags: [...resources.values()].map(({ name, description: about }) => ({ name, description: about })),
    paths,
    components: {
      schemas: { ...components.schemas, ...errors },
      parameters: keyed ? parameters : without(parameters, 'IdempotencyKey'),
      headers: only(responseHeaders, usedHeaders(paths)),
      examples: { ...errorExamples(codes), ...(keyed ? { idempotency_conflict: conflictExample } : {}) },
      securitySchemes: only(securitySchemes, schemes),
    },
  };
}

function pathsOf(operations: readonly Operation[], components: Components): Json {
  const paths = new Map<string, { [method: string]: Json }>();
  for (const operation of operations) {
    const item = paths.get(operation.path) ?? {};
    item[operation.method.toLowerCase()] = operationObject(operation, components);
    paths.set(operation.path, item);
  }
  return Object.fromEntries(paths);
}

const errorExamples = (codes: ReadonlySet<ErrorCode>): Json =>
  Object.fromEntries(
    [...codes].toSorted().map((code) => [code, { summary: messageOf(code), value: exampleOf(code) }]),
  );

const without = (all: Json, name: string): Json => {
  const { [name]: _unused, ...rest } = all;
  return rest;
};

const only = (all: Json, names: ReadonlySet<string>): Json =>
  Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name)));

const usedHeaders = (paths: Json): ReadonlySet<string> =>
  new Set(
    [...JSON.stringify(paths).matchAll(/#\/components\/headers\/([\w-]+)/g)].map(([, name = '']) => name),
  );
