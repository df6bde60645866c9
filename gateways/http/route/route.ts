/** A route of the API: one description that yields its checks and types.
 *  Boundary: everything between the listener and a handler; a handler sees only checked input.
 *  1. Checks run in the order of docs/reference/api.md, and the first failure is the answer.
 *  2. A handler never throws because of a client's input; what it throws is a bug (500) or a store that
 *     does not answer (503). */
import { setImmediate } from 'node:timers/promises';
import { Type, type TSchema } from 'typebox';
import { whenThere, type MaybePromise } from '../../../src/kernel/maybe-promise.ts';
import type { FieldError } from '../../../src/errors.ts';
import type { Mode } from '../../../src/runtime/model/address.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import { noSuch, refused, unavailable, type Answer, type Refused } from './answer.ts';
import type { Caller } from '../access/auth.ts';
import type { Door, DoorReply, DoorRequest } from '../../server/door.ts';
import { assert } from '../../../src/kernel/assert.ts';
import type { ApiVersions } from '../../../src/kernel/api-versions.ts';
import { CsvReplies } from './csv-reply.ts';
import { isPublic, publicHeaders } from '../access/cors.ts';
import type { FairQueue } from '../access/fair-queue.ts';
import { bodyBytesMaxUsual } from '../../server/paths.ts';
import { fieldsOf, type Fields } from './fields.ts';
import { changedIn } from './fixed.ts';
import { isAdmitted, refusalReply, type Admitted, type Gate, type KeyRule } from '../access/gate.ts';
import { isIdempotencyKey, type Idempotency, type Ids } from './idempotency.ts';
import { prefersCsv } from '../../server/accept.ts';
import { nullsIn, type Nulls } from './nulls.ts';
import { StoreUnresponsive } from './reading.ts';
import { jsonReply, keptReply, none, withHeaders, type Headers } from './reply.ts';
import { inputOf, inputOfJson, queryFrom, sentIn, type Input, type JsonObject } from './request.ts';
import { withIgnored } from './unknown-names.ts';
import { takesBody, takesKey, type AnyRules, type Call, type RouteRules, type RouteSpec } from './spec.ts';

/** Dependencies of every route. */
export interface RouteParts {
  readonly gate: Pick<Gate, 'admit'>;
  readonly idempotency: Idempotency;
  readonly largeBodies: Pick<FairQueue, 'enter'>;
  readonly log: Log;
  /** WEBHOOK_ALLOW_PRIVATE_HOSTS. */
  readonly allowPrivateHosts: boolean;
  readonly versions: ApiVersions;
}

const nothing = Type.Object({});
type Nothing = typeof nothing;

/** Makes a route that no document describes: for our own pages, not for clients. */
export interface MakeBareRoute {
  <Key extends KeyRule, Body extends TSchema = Nothing, Query extends TSchema = Nothing>(
    spec: RouteRules<Key, Body, Query>,
  ): Door;
}

/** Makes a route of the API. */
export interface MakeRoute {
  <Key extends KeyRule, Body extends TSchema = Nothing, Query extends TSchema = Nothing>(
    spec: RouteSpec<Key, Body, Query>,
  ): Door;
}

/** Turns routes into doors. Schemas are compiled here, once. */
export const routeMaker =
  (parts: RouteParts): MakeBareRoute =>
  (spec) => {
    const route = new RouteDoor(parts, spec as unknown as AnyRules);
    return {
      method: spec.method,
      path: spec.path,
      lateHeaders: lateHeadersOf(spec),
      ...(spec.bodyBytesMax === undefined ? {} : { bodyBytesMax: spec.bodyBytesMax }),
      handle: isPublic(spec.path)
        ? (request) => whenThere(route.handle(request), (reply) => withHeaders(reply, publicHeaders))
        : (request) => route.handle(request),
    };
  };

const lateHeaders = ['authorization', 'api-version', 'idempotency-key', 'content-type'];

function lateHeadersOf(spec: Pick<AnyRules, 'method' | 'csv'>): readonly string[] {
  if (takesBody(spec)) return lateHeaders;
  return spec.csv === undefined ? [] : ['accept'];
}

const noIds: Ids = {};
const unkeyed: AnyCall['identity'] = {};

