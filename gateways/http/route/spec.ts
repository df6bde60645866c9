/** The specification of a route: what it checks and does, and how it is described. Boundary: types, and what
 *  follows from the method alone. */
import type { Static, TSchema } from 'typebox';
import type { Entitlement, FieldError } from '../../../src/errors.ts';
import type { MaybePromise } from '../../../src/kernel/maybe-promise.ts';
import type { Address } from '../../../src/runtime/model/address.ts';
import type { Asking } from '../../../src/runtime/model/client.ts';
import type { Caller } from '../access/auth.ts';
import type { AddressLimit, KeyRule } from '../access/gate.ts';
import type { Door } from '../../server/door.ts';
import type { Answer, Kept } from './answer.ts';
import type { CsvFile } from './csv-reply.ts';
import type { Fixed } from './fixed.ts';
import type { Description } from './description.ts';
import type { Ids, Keyed, Run, Settled } from './idempotency.ts';
import type { Rows } from './rows.ts';

export type CallerOf<Key extends KeyRule> = Key extends 'operator' | 'none' ? null : Caller;

export interface Call<Key extends KeyRule, Body, Query> {
  readonly caller: CallerOf<Key>;
  readonly params: { readonly [name: string]: string };
  readonly query: Query;
  /** `metadata.<key>=<text>` of the query. */
  readonly metadataTags: readonly string[];
  /** The client prefers CSV, and the route can answer it. */
  readonly wantsCsv: boolean;
  readonly body: Body;
  /** The ids of the objects to create, by the names in `mints`. */
  readonly ids: Ids;
  /** The identity of a keyed request; added to every ask that changes something. */
  readonly identity: Pick<Asking, 'identity' | 'again'>;
  readonly requestId: string;
}

/** A route of the API: what it checks and does, and how it is described. */
export interface RouteSpec<Key extends KeyRule, Body extends TSchema, Query extends TSchema>
  extends Omit<RouteRules<Key, Body, Query>, 'operation'>, Description<Body> {}

/** What a route checks and does. */
export interface RouteRules<Key extends KeyRule, Body extends TSchema, Query extends TSchema> {
  /** What changes of the API know it by. Absent: our own pages, which are always of the newest version. */
  readonly operation?: string;
  readonly method: Door['method'];
  readonly path: string;
  readonly key: Key;
  /** What the path's `{id}` or `{key}` refers to, in the wording of a 404. */
  readonly object?: string;
  /** Counts against the project's limit for creations. */
  readonly creates?: true;
  /** Changes nothing of the merchant's: a read-only key is enough. */
  readonly readIsEnough?: true;
  /** The entitlement that the merchant's plan must include; checked before the request is read. */
  readonly needs?: Entitlement;
  /** Without a key: how often one address may ask. */
  readonly perAddress?: AddressLimit;
  /** The objects to create and their ids, minted before anything is executed. */
  readonly mints?: { readonly [name: string]: (params: { readonly [name: string]: string }) => string };
  readonly body?: Body;
  /** The field that may also come as the whole body, as `text/csv`; the others are then in the query, each a text. */
  readonly csvField?: string;
  /** Of its body, where the 64 KiB of every other route are too few. */
  readonly bodyBytesMax?: number;
  readonly query?: Query;
  /** The list can be filtered by `metadata.<key>=<text>`. */
  readonly metadataFilter?: true;
  /** With a key: the answer, where the object that is created is the record of the key, or the permission to run
   *  under a record. Absent: there is always a record. */
  readonly once?: (
    call: Call<Key, Static<Body>, Static<Query>>,
    keyed: Keyed,
  ) => Promise<Run | Settled | Kept>;
  /** Actors asked under a key that outlive the request. */
  readonly outlivedBy?: (caller: Caller) => readonly Address[];
  /** The result as CSV, for clients that prefer it (`Accept: text/csv`). Only for a GET. */
  readonly csv?: CsvFile;
  /** Status of a result. */
  readonly reply: 200 | 201;
  /** Rules between fields; receives only the fields that are valid by themselves, and which fields were
   *  sent. */
  readonly rules?: (body: Partial<Static<Body>>, sent: (name: string) => boolean) => readonly FieldError[];
  /** Fields of the object that this change cannot touch. Only for a PATCH of `{id}` with a key. */
  readonly fixed?: Fixed;
  /** Returns a plain value, not a promise, when nothing needs to be awaited. */
  handle(call: Call<Key, Static<Body>, Static<Query>>): MaybePromise<Answer | Rows>;
}

/** A spec whose types were checked where it was written. */
export type AnySpec = RouteSpec<KeyRule, TSchema, TSchema>;
export type AnyRules = RouteRules<KeyRule, TSchema, TSchema>;

export const takesBody = ({ method }: Pick<AnySpec, 'method'>): boolean =>
  method !== 'GET' && method !== 'DELETE';

/** Whether an `Idempotency-Key` is read. */
export const takesKey = ({ method, key }: Pick<AnySpec, 'method' | 'key'>): boolean =>
  method === 'POST' && key !== 'operator' && key !== 'none';
