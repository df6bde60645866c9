import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Door, DoorReply, DoorRequest } from '../../gateways/http/door.ts';
import { listen, PortUnavailable, type Listener } from '../../gateways/listener.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { eventually } from '../support/eventually.ts';
import { head, Raw, withBody, type RawAnswer } from '../support/raw.ts';

const log = createLog({ level: 'silent', pretty: false });
const requestId = /^req_[0-9a-hjkmnp-tv-z]{24}$/;

const text = (body: string): DoorReply => ({ status: 200, headers: { 'Content-Type': 'text/plain' }, body });
const echo = async (request: DoorRequest): Promise<DoorReply> => {
  const { method, path, params, rawQuery, ip, body } = request;
  await Promise.resolve();
  const seen = {
    method,
    path,
    params,
    rawQuery,
    ip,
    late: request.header('x-late'),
    bytes: body.length,
    body: body.toString(),
  };
  return { status: 200, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(seen) };
};

/** A door for people. */
const errorPage = (status: number, { path }: Pick<DoorRequest, 'path'>): DoorReply => ({
  status,
  headers: { 'Content-Type': 'text/html' },
  body: `<h1>${status} ${path}</h1>`,
});
/** Doors whose answer the test gives. */
const held: ((reply: DoorReply) => void)[] = [];
const holding = (): Promise<DoorReply> => new Promise((resolve) => void held.push(resolve));

const doors: readonly Door[] = [
  { method: 'GET', path: '/things/{id}', handle: echo },
  { method: 'POST', path: '/things/{id}', handle: echo },
  { method: 'GET', path: '/things/{id}/parts/{part}', handle: echo },
  { method: 'POST', path: '/large', bodyBytesMax: 300_000, handle: echo },
  {
    method: 'GET',
    path: '/throws',
    handle: async () => {
      throw new Error('a bug');
    },
  },
  {
    method: 'GET',
    path: '/throws-at-once',
    handle: () => {
      throw new Error('a bug');
    },
  },
  { method: 'GET', path: '/held', handle: holding },
  {
    method: 'GET',
    path: '/reset',
    handle: async () => ({ status: 200, body: 'x'.repeat(1000), fault: 'reset' }),
  },
  { method: 'GET', path: '/never', handle: async () => ({ status: 200, body: '', fault: 'never' }) },
  { method: 'GET', path: '/nothing', handle: async () => ({ status: 204, body: null }) },
  {
    method: 'GET',
    path: '/away',
    handle: async () => ({ status: 303, headers: { Location: '/x\r\nSet-Cookie: a=b' }, body: null }),
  },
  { method: 'GET', path: '/people/{id}', handle: echo, errorPage },
  { method: 'POST', path: '/people/{id}', handle: echo, errorPage },
  {
    method: 'POST',
    path: '/people/{id}/throws',
    handle: async () => {
      throw new Error('a bug');
    },
    errorPage,
  },
  { method: 'GET', path: '/people/{id}/held', handle: holding, errorPage },
  { method: 'GET', path: '/people/{id}/status', handle: echo },
  { method: 'GET', path: '/fine', handle: async () => text('fine') },
];

let listener: Listener;
let port: number;
beforeAll(async () => {
  listener = await listen({ host: '127.0.0.1', port: 0, log, answerMsMax: 400 });
  port = listener.port;
  listener.mount(doors);
});
afterAll(() => listener.drain(1000));

/** The process is well after every one of these. */
afterEach(async () => {
  for (const answer of held.splice(0)) answer(text('late'));
  expect((await one(head('GET /fine'))).body).toBe('fine');
  await eventually(
    async () => (listener.inHand() === 0 ? true : null),
    () => 'nothing to be in hand',
  );
});

async function one(request: string | Buffer): Promise<RawAnswer> {
  const raw = await Raw.open(port);
  const { answers } = await raw.send(request).answers(1);
  raw.leave();
  return answers[0] ?? { status: 0, headers: {}, body: '' };
}

const json = (answer: RawAnswer): { readonly [key: string]: unknown } =>
  JSON.parse(answer.body) as { [key: string]: unknown };
const codeOf = (answer: RawAnswer): unknown =>
  (json(answer)['error'] as { code?: unknown } | undefined)?.code;