class RouteDoor {
  private readonly parts: RouteParts;
  private readonly spec: AnyRules;
  private readonly body: Fields<unknown>;
  private readonly query: Fields<unknown>;
  private readonly querySchema: TSchema;
  private readonly needsQuery: boolean;
  private readonly nulls: Nulls;
  private readonly takesBody: boolean;
  private readonly takesKey: boolean;
  /** null: the result is JSON only. */
  private readonly csv: CsvReplies | null;

  constructor(parts: RouteParts, spec: AnyRules) {
    this.parts = parts;
    this.spec = spec;
    this.body = fieldsOf(spec.body ?? nothing);
    this.querySchema = spec.query ?? nothing;
    this.query = fieldsOf(this.querySchema);
    this.needsQuery = 'required' in this.querySchema;
    this.nulls = nullsIn(spec.method);
    this.takesBody = takesBody(spec);
    this.takesKey = takesKey(spec);
    this.csv = spec.csv === undefined ? null : new CsvReplies(spec.csv, parts.log);
  }

  // No promise where none is needed: every GET takes this path.
  handle(request: DoorRequest): MaybePromise<DoorReply> {
    try {
      const version = sentIn(request, 'api-version');
      const admitted = this.parts.gate.admit(request, this.spec);
      const reply =
        admitted instanceof Promise
          ? admitted.then((late) => this.answer(late, version, request))
          : this.answer(admitted, version, request);
      return reply instanceof Promise
        ? reply.catch((error: unknown) => this.failed(error, request.requestId))
        : reply;
    } catch (error) {
      return this.failed(error, request.requestId);
    }
  }

  private answer(
    admitted: Admitted | DoorReply,
    version: string | null,
    request: DoorRequest,
  ): MaybePromise<DoorReply> {
    if (!isAdmitted(admitted)) return admitted;
    const chosen = this.parts.versions.chosen(version, admitted.caller?.apiVersion ?? '');
    if (chosen === null) {
      return refusalReply(refused('api_version_unknown'), request.requestId, admitted.headers);
    }
    const asking = this.inVersion(admitted, chosen);
    return request.body.length > bodyBytesMaxUsual
      ? this.inTurn(request, asking, chosen)
      : this.run(this.prepare(request, asking, chosen), request, chosen);
  }

  /** A large body: parsed and hashed while no other one is, with projects taking turns. Between its steps whatever
   *  else waits is served. */
  private async inTurn(request: DoorRequest, admitted: Admitted, version: string): Promise<DoorReply> {
    const leave = await this.parts.largeBodies.enter(admitted.caller?.projectId ?? request.ip);
    if (leave === null) return refusalReply(unavailable, request.requestId, admitted.headers);
    let reply: MaybePromise<DoorReply>;
    try {
      const ready = this.prepare(request, admitted, version);
      await setImmediate();
      reply = this.run(ready, request, version);
    } finally {
      void setImmediate().then(leave);
    }
    return reply;
  }

  private run(ready: Ready | DoorReply, request: DoorRequest, chosen: string): MaybePromise<DoorReply> {
    if (!('call' in ready)) return ready;
    const { call, keyed, headers } = ready;
    if (keyed !== null) return this.runOnce(ready, keyed, request);
    const reply = (answer: Answer): DoorReply =>
      answer.is === 'done' && answer.bytes !== undefined && chosen === this.parts.versions.newest
        ? jsonReply(this.spec.reply, answer.bytes, headers)
        : this.reply(this.named(answer, call), request, ready);
    if (call.wantsCsv && this.csv !== null) {
      const asked = { owner: call.caller?.scope ?? '', requestId: call.requestId, headers };
      return this.csv.reply(asked, () => this.spec.handle(call), reply);
    }
    return whenThere(this.handled(ready), (answer) => {
      assert(answer.is !== 'rows', 'only a route with a CSV file answers rows, and only where CSV is wanted');
      return reply(answer);
    });
  }

  /** The handler's answer, unless a field that never changes was sent with another value. */
  private handled({ call, sent }: Ready): ReturnType<AnyRules['handle']> {
    const { fixed } = this.spec;
    const { caller, params } = call;
    const changed =
      fixed === undefined || caller === null ? [] : changedIn(sent, fixed, params['id'] ?? '', caller.scope);
    const answer = (errors: readonly FieldError[]): ReturnType<AnyRules['handle']> =>
      errors.length > 0 ? invalid(errors) : this.spec.handle(call);
    return changed instanceof Promise ? changed.then(answer) : answer(changed);
  }

