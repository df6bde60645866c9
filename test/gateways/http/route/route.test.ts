import { Type } from 'typebox';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  done,
  refusalOf,
  refused,
  unavailable,
  type Answer,
} from '../../../../gateways/http/route/answer.ts';
import { createAuth } from '../../../../gateways/http/access/auth.ts';
import type { DoorReply, DoorRequest } from '../../../../gateways/server/door.ts';
import { FairQueue } from '../../../../gateways/http/access/fair-queue.ts';
import { Gate } from '../../../../gateways/http/access/gate.ts';
import type { Idempotency, Keyed } from '../../../../gateways/http/route/idempotency.ts';
import { createLimits } from '../../../../gateways/http/access/rate-limit.ts';
import { readingClient, StoreUnresponsive } from '../../../../gateways/http/route/reading.ts';
import { routeMaker, type MakeDoor } from '../../../../gateways/http/route/route.ts';
import { fieldError } from '../../../../src/errors.ts';
import { createLog } from '../../../../src/telemetry/log.ts';
import { FakeClient } from '../../../support/fake-client.ts';
import { neverOpens } from '../../../../src/runtime/activation/store-breaker.ts';
import { versions } from '../../../support/alone.ts';

let client: FakeClient;
let key: string;
let logged: string;
let begun: Keyed[];
let finished: Answer[];
let route: MakeDoor;

/** Runs everything and stores nothing; records its calls. */
const idempotency: Idempotency = {
  begin: async (keyed) => {
    begun.push(keyed);
    return {
      is: 'run',
      ids: keyed.ids,
      asking: {},
      generation: 1,
      runner: keyed.requestId,
      caller: keyed.caller,
      record: { kind: 'idempotency_key', id: '0' },
      outlivedBy: keyed.outlivedBy,
    };
  },
  close: async () => ({ is: 'closed' }),
  finish: async (_run, answer, rendered) => {
    finished.push(answer);
    return rendered;
  },
};

beforeEach(() => {
  client = new FakeClient();
  key = client.issue('sk_test_');
  logged = '';
  begun = [];
  finished = [];
  const log = createLog({ level: 'info', pretty: false, write: (line) => void (logged += line) });
  const auth = createAuth({
    client: readingClient(client, neverOpens),
    adminToken: 'x'.repeat(20),
    now: () => 0,
    others: null,
  });
  const gate = new Gate(auth, createLimits({ on: false, now: () => 0, sharing: null }));
  route = routeMaker({
    gate,
    idempotency,
    largeBodies: new FairQueue(1),
    log,
    allowPrivateHosts: true,
    versions,
  });
});

const request = (
  over: Partial<DoorRequest> & { readonly headers?: { readonly [name: string]: string } } = {},
): DoorRequest => {
  const headers: { readonly [name: string]: string } = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    ...over.headers,
  };
  return {
    requestId: 'req_z25mwf0rtqd021aznxd0zrex',
    method: 'POST',
    path: '/v1/things',
    params: {},
    rawQuery: '',
    ip: '::1',
    body: Buffer.from('{}'),
    header: (name) => headers[name] ?? '',
    ...over,
  };
};
const things = (handle: () => Promise<Answer>) =>
  route({ method: 'POST', path: '/v1/things', key: 'secret', reply: 201, handle });
const codeOf = ({ body }: DoorReply): unknown =>
  (JSON.parse(String(body)) as { error: { code: string } }).error.code;

describe('what a handler answers', () => {
  test('is sent with the status of its route', async () => {
    const reply = await things(async () => done({ id: 'x_1' })).handle(request());
    expect(reply).toMatchObject({
      status: 201,
      body: '{"id":"x_1"}',
      headers: { 'Content-Type': 'application/json; charset=utf-8' },
    });
  });

  test('is a 500 when it throws: the log knows why, the client does not', async () => {
    const reply = await things(() => Promise.reject(new Error('the inside'))).handle(request());
    expect([reply.status, codeOf(reply)]).toEqual([500, 'internal_error']);
    expect(reply.body).not.toContain('the inside');
    expect(logged).toContain('the inside');
    expect(logged).toContain('req_z25mwf0rtqd021aznxd0zrex');
    expect(logged).toContain('POST /v1/things');
  });

  test('is a 503 to be retried while the store does not answer', async () => {
    const reply = await things(() => Promise.reject(new StoreUnresponsive('x'))).handle(request());
    expect([reply.status, codeOf(reply), reply.headers?.['Retry-After']]).toEqual([
      503,
      'service_unavailable',
      '1',
    ]);
  });
});

test('while keys cannot be looked up every route answers 503, not 401 or 500', async () => {
  client.silent = true;
  const reply = await things(async () => done({})).handle(request());
  expect([reply.status, codeOf(reply)]).toEqual([503, 'service_unavailable']);
});