function expectRefused(answer: RawAnswer, status: number, code: string): void {
  expect([answer.status, codeOf(answer)]).toEqual([status, code]);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.headers['x-request-id']).toMatch(requestId);
  expect((json(answer)['error'] as { request_id?: unknown }).request_id).toBe(answer.headers['x-request-id']);
}

describe('a door', () => {
  test('sees the request whole, headers too after it has waited', async () => {
    const answer = await one(head('GET /things/a%20b/parts/%E0%A4%95?x=%20y&x=2', ['X-Late: still here']));
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

  test('gets a body that comes in pieces as one', async () => {
    const raw = await Raw.open(port);
    const sent = withBody('POST /things/1', '{"a":"é"}', ['X-Late: still here']);
    for (const byte of sent) raw.send(Buffer.from([byte]));
    const { answers } = await raw.answers(1);
    raw.leave();
    expect(json(answers[0] ?? { status: 0, headers: {}, body: '{}' })).toMatchObject({
      late: 'still here',
      bytes: 10,
    });
  });

  test('gets a chunked body as one', async () => {
    const chunks = '3\r\nabc\r\n5\r\ndefgh\r\n0\r\n\r\n';
    expect(json(await one(head('POST /things/1', ['Transfer-Encoding: chunked'], chunks)))).toMatchObject({
      body: 'abcdefgh',
    });
  });

  test('has its answer sent with the headers every answer has', async () => {
    const { headers } = await one(head('GET /fine'));
    expect(headers).toMatchObject({
      'api-version': '2026-11-20',
      'cache-control': 'no-store',
      'content-type': 'text/plain',
    });
    expect(headers['x-request-id']).toMatch(requestId);
  });

  test('cannot break a header in two', async () => {
    const { headers } = await one(head('GET /away'));
    expect(headers['location']).toBe('/x Set-Cookie: a=b');
    expect(headers['set-cookie']).toBeUndefined();
  });

  test.each(['/throws', '/throws-at-once'])(
    'that fails (%s) is a 500 that says nothing of the inside',
    async (path) => {
      const answer = await one(head(`GET ${path}`));
      expectRefused(answer, 500, 'internal_error');
      expect(answer.body).not.toContain('a bug');
    },
  );

  test('that takes too long is a 503 to be tried again, and its late answer goes nowhere', async () => {
    const answer = await one(head('GET /held'));
    expectRefused(answer, 503, 'service_unavailable');
    expect(answer.headers['retry-after']).toBe('1');
  });
});

describe('HEAD', () => {
  test('answers as GET does, without the body, and the connection goes on', async () => {
    const raw = await Raw.open(port);
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
  });

  test('of an unknown path is a 404 without a body', async () => {
    const raw = await Raw.open(port);
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
    expectRefused(await one(head(`GET ${path}`)), 404, 'endpoint_not_found');
  });

  test.each([
    ['PUT', '/things/1', 'GET, HEAD, POST'],
    ['OPTIONS', '/things/1', 'GET, HEAD, POST'],
    ['POST', '/fine', 'GET, HEAD'],
    ['HEAD', '/large', 'POST'],
    ['BREW', '/fine', 'GET, HEAD'],
  ])('%s %s is not allowed, and what is allowed is named', async (method, path, allow) => {
    const raw = await Raw.open(port);
    const {
      answers: [answer],
    } = await raw.send(head(`${method} ${path}`)).answers(1, method === 'HEAD');
    raw.leave();
    expect(answer?.status).toBe(405);
    expect(answer?.headers['allow']).toBe(allow);
  });

  test('an id that cannot be decoded is just an id nobody has', async () => {
    expect(json(await one(head('GET /things/%zz%E0')))['params']).toEqual({ id: '%zz%E0' });
  });
});

describe('a door for people has its own page', () => {
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
    const answer = await one(request);
    expect([answer.status, answer.body]).toEqual([status, `<h1>${status} ${path}</h1>`]);
    expect(answer.headers).toMatchObject({ 'content-type': 'text/html', ...headers });
    expect(answer.headers['x-request-id']).toMatch(requestId);
  });

  test('and its neighbour for machines answers in JSON', async () => {
    expectRefused(await one(head('PUT /people/7/status')), 405, 'method_not_allowed');
  });
});

