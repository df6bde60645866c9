import { describe, expect, test, vi } from 'vitest';
import { head, Raw, withBody } from '../../support/raw.ts';
import { expectRefused, json, nothing, requestId, served } from '../served.ts';

const house = served();

describe('a door (one endpoint)', () => {
  test('gets the complete request, its headers also after an await', async () => {
    const answer = await house.one(
      head('GET /things/a%20b/parts/%E0%A4%95?x=%20y&x=2', ['X-Late: still here']),
    );
    expect(json(answer)).toMatchObject({
      method: 'GET',
      path: '/things/a%20b/parts/%E0%A4%95',
      params: { id: 'a b', part: 'क' },
      rawQuery: 'x=%20y&x=2',
      ip: '127.0.0.1',
      late: 'still here',
      bytes: 0,
    });
  });

  test('gets a body that arrives in pieces as one', async () => {
    const raw = await Raw.open(house.port());
    const sent = withBody('POST /things/1', '{"a":"é"}', ['X-Late: still here']);
    for (const byte of sent) raw.send(Buffer.from([byte]));
    const { answers } = await raw.answers(1);
    raw.leave();
    expect(json(answers[0] ?? nothing)).toMatchObject({
      late: 'still here',
      bytes: 10,
    });
  });

  test('gets a chunked body as one', async () => {
    const chunks = '3\r\nabc\r\n5\r\ndefgh\r\n0\r\n\r\n';
    expect(
      json(await house.one(head('POST /things/1', ['Transfer-Encoding: chunked'], chunks))),
    ).toMatchObject({
      body: 'abcdefgh',
    });
  });

  test('has its answer sent with the common headers', async () => {
    const { headers } = await house.one(head('GET /fine'));
    expect(headers).toMatchObject({
      'api-version': '2026-11-20',
      'cache-control': 'no-store',
      'content-type': 'text/plain',
    });
    expect(headers['x-request-id']).toMatch(requestId);
  });

  test('cannot split a header into two', async () => {
    const { headers } = await house.one(head('GET /away'));
    expect(headers['location']).toBe('/x Set-Cookie: a=b');
    expect(headers['set-cookie']).toBeUndefined();
  });

  test.each(['/throws', '/throws-at-once'])(
    'that fails (%s) is a 500 without internal details',
    async (path) => {
      const answer = await house.one(head(`GET ${path}`));
      expectRefused(answer, 500, 'internal_error');
      expect(answer.body).not.toContain('a bug');
    },
  );

  test('that takes too long is a 503 to be retried, and its late answer is dropped', async () => {
    const answer = await house.one(head('GET /held'));
    expectRefused(answer, 503, 'service_unavailable');
    expect(answer.headers['retry-after']).toBe('1');
  });
});

describe('HEAD', () => {
  test('answers as GET does, without the body, and the connection stays open', async () => {
    // one in 64 is the last of its connection
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const raw = await Raw.open(house.port());
    const {
      answers: [answer],
    } = await raw.send(head('HEAD /fine')).answers(1, true);
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'content-length': '4', 'content-type': 'text/plain' },
    });
    const { text: all } = await raw.send(head('GET /fine')).answers(2, true);
    expect(all.endsWith('fine')).toBe(true);
    raw.leave();
    vi.restoreAllMocks();
  });

  test('of an unknown path is a 404 without a body', async () => {
    const raw = await Raw.open(house.port());
    const {
      text: all,
      answers: [answer],
    } = await raw.send(head('HEAD /nowhere')).answers(1, true);
    raw.leave();
    expect(answer?.status).toBe(404);
    expect(all.endsWith('\r\n\r\n')).toBe(true);
  });
});

describe('paths and methods', () => {
  test.each([
    '/',
    '/nowhere',
    '/things',
    '/things/',
    '/things/1/',
    '/things//parts/1',
    '//',
    '/things/1/parts',
    '/%74hings/1',
  ])('%s is no endpoint', async (path) => {
    expectRefused(await house.one(head(`GET ${path}`)), 404, 'endpoint_not_found');
  });

  test.each([
    ['PUT', '/things/1', 'GET, HEAD, POST'],
    ['OPTIONS', '/things/1', 'GET, HEAD, POST'],
    ['POST', '/fine', 'GET, HEAD'],
    ['HEAD', '/large', 'POST'],
    ['BREW', '/fine', 'GET, HEAD'],
  ])('%s %s is not allowed, and the allowed methods are named', async (method, path, allow) => {
    const raw = await Raw.open(house.port());
    const {
      answers: [answer],
    } = await raw.send(head(`${method} ${path}`)).answers(1, method === 'HEAD');
    raw.leave();
    expect(answer?.status).toBe(405);
    expect(answer?.headers['allow']).toBe(allow);
  });

  test('an id that cannot be decoded is an unknown id', async () => {
    expect(json(await house.one(head('GET /things/%zz%E0')))['params']).toEqual({ id: '%zz%E0' });
  });
});

describe('a door for browsers has its own page', () => {
  test.each([
    ['a wrong method', head('PUT /people/7'), 405, '/people/7', { allow: 'GET, HEAD, POST' }],
    ['a body above its bound', withBody('POST /people/7', 'x'.repeat(65_537)), 413, '/people/7', {}],
    ['a bug', withBody('POST /people/7/throws', ''), 500, '/people/7/throws', {}],
    [
      'an answer that does not come',
      head('GET /people/7/held'),
      503,
      '/people/7/held',
      { 'retry-after': '1' },
    ],
  ])('for %s', async (_what, request, status, path, headers) => {
    const answer = await house.one(request);
    expect([answer.status, answer.body.trimEnd()]).toEqual([status, `<h1>${status} ${path}</h1>`]);
    expect(answer.headers).toMatchObject({ 'content-type': 'text/html', ...headers });
    expect(answer.headers['x-request-id']).toMatch(requestId);
  });

  test('and a door for programs answers in JSON', async () => {
    expectRefused(await house.one(head('PUT /people/7/status')), 405, 'method_not_allowed');
  });
});
