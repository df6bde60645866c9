/** What the pages call: the routes that are mounted at the dashboard, by method and path, with the types of what each
 *  takes and answers. Boundary: types of the service's own routes, and addresses; api.ts sends. */
import type { Static } from 'typebox';
import type { Provider } from '../../../../src/providers/catalog.ts';
import type { Shown } from '../../../http/route/description.ts';
import type { Mode } from '../../../../src/runtime/model/address.ts';
import type { Route } from '../../../http/route/spec.ts';
import type { routesOf } from '../../../http/routes.ts';
import type { ownRoutesOf } from '../../server/api.ts';
import type { Upload } from './asked.ts';

export type { Mode };

/** The scope of a screen: one project in one mode. */
export interface Place {
  readonly projectId: string;
  readonly mode: Mode;
}

type Mounted = ReturnType<typeof routesOf>[number] | ReturnType<typeof ownRoutesOf>[number];

type PlacesOf<One> = One extends Route<infer At> ? At : never;
type MethodOf<One> = One extends { readonly method: infer Method extends string } ? Method : never;
/** What is sent and answered. The place says the mode that the operator sends. */
type ExchangeOf<One> =
  One extends Route<infer At, infer _Method, infer Body, infer Value>
    ? {
        readonly body: At extends { readonly operator: string; readonly dashboard: string }
          ? Omit<Body, 'mode'>
          : Body;
        readonly value: Frozen<Value>;
      }
    : never;

/** The page changes nothing of what it was answered. */
export type Frozen<Value> = Value extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Frozen<Value[Name]> }
    : Value;

/** The object that a schema describes. */
export type ObjectOf<One> = One extends Shown<infer Schema> ? Frozen<Static<Schema>> : never;

/** A route's path as it is written; one of its own there is below project and mode. */
type PathOf<At> = At extends { readonly dashboard: infer Own extends string }
  ? Own
  : At extends { readonly dashboard: true }
    ? At[keyof At & ('api' | 'operator')]
    : never;

/** By names like `GET /v1/payments`. */
export type Calls = {
  readonly [One in Mounted as `${MethodOf<One>} ${PathOf<PlacesOf<One>> & string}`]: ExchangeOf<One>;
};
export type CallName = keyof Calls;
export type ValueOf<Name extends CallName> = Calls[Name]['value'];

/** null is sent for what is absent; a provider is a text, which a form has from the service. */
type Sent<Body> = {
  readonly [Name in keyof Body]: Field<Body[Name]> | ({} extends Pick<Body, Name> ? null : never);
};
type Field<Value> = Provider extends Value ? string | Exclude<Value, Provider> : Frozen<Value>;
/** What it takes. */
export type BodyOf<Name extends CallName> = Sent<Calls[Name]['body']>;

/** The calls that answer a page of such rows. */
export type ListName<Row> = {
  [Name in CallName]: ValueOf<Name> extends { readonly data: readonly Row[]; readonly total: number }
    ? Name
    : never;
}[CallName];

type ParamsIn<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | ParamsIn<Rest> : never;

export type Input<Name extends CallName> = { readonly [Param in ParamsIn<Name>]: string } & {
  readonly query?: URLSearchParams | Readonly<Record<string, string>>;
  /** Sent again with the same key, it is executed once. */
  readonly key?: string;
  readonly upload?: Upload;
} & ({} extends BodyOf<Name> ? { readonly body?: BodyOf<Name> } : { readonly body: BodyOf<Name> });

/** null: what is the operator's. */
export type PlaceOf<Name extends CallName> = Name extends `${string} /admin/v1/${string}` ? null : Place;

export type Given<Name extends CallName> =
  {} extends Input<Name> ? [input?: Input<Name>] : [input: Input<Name>];

export const pathOf = ({ projectId, mode }: Place): string => `api/${encodeURIComponent(projectId)}/${mode}`;

/** Below /dashboard. */
export function addressOf(
  path: string,
  place: Place | null,
  params: Readonly<Record<string, unknown>>,
): string {
  const named = path.replace(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(String(params[name])),
  );
  return place === null
    ? named.replace('/admin/v1', 'api/operator')
    : `${pathOf(place)}/${named.replace('/v1/', '')}`;
}
