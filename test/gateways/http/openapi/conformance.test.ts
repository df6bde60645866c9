/** The documents against the running service: every operation is called, its answer checked by its schema, and its
 *  example compared with the answer. */
import { beforeAll, describe, expect, test } from 'vitest';
import { documentOfApi, merchantApi, operatorApi } from '../../../../gateways/http/openapi/documents.ts';
import type { Api, Sending } from '../../../../src/cli/demo/api.ts';
import { declaredOperations } from '../../../support/doors.ts';
import { gallaOfFile } from '../../../support/of-file.ts';
import type { Called } from './call.ts';
import { calls } from './calls.ts';
import { operatorCalls } from './operator-calls.ts';
import { at, escaped, framesIn, judgeBy, lasting, operationsOf } from './reading.ts';
import type { Described, Json, Judge, Media } from './reading.ts';

const galla = gallaOfFile({ GALLA_RATE_LIMITS: 'on' });

/** Headers of HTTP itself, of CORS and of the server, which no client of the API decides by. */
const ofHttp = new Set([
  'content-type',
  'content-length',
  'date',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'uwebsockets',
  'access-control-expose-headers',
]);

/** Where the document describes an answer. */
interface Place {
  readonly media: Media;
  readonly pointer: string;
}

function placeOf(operation: Described, { status, headers }: Called): Place {
  const response = operation.responses[String(status)];
  if (response === undefined) throw new Error(`${operation.operationId}: ${status} is not described`);
  const names = new Set(Object.keys(response.headers).map((name) => name.toLowerCase()));
  const unknown = [...headers.keys()].filter((name) => !names.has(name) && !ofHttp.has(name));
  expect(unknown, `headers of ${operation.operationId}`).toEqual([]);
  const type = (headers.get('content-type') ?? '').split(';')[0] ?? '';
  const media = response.content?.[type];
  if (media === undefined) throw new Error(`${operation.operationId}: ${type} is not described`);
  const schema = `${operation.at}/responses/${status}/content/${escaped(type)}/schema`;
  return { media, pointer: type === 'text/event-stream' ? `${schema}/contentSchema` : schema };
}

/** What a client works with: the object, the frames of a stream, or text. */
function valueOf(text: string, pointer: string): unknown {
  if (pointer.endsWith('/contentSchema')) return framesIn(text);
  return pointer.includes('/application~1json/') ? JSON.parse(text) : text;
}

/** What tells the examples of one operation apart: their names, or a media type beside the first. */
const namesOf = ([type, { examples }]: [string, Media], at: number): readonly string[] =>
  at > 0 ? [type] : Object.keys(examples ?? { default: null });

const exampleOf = ({ example, examples }: Media, name: string): unknown =>
  examples === undefined ? example : examples[name]?.value;

/** Errors whose message names what was asked for. */
const ownMessage = new Set(['validation_failed', 'resource_not_found', 'rate_limit_exceeded']);

/** An upload names both types that it takes. */
const saysMore = (name: string, code: string): boolean =>
  ownMessage.has(code) || (name === 'uploadStatement' && code === 'unsupported_media_type');

type BadRequest = readonly [Api, Sending];