describe('what an actor answers', () => {
  test('becomes a public code', () => {
    expect(refusalOf({ is: 'refused', code: 'not_found', detail: {} })).toMatchObject({
      code: 'resource_not_found',
    });
    expect(
      refusalOf({ is: 'refused', code: 'invalid_state', detail: { currentStatus: 'expired' } }),
    ).toMatchObject({ code: 'invalid_state', details: { currentStatus: 'expired' } });
    expect(refusalOf({ is: 'refused', code: 'no_such_word', detail: {} })).toMatchObject({
      code: 'internal_error',
    });
    expect(refusalOf({ is: 'not_executed', why: 'overloaded', retryAfterMs: 2500 })).toMatchObject({
      code: 'service_unavailable',
      retryAfterSeconds: 3,
    });
    expect(refusalOf({ is: 'unknown' })).toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 1 });
    expect(refusalOf({ is: 'internal' })).toMatchObject({ code: 'internal_error' });
  });
});

describe('a keyed request', () => {
  const keyed = (over: Parameters<typeof request>[0] = {}) =>
    request({ headers: { 'idempotency-key': 'k-1' }, ...over });

  test('is begun with the whole input and the ids it will use', async () => {
    const door = route({
      method: 'POST',
      path: '/v1/things',
      key: 'secret',
      reply: 201,
      body: Type.Object({ a: Type.Optional(Type.Integer()) }),
      mints: { thing: () => 'x_minted' },
      handle: async ({ ids, body }) => done({ id: ids['thing'], a: body.a ?? null }),
    });
    const reply = await door.handle(keyed({ body: Buffer.from('{"b":null,"a":1}') }));
    expect(reply.body).toBe('{"id":"x_minted","a":1}');
    expect(begun).toMatchObject([
      { key: 'k-1', method: 'POST', path: '/v1/things', body: { a: 1, b: null }, ids: { thing: 'x_minted' } },
    ]);
  });

  test.each([
    ['throws', () => Promise.reject(new Error('x')), 'internal_error'],
    ['finds the store silent', () => Promise.reject(new StoreUnresponsive('x')), 'service_unavailable'],
    ['refuses', async () => refused('provider_not_configured'), 'provider_not_configured'],
    ['does not know', async () => unavailable, 'service_unavailable'],
  ] as const)('settles its record when the handler %s', async (_what, handle, code) => {
    const reply = await things(handle as () => Promise<Answer>).handle(keyed());
    expect(codeOf(reply)).toBe(code);
    expect(finished).toMatchObject([{ code }]);
  });

  test('begins nothing while any part of it is invalid', async () => {
    const door = route({
      method: 'POST',
      path: '/v1/things',
      key: 'secret',
      reply: 201,
      body: Type.Object({ a: Type.Optional(Type.Integer()) }),
      handle: async () => done({}),
    });
    for (const bad of [
      keyed({ body: Buffer.from('{"a":"x"}') }),
      keyed({ body: Buffer.from('[]') }),
      keyed({ headers: { 'idempotency-key': 'k', 'content-type': 'x' } }),
      keyed({ headers: { 'idempotency-key': 'k', 'api-version': 'x' } }),
      keyed({ headers: { 'idempotency-key': 'a b' } }),
      keyed({ headers: { 'idempotency-key': 'k', authorization: '' } }),
    ])
      await door.handle(bad);
    await route({
      method: 'GET',
      path: '/v1/things',
      key: 'secret',
      reply: 200,
      handle: async () => done({}),
    }).handle(keyed());
    expect(begun).toEqual([]);
  });
});

describe('an Api-Version', () => {
  const sent = (method: 'GET' | 'POST', value: string) => {
    const door = route({
      method,
      path: '/v1/things',
      key: 'secret',
      reply: 200,
      handle: async () => done({}),
    });
    return door.handle(
      request({
        method,
        headers: { 'api-version': value },
        emptyHeaders: new Set(value === '' ? ['api-version'] : []),
      }),
    );
  };

  test('is the known version or refused; an empty one is refused', async () => {
    for (const method of ['GET', 'POST'] as const) {
      expect((await sent(method, '2026-11-20')).status).toBe(200);
      for (const value of ['', '2026-11-2', '2031-01-01']) {
        const reply = await sent(method, value);
        expect([reply.status, codeOf(reply)]).toEqual([400, 'api_version_unknown']);
      }
    }
  });
});

test('a field with an error of its own is reported once, whatever the rules report', async () => {
  const door = route({
    method: 'POST',
    path: '/v1/things',
    key: 'secret',
    reply: 201,
    body: Type.Object({ a: Type.Optional(Type.Integer()), b: Type.Optional(Type.Integer()) }),
    rules: () => [fieldError('a', 'mutually_exclusive', 'a, b'), fieldError('b', 'required')],
    handle: async () => done({}),
  });
  const { body } = await door.handle(request({ body: Buffer.from('{"a":"x"}') }));
  const { errors } = (JSON.parse(String(body)) as { error: { errors: { param: string; code: string }[] } })
    .error;
  expect(errors.map(({ param, code }) => `${param} ${code}`)).toEqual(['a wrong_type', 'b required']);
});

test('a body is required only if a field is required', async () => {
  const empty = { body: Buffer.alloc(0), headers: { 'content-type': '' } };
  expect((await things(async () => done({})).handle(request(empty))).status).toBe(201);
  const strict = route({
    method: 'POST',
    path: '/v1/things',
    key: 'secret',
    reply: 201,
    body: Type.Object({ a: Type.Integer() }),
    handle: async () => done({}),
  });
  expect(codeOf(await strict.handle(request(empty)))).toBe('validation_failed');
});