describe('bodies', () => {
  test('of exactly the bound are taken, a byte more is refused and the connection closed', async () => {
    expect(json(await one(withBody('POST /things/1', 'x'.repeat(65_536))))).toMatchObject({ bytes: 65_536 });
    const raw = await Raw.open(port);
    const {
      answers: [answer],
      closed,
    } = await raw.send(withBody('POST /things/1', 'x'.repeat(65_537))).end();
    expectRefused(answer ?? { status: 0, headers: {}, body: '{}' }, 413, 'request_too_large');
    expect(closed).toBe(true);
  });

  test('announced as too long are refused before a byte of them is sent', async () => {
    const raw = await Raw.open(port);
    const {
      answers: [answer],
    } = await raw.send(head('POST /things/1', ['Content-Length: 999999999999'])).end();
    expect(answer?.status).toBe(413);
  });

  test('that do not announce their length are counted', async () => {
    const raw = await Raw.open(port);
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
    const {
      answers: [answer],
    } = await raw.send(head('POST /things/1', ['Transfer-Encoding: chunked'], chunk.repeat(5))).end();
    expect(answer?.status).toBe(413);
  });

  test('may be larger where the door says so', async () => {
    expect(json(await one(withBody('POST /large', 'x'.repeat(300_000))))).toMatchObject({ bytes: 300_000 });
  });

  test('that stop coming end with their connection, not with an answer', async () => {
    const raw = await Raw.open(port);
    const { text: all, closed } = await raw.send(head('POST /things/1', ['Content-Length: 10'], 'abc')).end();
    expect([all, closed]).toEqual(['', true]);
  });

  test('of a client that leaves are forgotten', async () => {
    const raw = await Raw.open(port);
    raw.send(head('POST /things/1', ['Content-Length: 60000'], 'x'.repeat(30_000)));
    await eventually(
      async () => (listener.inHand() === 1 ? true : null),
      () => 'the request to arrive',
    );
    raw.leave();
    await eventually(
      async () => (listener.inHand() === 0 ? true : null),
      () => 'the request to be forgotten',
    );
  });

  test('sent with a GET are not looked at', async () => {
    const raw = await Raw.open(port);
    const { answers } = await raw
      .send(head('GET /fine', ['Content-Length: 5'], 'hello') + head('GET /fine'))
      .answers(2);
    raw.leave();
    expect(answers.map(({ body }) => body)).toEqual(['fine', 'fine']);
  });
});

describe('requests that could be read in two ways', () => {
  test.each([
    ['two lengths', ['Content-Length: 3', 'Content-Length: 5']],
    ['two equal lengths', ['Content-Length: 3', 'Content-Length: 3']],
    ['a length and a coding', ['Content-Length: 3', 'Transfer-Encoding: chunked']],
    ['a coding nobody agreed on', ['Transfer-Encoding: gzip']],
    ['a coding on top of chunks', ['Transfer-Encoding: gzip, chunked']],
    ['a negative length', ['Content-Length: -3']],
    ['a length in words', ['Content-Length: three']],
    ['a length beyond counting', ['Content-Length: 99999999999999999999999']],
  ])('%s: a bare 400 and the end', async (_what, headers) => {
    const raw = await Raw.open(port);
    const { text: all, closed } = await raw.send(head('POST /things/1', headers, 'abcde')).end();
    expect(all).toMatch(/^HTTP\/1\.1 400 /);
    expect(all).not.toContain('X-Request-Id');
    expect(closed).toBe(true);
  });

  test.each([
    ['HTTP/1.0', 'GET /fine HTTP/1.0\r\n\r\n', 505],
    ['no HTTP at all', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n', 505],
    ['a head above its bound', head('GET /fine', [`X-Long: ${'x'.repeat(20_000)}`]), 431],
    ['a chunk that is none', head('POST /things/1', ['Transfer-Encoding: chunked'], 'zz\r\nabc\r\n'), 400],
  ])('%s is refused by the parser', async (_what, request, status) => {
    const raw = await Raw.open(port);
    const { text: all, closed } = await raw.send(request).end();
    expect(all.startsWith(`HTTP/1.1 ${status} `)).toBe(true);
    expect(closed).toBe(true);
  });

  test('a head of a browser with its cookies still fits', async () => {
    expect((await one(head('GET /fine', [`Cookie: ${'x'.repeat(12_000)}`]))).status).toBe(200);
  });
});

describe('connections', () => {
  test('carry one request after the other, also when all are sent at once', async () => {
    const raw = await Raw.open(port);
    const { answers } = await raw
      .send(head('GET /fine') + head('GET /nowhere') + head('GET /things/7'))
      .answers(3);
    raw.leave();
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 200]);
  });

  test('that are slow or silent hold up nobody', async () => {
    const slow = await Promise.all(Array.from({ length: 50 }, () => Raw.open(port)));
    for (const raw of slow) raw.send('GET /fine HTTP/1.1\r\nHos');
    const busy = await Promise.all(Array.from({ length: 20 }, () => one(head('GET /fine'))));
    expect(busy.map(({ body }) => body)).toEqual(Array.from({ length: 20 }, () => 'fine'));
    const ends = slow.map((raw) => raw.send('t: x\r\n\r\n').answers(1));
    expect((await Promise.all(ends)).every(({ answers }) => answers[0]?.body === 'fine')).toBe(true);
    for (const raw of slow) raw.leave();
  });

  test('closed in the middle of everything do no harm', async () => {
    const cuts = [
      'G',
      'GET /held HTTP/1.1\r\n',
      head('GET /held'),
      head('POST /things/1', ['Content-Length: 9'], 'a'),
    ];
    for (const cut of cuts) {
      const raw = await Raw.open(port);
      raw.send(cut);
      await new Promise((resolve) => setTimeout(resolve, 10));
      raw.leave();
      const half = await Raw.open(port, true);
      half.send(cut).finish();
      await half.end();
    }
  });
});

