/** A route, told once: who may call it and where, what it checks and does, and how it is described. Boundary: data,
 *  its types, and what follows from the method alone; route.ts makes doors of it.
 *  1. The names in its paths and in `mints` are types: a handler that reads another one does not compile. */
import { Type, type Static, type TSchema } from 'typebox';
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

/** Who may call a route, each at a path of its own. */
export interface Places {
  /** Whoever has the key that `key` names. */
  readonly api?: `/v1/${string}`;
  /** The operator, by the admin token. */
  readonly operator?: `/admin/v1/${string}`;
  /** A login of the dashboard. true: the path of the API below a project and a mode, or the operator's path for logins
   *  of the operator. A text: a path of its own below them. Where the operator names a project by `{id}` and a mode by
   *  `mode`, the place names them: the handler finds both where the operator sends them. */
  readonly dashboard?: true | string;
  /** A program on NATS, by a command: the kind that its subject names, and the command's name. The id of the subject is
   *  the path's `{id}`, or without one the field `<kind>Id` of the body. */
  readonly command?: `${string}.${string}`;
}

/** Names in braces. */
type NamesIn<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
type PathsOf<At> = Extract<At[keyof At], string>;
/** Names that only one of its two paths has. The operator's `{id}` of a project is that of the place. */
type NamesOnce<At> = At extends {
  readonly operator: infer Operator;
  readonly dashboard: infer Own extends string;
}
  ? Exclude<NamesIn<Operator>, NamesIn<Own> | ProjectIn<Operator>> | Exclude<NamesIn<Own>, NamesIn<Operator>>
  : never;
type ProjectIn<Path> = Path extends `${typeof projectPath}${string}` ? 'id' : never;

/** The operator's paths of one project. */
export const projectPath = '/admin/v1/projects/{id}/';

/** The values of the path's names. */
export type ParamsOf<At> = {
  readonly [Name in NamesIn<PathsOf<At>>]: Name extends NamesOnce<At> ? string | undefined : string;
};
export interface AnyParams {
  readonly [name: string]: string;
}
export interface ById {
  readonly id: string;
}

export type CallerOf<Key extends KeyRule> = Key extends 'operator' | 'none' ? null : Caller;

export interface Call<Key extends KeyRule, Body, Query, Params = AnyParams, NewIds = Ids> {
  readonly caller: CallerOf<Key>;
  readonly params: Params;
  readonly query: Query;
  /** `metadata.<key>=<text>` of the query. */
  readonly metadataTags: readonly string[];
  /** The client prefers CSV, and the route can answer it. */
  readonly wantsCsv: boolean;
  readonly body: Body;
  /** The ids of the objects to create, by the names in `mints`. */
  readonly ids: NewIds;
  /** The identity of a keyed request; added to every ask that changes something. */
  readonly identity: Pick<Asking, 'identity' | 'again'>;
  readonly requestId: string;
}

/** The keys of a route's callers: an operator's route that is also told at a project is called by its logins, too. */
type KeysOf<At, Key extends KeyRule> = At extends { readonly operator: string; readonly dashboard: string }
  ? Key | 'secret'
  : Key;

/** A route of the API. */
export interface RouteSpec<
  At extends Places,
  Key extends KeyRule,
  Body extends TSchema,
  Query extends TSchema,
  Answered extends TSchema,
  Mint extends string,
>
  extends
    Omit<RouteRules<KeysOf<At, Key>, Body, Query, ParamsOf<At>, Mint>, 'key' | 'operation'>,
    Description<Body, Answered> {
  readonly at: At;
  readonly key: Key;
}

/** A route of our own pages, which no document describes; its handler says what it answers. */
export interface OwnSpec<
  At extends Places,
  Body extends TSchema,
  Query extends TSchema,
  Value,
  Mint extends string,
> extends Omit<RouteRules<'secret', Body, Query, ParamsOf<At>, Mint>, 'key' | 'operation' | 'handle'> {
  readonly at: At;
  /** Its row in docs/reference/api.md, Markdown. */
  readonly does: string;
  handle(
    call: Call<'secret', Static<Body>, Static<Query>, ParamsOf<At>, { readonly [Name in Mint]: string }>,
  ): MaybePromise<Answer<Value>>;
}

/** What a route checks and does. */
export interface RouteRules<
  Key extends KeyRule,
  Body extends TSchema,
  Query extends TSchema,
  Params = AnyParams,
  Mint extends string = string,
> {
  /** What changes of the API know it by. Absent: our own pages, which are always of the newest version. */
  readonly operation?: string;
  readonly method: Door['method'];
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
  readonly mints?: { readonly [Name in Mint]: (params: Params) => string };
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
    call: Call<Key, Static<Body>, Static<Query>, Params, { readonly [Name in Mint]: string }>,
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
  handle(
    call: Call<Key, Static<Body>, Static<Query>, Params, { readonly [Name in Mint]: string }>,
  ): MaybePromise<Answer | Rows>;
}

/** Where it is mounted. */
export interface Mounted {
  readonly path: string;
}

/** Specs whose types were checked where they were written. */
export type AnySpec = Omit<RouteRules<KeyRule, TSchema, TSchema>, 'operation'> & Description & Mounted;
export type AnyRules = RouteRules<KeyRule, TSchema, TSchema> & Mounted;

/** A route as data: mounted at each of its places, and described where it is the API's. `exchange` is never set: the
 *  types of what a caller sends and is answered. */
export interface Route<At extends Places = Places, Method = Door['method'], Body = unknown, Value = unknown>
  extends Omit<RouteRules<KeyRule, TSchema, TSchema>, 'method'>, Partial<Omit<Description, 'operation'>> {
  readonly at: At;
  readonly method: Method & Door['method'];
  /** Of a route of our own pages. */
  readonly does?: string;
  readonly exchange?: { readonly body: Body; readonly value: Value };
}

const nothing = Type.Object({});
type Nothing = typeof nothing;

/** A route of the API. */
export const route = <
  const At extends Places,
  const Method extends Door['method'],
  Key extends KeyRule,
  Answered extends TSchema,
  Body extends TSchema = Nothing,
  Query extends TSchema = Nothing,
  Mint extends string = never,
>(
  spec: RouteSpec<At, Key, Body, Query, Answered, Mint> & { readonly method: Method },
) => spec as unknown as Route<At, Method, Static<Body>, Static<Answered>>;

/** A route of the dashboard alone, for every login that may open the project. */
export const ownRoute = <
  const At extends Places,
  const Method extends Door['method'],
  Value,
  Body extends TSchema = Nothing,
  Query extends TSchema = Nothing,
  Mint extends string = never,
>(
  spec: OwnSpec<At, Body, Query, Value, Mint> & { readonly method: Method },
) => ({ ...spec, key: 'secret' }) as unknown as Route<At, Method, Static<Body>, Value>;

/** Whether an `Idempotency-Key` is read. */
export const takesKey = ({ method, key }: Pick<AnySpec, 'method' | 'key'>): boolean =>
  method === 'POST' && key !== 'operator' && key !== 'none';