  private failed(error: unknown, requestId: string): DoorReply {
    return refusalReply(this.caught(error, requestId), requestId);
  }

  /** The caller as of this version; the answer says so where it is not the newest. */
  private inVersion(admitted: Admitted, version: string): Admitted {
    const { caller, headers } = admitted;
    const ofVersion = this.parts.versions.headers(version);
    const pinned = caller === null || caller.apiVersion === version;
    if (pinned && ofVersion === none) return admitted;
    return {
      caller: caller === null ? null : { ...caller, apiVersion: version },
      headers: { ...headers, ...ofVersion },
    };
  }

  /** From the form of the headers to the validation of the fields. */
  private prepare(request: DoorRequest, { caller, headers }: Admitted, version: string): Ready | DoorReply {
    const key = this.takesKey ? sentIn(request, 'idempotency-key') : null;
    if (key !== null && !isIdempotencyKey(key)) {
      return refusalReply(refused('idempotency_key_invalid'), request.requestId, headers);
    }
    const input = this.takesBody ? inputOf(this.spec, request) : inputOfJson({}, request.rawQuery);
    if ('is' in input) return refusalReply(input, request.requestId, headers);
    const { operation } = this.spec;
    const body =
      operation === undefined ? input.body : this.parts.versions.request(version, operation, input.body);
    const checked = this.check({ ...input, body }, caller);
    const { fixed } = this.spec;
    const ignored =
      fixed === undefined
        ? checked.ignored
        : checked.ignored.filter((name) => !Object.hasOwn(fixed.fields, name));
    const all = withIgnored(headers, ignored);
    if (checked.errors.length > 0) return refusalReply(invalid(checked.errors), request.requestId, all);
    const { requestId, params } = request;
    const { query, tags: metadataTags } = checked;
    return {
      version,
      headers: all,
      sent: body,
      keyed: key === null || caller === null ? null : { key, caller, body: input.fields, file: input.file },
      call: {
        caller,
        params,
        query,
        metadataTags,
        wantsCsv: this.csv !== null && prefersCsv(request.header('accept')),
        body: checked.body,
        ids: this.mintedIds(params),
        identity: unkeyed,
        requestId,
      },
    };
  }

  private async runOnce(ready: Ready, keyed: KeyedCall, request: DoorRequest): Promise<DoorReply> {
    const { call, headers, version } = ready;
    const { idempotency } = this.parts;
    const { path, requestId } = request;
    const { method, once, reply: status } = this.spec;
    const outlivedBy = this.spec.outlivedBy?.(keyed.caller) ?? [];
    const asked = { ...keyed, method, path, ids: call.ids, requestId, outlivedBy };
    const begun = await (once === undefined
      ? idempotency.begin(asked)
      : once(call, asked).catch((error: unknown) => this.caught(error, requestId)));
    assert(begun.is !== 'closed', 'only records of routes with `once` are closed');
    if (begun.is === 'refused') return refusalReply(begun, requestId, headers);
    if (begun.is === 'reply') return withHeaders(begun.reply, headers);
    if (begun.is === 'kept') return keptReply(status, begun, headers, this.parts.versions);
    const answer = await this.settled({ ...call, ids: begun.ids, identity: begun.asking });
    const left = await idempotency.finish(
      begun,
      answer,
      this.reply(answer, request, { version, headers: none }),
    );
    return 'is' in left ? refusalReply(left, requestId, headers) : withHeaders(left, headers);
  }

  /** An exception of a handler becomes an answer too, so that a keyed request still settles its record. */
  private async settled(call: AnyCall): Promise<Answer> {
    try {
      const answer = await this.spec.handle(call);
      assert(answer.is !== 'rows', 'a POST answers JSON');
      return this.named(answer, call);
    } catch (error) {
      return this.caught(error, call.requestId);
    }
  }

  /** A 404 repeats what was asked for, in the client's own words and nothing else: another project's object
   *  reads the same as one that never existed. */
  private named(answer: Answer, { params, caller }: AnyCall): Answer {
    const { object } = this.spec;
    if (answer.is === 'done' || answer.code !== 'resource_not_found' || object === undefined) return answer;
    const message = noSuch(object, params['id'] ?? params['key'] ?? '', caller?.mode ?? null);
    return { ...answer, details: { message, ...answer.details } };
  }

