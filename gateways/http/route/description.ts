/** What a route declares for its readers: how the OpenAPI document and the reference describe it.
 *  Boundary: data. Nothing here is read while a request is answered, and no reply is checked against it in
 *  production; test/gateways/http/openapi compares both with the running service. */
import type { Static, TSchema } from 'typebox';
import type { ErrorCode } from '../../../src/errors.ts';

/** A group of operations: a tag of the document, and a page of the reference. */
export interface Resource {
  readonly name: string;
  /** One or two sentences in plain words. */
  readonly description: string;
}

/** A schema and a true value of it: one that the running service answers, except for ids and times. */
export interface Shown<Schema extends TSchema = TSchema> {
  readonly schema: Schema;
  readonly example: Static<Schema>;
  /** Further examples by name, where one cannot show everything. */
  readonly others?: { readonly [name: string]: Static<Schema> };
}

export const shown = <Schema extends TSchema>(schema: Schema, example: Static<Schema>): Shown<Schema> => ({
  schema,
  example,
});

/** A view that tests hold to this schema, with its type. */
export const viewAs = <Schema extends TSchema>(_shown: Shown<Schema>, view: object): Static<Schema> =>
  view as Static<Schema>;

export interface Description<Body extends TSchema = TSchema, Answered extends TSchema = TSchema> {
  readonly resource: Resource;
  /** The operationId: a verb and a noun, `createCheckout`. Unique; client libraries name a method by it. */
  readonly operation: string;
  /** At most 80 characters, imperative, without a full stop. */
  readonly summary: string;
  /** What the summary leaves out, in plain words. */
  readonly description?: string;
  /** The body of a result. */
  readonly answer: Shown<Answered>;
  /** The result in other media types, for clients that ask for one (`Accept`). */
  readonly otherTypes?: { readonly [mediaType: string]: Shown };
  /** What the handler itself refuses with. Errors that follow from the key, the body, the query, the limits
   *  and the path are derived (openapi/errors.ts). */
  readonly errors?: readonly ErrorCode[];
  /** A body that is accepted. */
  readonly exampleBody?: Static<Body>;
}
