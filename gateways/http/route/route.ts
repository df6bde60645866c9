/** A route of the API: one description that yields its checks and types.
 *  Boundary: everything between the listener and a handler; a handler sees only checked input.
 *  1. Checks run in the order of docs/reference/api.md, and the first failure is the answer.
 *  2. A handler never throws because of a client's input; what it throws is a bug (500) or a store that
 *     does not answer (503). */
import { setImmediate } from 'node:timers/promises';
import { Type, type TSchema } from 'typebox';
import { whenThere, type MaybePromise } from '../../../src/kernel/maybe-promise.ts';
import type { FieldError } from '../../../src/errors.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import { noSuch, refused, unavailable, type Answer, type Refused } from './answer.ts';
import type { Caller } from '../access/auth.ts';
import { takesBody, type Door, type DoorReply, type DoorRequest } from '../../server/door.ts';
import { assert } from '../../../src/kernel/assert.ts';
import type { ApiVersions } from '../../../src/kernel/api-versions.ts';
import { CsvReplies } from './csv-reply.ts';
import { isPublic, publicHeaders } from '../access/cors.ts';
import type { FairQueue } from '../access/fair-queue.ts';
import { bodyBytesMaxUsual } from '../../server/paths.ts';
import { checkOf, nothingSent, type AllChecked, type Check } from './check.ts';
import { changedIn } from './fixed.ts';
import { isAdmitted, refusalReply, type Admitted, type Gate, type KeyRule } from '../access/gate.ts';
import { isIdempotencyKey, type Idempotency, type Ids } from './idempotency.ts';
import { prefersCsv } from '../../server/accept.ts';
import { StoreUnresponsive } from './reading.ts';
import { jsonReply, keptReply, none, withHeaders, type Headers } from './reply.ts';
import { inputOf, inputOfJson, sentIn, type Input, type JsonObject } from './request.ts';
import { withIgnored } from './unknown-names.ts';
import { takesKey, type AnyRules, type Call, type Mounted, type RouteRules } from './spec.ts';

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

/** Makes one door. */
export interface MakeDoor {
  <Key extends KeyRule, Body extends TSchema = Nothing, Query extends TSchema = Nothing>(
    spec: RouteRules<Key, Body, Query> & Mounted,
  ): Door;
}