  private caught(error: unknown, requestId: string): Refused {
    const silent = error instanceof StoreUnresponsive;
    this.parts.log[silent ? 'warn' : 'error'](
      { err: error, requestId, route: `${this.spec.method} ${this.spec.path}` },
      silent ? error.line : 'a handler failed',
    );
    return silent
      ? { ...unavailable, retryAfterSeconds: error.retryAfterSeconds }
      : refused('internal_error');
  }

  private check({ body, rawQuery, errors: unread }: Input, caller: Caller | null): AllChecked {
    if (!this.takesBody && rawQuery === '' && !this.needsQuery) return nothingSent;
    const context = { mode: caller?.mode ?? noMode, allowPrivateHosts: this.parts.allowPrivateHosts };
    const read = queryFrom(rawQuery, this.querySchema, this.spec.metadataFilter === true);
    const query = this.query.check(read.values, context, 'values');
    const queryErrors = [...unread, ...read.errors, ...query.errors];
    if (!this.takesBody) {
      return { body, query: query.value, tags: read.tags, errors: queryErrors, ignored: query.ignored };
    }
    const fields = this.body.check(body, context, this.nulls);
    const sent = (name: string): boolean => body[name] !== undefined && body[name] !== null;
    const named = new Set(fields.errors.map(({ param }) => param));
    const broken = this.spec.rules?.(sound(fields.value, fields.errors), sent) ?? [];
    // one error per field: its own error comes before one of a rule between fields
    const rules = broken.filter(({ param }) => !named.has(param));
    const errors = rules.length === 0 ? fields.errors : this.body.sorted([...fields.errors, ...rules]);
    return {
      body: fields.value,
      query: query.value,
      tags: read.tags,
      errors: [...queryErrors, ...errors],
      ignored: [...fields.ignored, ...query.ignored],
    };
  }

  private mintedIds(params: DoorRequest['params']): Ids {
    if (this.spec.mints === undefined) return noIds;
    return Object.fromEntries(Object.entries(this.spec.mints).map(([name, mint]) => [name, mint(params)]));
  }

  private reply(answer: Answer, request: DoorRequest, { version, headers }: Answering): DoorReply {
    if (answer.is === 'refused') return refusalReply(answer, request.requestId, headers);
    const { reply, operation } = this.spec;
    const { versions } = this.parts;
    if (version === versions.newest || operation === undefined) return jsonReply(reply, answer.text, headers);
    return jsonReply(reply, versions.answer(version, operation, answer.text), headers);
  }
}

type AnyCall = Call<KeyRule, unknown, unknown>;

/** What identifies a keyed request. */
interface KeyedCall {
  readonly key: string;
  readonly caller: Caller;
  readonly body: JsonObject;
  readonly file: Buffer | null;
}

/** How its answer is written. */
interface Answering {
  readonly version: string;
  readonly headers: Headers;
}

/** A request that has passed every check before its handler. */
interface Ready extends Answering {
  readonly call: AnyCall;
  /** The body before its check. */
  readonly sent: JsonObject;
  readonly keyed: KeyedCall | null;
}

interface AllChecked {
  readonly body: unknown;
  readonly query: unknown;
  readonly tags: readonly string[];
  readonly errors: readonly FieldError[];
  readonly ignored: readonly string[];
}

const nothingSent: AllChecked = { body: {}, query: {}, tags: [], errors: [], ignored: [] };

/** Doors without a key have no mode of their own; their fields are checked by the stricter mode. */
const noMode: Mode = 'live';

/** 400 with every bad field; `param` and `message` repeat the first. */
export function invalid(fields: readonly FieldError[]): Refused {
  const [first] = fields;
  return refused('validation_failed', {
    errors: fields,
    ...(first === undefined ? {} : { param: first.param, message: first.message }),
  });
}

/** The fields without an error of their own. */
function sound(value: unknown, wrong: readonly FieldError[]): object {
  if (wrong.length === 0 && typeof value === 'object' && value !== null) return value;
  const names = new Set(wrong.map(({ param }) => param.split(/[.[]/)[0]));
  return Object.fromEntries(Object.entries(value ?? {}).filter(([name]) => !names.has(name)));
}