describe('faults of a simulated provider', () => {
  test('an answer is cut off in the middle of its body', async () => {
    const raw = await Raw.open(port);
    const { text: all, closed } = await raw.send(head('GET /reset')).end();
    expect(all).toContain('Content-Length: 1001\r\n');
    expect(all.split('\r\n\r\n')[1]).toBe('x'.repeat(500));
    expect(closed).toBe(true);
  });

  test('an answer never comes, until the client gives up', async () => {
    const raw = await Raw.open(port);
    raw.send(head('GET /never'));
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(listener.inHand()).toBe(0);
    raw.leave();
  });
});

describe('starting and stopping', () => {
  test('before its doors are mounted it answers 503, to be tried again', async () => {
    const fresh = await listen({ host: '127.0.0.1', port: 0, log });
    const raw = await Raw.open(fresh.port);
    const {
      answers: [answer],
    } = await raw.send(head('GET /fine')).end();
    expectRefused(answer ?? { status: 0, headers: {}, body: '{}' }, 503, 'service_unavailable');
    expect(answer?.headers['retry-after']).toBe('1');
    await fresh.drain(100);
  });

  test('a second listener on the same port is refused', async () => {
    await expect(listen({ host: '127.0.0.1', port, log })).rejects.toThrow(PortUnavailable);
  });

  test('draining finishes what runs, refuses what comes on open connections and closes', async () => {
    const last = await listen({ host: '127.0.0.1', port: 0, log });
    last.mount([
      ...doors,
      { method: 'GET', path: '/health', always: true, handle: async () => text('draining') },
    ]);
    const [running, idle, asking] = await Promise.all([
      Raw.open(last.port),
      Raw.open(last.port),
      Raw.open(last.port),
    ]);
    const person = await Raw.open(last.port);
    running.send(head('GET /held'));
    await eventually(
      async () => (last.inHand() === 1 ? true : null),
      () => 'the request to arrive',
    );
    const drained = last.drain(3000);
    const refused = await idle.send(head('GET /fine')).end();
    expect([refused.answers[0]?.status, refused.closed]).toEqual([503, true]);
    expect((await person.send(head('GET /people/7')).end()).answers[0]?.body).toBe('<h1>503 /people/7</h1>');
    expect((await asking.send(head('GET /health')).end()).answers[0]?.body).toBe('draining');
    await expect(Raw.open(last.port)).rejects.toThrow();
    for (const answer of held.splice(0)) answer(text('finished'));
    expect((await running.end()).answers[0]?.body).toBe('finished');
    await drained;
  });

  test('draining does not wait for ever', async () => {
    const last = await listen({ host: '127.0.0.1', port: 0, log });
    last.mount(doors);
    const raw = await Raw.open(last.port);
    raw.send(head('GET /held'));
    await eventually(
      async () => (last.inHand() === 1 ? true : null),
      () => 'the request to arrive',
    );
    await last.drain(50);
    expect((await raw.end()).answers).toEqual([]);
  });
});