/** Turns routes into doors. Schemas are compiled here, once. */
export const routeMaker =
  (parts: RouteParts): MakeDoor =>
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
  private readonly check: Check;
  private readonly takesBody: boolean;
  private readonly takesKey: boolean;
  /** null: the result is JSON only. */
  private readonly csv: CsvReplies | null;

  constructor(parts: RouteParts, spec: AnyRules) {
    this.parts = parts;
    this.spec = spec;
    this.check = checkOf(spec, parts.allowPrivateHosts);
    this.takesBody = takesBody(spec);
    this.takesKey = takesKey(spec);
    this.csv = spec.csv === undefined ? null : new CsvReplies(spec.csv, parts.log);
  }

  /** The stages of a request, in the order of docs/reference/api.md: the listener has found the route and measured the
   *  body; then admit, version, key, body, fields, run, answer. The first that refuses ends it.
   *  No promise where none is needed: every GET takes this path. */
  handle(request: DoorRequest): MaybePromise<DoorReply> {
    try {
      const version = sentIn(request, 'api-version');
      const admitted = this.parts.gate.admit(request, this.spec);
      const reply =
        admitted instanceof Promise
          ? admitted.then((late) => this.admitted(late, version, request))
          : this.admitted(admitted, version, request);
      return reply instanceof Promise
        ? reply.catch((error: unknown) => this.failed(error, request.requestId))
        : reply;
    } catch (error) {
      return this.failed(error, request.requestId);
    }
  }

  private admitted(
    admitted: Admitted | DoorReply,
    version: string | null,
    request: DoorRequest,
  ): MaybePromise<DoorReply> {
    if (!isAdmitted(admitted)) return admitted;
    const { caller, headers } = admitted;
    const passing: Passing = { ...nothingRead, request, caller, headers };
    const refusal = this.version(passing, version);
    return refusal === null && request.body.length > bodyBytesMaxUsual
      ? this.inTurn(passing)
      : this.run(passing, refusal ?? this.read(passing));
  }

  private read(passing: Passing): Refused | null {
    return this.key(passing) ?? this.input(passing) ?? this.fields(passing);
  }

  /** A large body: parsed and hashed while no other one is, with projects taking turns. Between its steps whatever
   *  else waits is served. */
  private async inTurn(passing: Passing): Promise<DoorReply> {
    const { request, caller } = passing;
    const leave = await this.parts.largeBodies.enter(caller?.projectId ?? request.ip);
    if (leave === null) return this.run(passing, unavailable);
    let reply: MaybePromise<DoorReply>;
    try {
      const refusal = this.read(passing);
      await setImmediate();
      reply = this.run(passing, refusal);
    } finally {
      void setImmediate().then(leave);
    }
    return reply;
  }

  /** The caller as of the version that was asked for, or else of its key; the answer says so where it is not the
   *  newest. */
  private version(passing: Passing, sent: string | null): Refused | null {
    const { caller, headers } = passing;
    const version = this.parts.versions.chosen(sent, caller?.apiVersion ?? '');
    if (version === null) return refused('api_version_unknown');
    passing.version = version;
    if (caller !== null && caller.apiVersion !== version) passing.caller = { ...caller, apiVersion: version };
    const ofVersion = this.parts.versions.headers(version);
    if (ofVersion !== none) passing.headers = { ...headers, ...ofVersion };
    return null;
  }

  private key(passing: Passing): Refused | null {
    passing.key = this.takesKey ? sentIn(passing.request, 'idempotency-key') : null;
    return passing.key === null || isIdempotencyKey(passing.key) ? null : refused('idempotency_key_invalid');
  }

  /** The body as an object, as of the newest version, and what is the query. */
  private input(passing: Passing): Refused | null {
    const { request, version } = passing;
    const input = this.takesBody ? inputOf(this.spec, request) : inputOfJson({}, request.rawQuery);
    if ('is' in input) return input;
    const { operation } = this.spec;
    passing.input = input;
    passing.sent =
      operation === undefined ? input.body : this.parts.versions.request(version, operation, input.body);
    return null;
  }

  /** Every field of body and query; all that are wrong are told at once. */
  private fields(passing: Passing): Refused | null {
    const { input, sent, caller, headers } = passing;
    const checked = this.check({ ...input, body: sent }, caller);
    const { fixed } = this.spec;
    const ignored =
      fixed === undefined
        ? checked.ignored
        : checked.ignored.filter((name) => !Object.hasOwn(fixed.fields, name));
    passing.headers = withIgnored(headers, ignored);
    passing.checked = checked;
    return checked.errors.length > 0 ? invalid(checked.errors) : null;
  }

  private run(passing: Passing, refusal: Refused | null): MaybePromise<DoorReply> {
    if (refusal !== null) return refusalReply(refusal, passing.request.requestId, passing.headers);
    const ready = this.readyOf(passing);
    const { call, keyed, headers } = ready;
    const { request, version } = passing;
    if (keyed !== null) return this.runOnce(ready, keyed, request);
    const reply = (answer: Answer): DoorReply =>
      answer.is === 'done' && answer.bytes !== undefined && version === this.parts.versions.newest
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

  private readyOf({ request, caller, headers, version, key, input, sent, checked }: Passing): Ready {
    const { requestId, params } = request;
    return {
      version,
      headers,
      sent,
      keyed: key === null || caller === null ? null : { key, caller, body: input.fields, file: input.file },
      call: {
        caller,
        params,
        query: checked.query,
        metadataTags: checked.tags,
        wantsCsv: this.csv !== null && prefersCsv(request.header('accept')),
        body: checked.body,
        ids: this.mintedIds(params),
        identity: unkeyed,
        requestId,
      },
    };
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

/** What is known of a request so far; each stage adds to it. */
interface Passing {
  readonly request: DoorRequest;
  caller: Caller | null;
  headers: Headers;
  version: string;
  key: string | null;
  input: Input;
  /** The body before its check. */
  sent: JsonObject;
  checked: AllChecked;
}

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

const nothingRead = { version: '', key: null, input: inputOfJson({}, ''), sent: {}, checked: nothingSent };

/** 400 with every bad field; `param` and `message` repeat the first. */
export function invalid(fields: readonly FieldError[]): Refused {
  const [first] = fields;
  return refused('validation_failed', {
    errors: fields,
    ...(first === undefined ? {} : { param: first.param, message: first.message }),
  });
}