describe.each([
  { api: merchantApi, callsOf: calls },
  { api: operatorApi, callsOf: operatorCalls },
])('$api.title', ({ api, callsOf }) => {
  const planned = operationsOf(documentOfApi(api, declaredOperations, 'https://pay.example.com'));
  let operations: ReadonlyMap<string, Described>;
  let judge: Judge;
  let errorExamples: Json;

  beforeAll(async () => {
    const document = (await galla.nobody.must('GET', api.path)).body.value as Json;
    operations = new Map(operationsOf(document).map((one) => [one.operationId, one]));
    judge = judgeBy(document);
    errorExamples = at(document, '/components/examples') as Json;
  });

  function operationOf(name: string): Described {
    const found = operations.get(name);
    if (found === undefined) throw new Error(`no operation ${name}`);
    return found;
  }

  const bodyOf = (name: string): object =>
    operationOf(name).requestBody?.content['application/json']?.example as object;

  test('the document is sent again only after it has changed', async () => {
    const first = await galla.nobody.get(api.path);
    expect(first.headers.get('cache-control')).toBe('public, max-age=300');
    const etag = first.headers.get('etag') ?? '';
    const again = await galla.nobody.get(api.path, { headers: { 'if-none-match': etag } });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
    const other = await galla.nobody.get(api.path, { headers: { 'if-none-match': '"other"' } });
    expect([other.status, other.text]).toEqual([200, first.text]);
  });

  test('a client that takes gzip has far less to load, and asks again in the same way', async () => {
    const ask = (headers: object) => fetch(galla.url + api.path, { headers: { ...headers } });
    const [plain, packed] = [
      await ask({ 'accept-encoding': 'identity' }),
      await ask({ 'accept-encoding': 'br, gzip;q=0.9' }),
    ];
    expect([plain.headers.get('content-encoding'), packed.headers.get('content-encoding')]).toEqual([
      null,
      'gzip',
    ]);
    expect(packed.headers.get('vary')).toBe('Accept-Encoding');
    expect(await packed.text()).toBe(await plain.text());
    expect(Number(packed.headers.get('content-length'))).toBeLessThan(
      Number(plain.headers.get('content-length')) / 2,
    );
    const etag = packed.headers.get('etag') ?? '';
    expect(etag).not.toBe(plain.headers.get('etag'));
    expect((await ask({ 'accept-encoding': 'gzip', 'if-none-match': etag })).status).toBe(304);
  });

  test('every example has its call, and every call its example', () => {
    const examples = planned.flatMap(({ operationId, responses }) =>
      Object.entries(responses)
        .filter(([status]) => status.startsWith('2'))
        .flatMap(([, { content = {} }]) => Object.entries(content).flatMap(namesOf))
        .map((name) => (name === 'default' ? operationId : `${operationId} ${name}`)),
    );
    expect(Object.keys(callsOf).toSorted()).toEqual(examples.toSorted());
    expect([...operations.keys()]).toEqual(planned.map(({ operationId }) => operationId));
  });

  test.each(Object.entries(callsOf))(
    'row 98: %s answers as its schema and its example say',
    async (name, call) => {
      const [operation, example = 'default'] = name.split(' ');
      const called = await call({ galla, bodyOf });
      expect(called.status, called.text).toBeLessThan(300);
      const { media, pointer } = placeOf(operationOf(operation ?? ''), called);
      const answer = valueOf(called.text, pointer);
      expect(judge(pointer, answer)).toEqual([]);
      const wanted = exampleOf(media, example);
      const likeIt = typeof wanted === 'string' ? valueOf(wanted, pointer) : wanted;
      expect(judge(pointer, likeIt)).toEqual([]);
      // a document does not hold a copy of itself: its example shows the beginning
      if (operation === 'readOpenApi') expect(answer).toMatchObject(likeIt as object);
      else expect(lasting(likeIt)).toEqual(lasting(answer));
      // keys are answered in the documented order
      if (operation !== 'readOpenApi')
        expect(JSON.stringify(lasting(likeIt))).toBe(JSON.stringify(lasting(answer)));
    },
  );

  test.each(planned.map(({ operationId }) => operationId))('%s refuses only as described', async (name) => {
    const operation = operationOf(name);
    for (const [api, sending] of await badRequests(operation)) {
      const path = operation.path.replaceAll(/\{\w+\}/g, 'unknown');
      const answer = await api.send(operation.method, path, sending);
      if (answer.status < 300) continue;
      const { media, pointer } = placeOf(operation, answer);
      expect(judge(pointer, answer.body.value)).toEqual([]);
      const code = answer.body.text('error.code');
      expect(Object.keys(media.examples ?? {}), `${name} ${answer.text}`).toContain(code);
      const { value } = errorExamples[code] as Json;
      if (!saysMore(name, code)) expect(lasting(value)).toEqual(lasting(answer.body.value));
    }
  });

  /** What every kind of client does wrong. */
  async function badRequests({ method, security, responses }: Described): Promise<readonly BadRequest[]> {
    const shop = await galla.merchant();
    const key = security.some((one) => 'operatorToken' in one) ? galla.admin : shop.api;
    const read = await galla.key(shop.projectId, { kind: 'secret', mode: 'live', access: 'read' });
    const body = method === 'GET' ? {} : { body: { amount: 1.5, url: 1, to: 'x', outcome: 'x', unknown: 1 } };
    const always: readonly BadRequest[] = [
      [galla.nobody, body],
      [shop.publishable, body],
      [key, { headers: { 'api-version': '1999-01-01' } }],
    ];
    // it would be served, and never end
    if (responses['200']?.content?.['text/event-stream'] !== undefined) return always;
    const ofBodies: readonly BadRequest[] = [
      [key, { idempotencyKey: 'not visible' }],
      [key, { body: '{', headers: { 'content-type': 'text/plain' } }],
      [key, { body: '{' }],
      [key, { body: 'x'.repeat(70_000) }],
    ];
    return [...always, [galla.with(read), body], [key, body], ...(method === 'GET' ? [] : ofBodies)];
  }
});
