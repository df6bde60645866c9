/** What every answer of the API has in common, operation by operation, as the documents list them. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../../../src/cli/demo/api.ts';
import { documentsAt } from '../../attacks/fuzz/fuzz.ts';
import { pathWith, prepare, type Scene } from '../../attacks/stage.ts';
import { gallaOfFile } from '../../support/of-file.ts';
import { head, Raw, type RawAnswer } from '../../support/raw.ts';
import { operationsOf, type Described } from './openapi/reading.ts';

const galla = gallaOfFile({ GALLA_RATE_LIMITS: 'on' });
let scene: Scene;
let operations: readonly Described[];
beforeAll(async () => {
  scene = await prepare(galla);
  operations = (await documentsAt(galla.nobody)).flatMap(operationsOf);
}, 30_000);

const isStream = ({ responses }: Described): boolean =>
  responses['200']?.content?.['text/event-stream'] !== undefined;
const isOperators = ({ path }: Described): boolean => path.startsWith('/admin/');
const isPublic = ({ path }: Described): boolean =>
  path.startsWith('/v1/public/') || path === '/v1/qr/{id}/events';
const isFree = ({ security }: Described): boolean => security.length === 0;

const pathOf = (operation: Described): string =>
  pathWith(operation, scene.stage) ?? operation.path.replaceAll(/\{\w+\}/g, 'unknown');

/** A new key each time: none of them reaches its limit. */
async function clientOf(operation: Described): Promise<Api> {
  if (isFree(operation)) return galla.nobody;
  if (isOperators(operation)) return galla.admin;
  return galla.with(await galla.key(scene.stage.projectId, { kind: 'secret', mode: 'sandbox' }));
}

describe('every answer', () => {
  test('row 95: of a request that counts against a limit shows the limit', async () => {
    const without: string[] = [];
    for (const operation of operations.filter((one) => !isOperators(one) && !isFree(one))) {
      // bodies are refused, and streams end with their cursor: it is the headers that matter
      const { method } = operation;
      const body = method === 'GET' || method === 'DELETE' ? {} : { body: '{' };
      const path = method === 'DELETE' ? operation.path.replace('{id}', 'unknown') : pathOf(operation);
      const headers = isStream(operation) ? { 'last-event-id': 'evt_x' } : {};
      const answer = await (await clientOf(operation)).send(method, path, { ...body, headers });
      const limits = ['limit', 'remaining', 'reset'].map((name) => answer.headers.get(`ratelimit-${name}`));
      if (!limits.every((value) => /^\d+$/.test(value ?? '')))
        without.push(`${method} ${path} ${answer.status}`);
    }
    expect(without).toEqual([]);
  });

  test('of the simulator, which counts against the limit of the key, shows it too', async () => {
    const api = galla.with(await galla.key(scene.stage.projectId, { kind: 'secret', mode: 'sandbox' }));
    const answers = [
      await api.get('/sim/control/payments'),
      await api.send('PUT', '/sim/control/faults', { body: { faults: [] } }),
      await api.send('PUT', '/sim/control/faults', { body: '{' }),
      await api.post('/sim/control/payments/x/nothing'),
    ];
    expect(answers.map(({ status, headers }) => [status, headers.get('ratelimit-limit')])).toEqual([
      [200, '50'],
      [200, '50'],
      [400, '50'],
      [404, '50'],
    ]);
  });

  test('to HEAD is the one to GET, without its body', async () => {
    const different: string[] = [];
    for (const operation of operations.filter(({ method }) => method === 'GET')) {
      // both would be served, and never end
      if (isStream(operation)) continue;
      const api = await clientOf(operation);
      const [path, name] = [pathOf(operation), operation.operationId];
      const ofOne = [
        'x-request-id',
        'date',
        'ratelimit-remaining',
        'ratelimit-reset',
        'content-length',
        'transfer-encoding',
        // of one answer without a body in 64, which is the last of its connection
        'connection',
        'keep-alive',
        'uwebsockets',
      ];
      for (const accept of ['application/json', 'text/csv']) {
        const [get, bare] = [
          await api.send('GET', path, { headers: { accept } }),
          await api.send('HEAD', path, { headers: { accept } }),
        ];
        const headersOf = ({ headers }: typeof get) => [...headers].filter(([one]) => !ofOne.includes(one));
        const isSame = JSON.stringify(headersOf(get)) === JSON.stringify(headersOf(bare));
        if (get.status !== bare.status || bare.text !== '' || !isSame) different.push(`${name} ${accept}`);
        // a length that is told is the true one; it may be left out where it is not known
        const length = bare.headers.get('content-length');
        const told = get.headers.get('content-length');
        if (length !== told && !(length === null && told === null))
          different.push(`${name} ${accept}: ${length ?? ''} for ${told ?? ''}`);
      }
    }
    expect(different).toEqual([]);
  });

  test('to HEAD of a file or a stream names no length, and its connection goes on', async () => {
    const key = `Authorization: Bearer ${await galla.key(scene.stage.projectId, { kind: 'secret', mode: 'sandbox' })}`;
    const answers = await onOneConnection([
      head('HEAD /v1/payments', [key, 'Accept: text/csv']),
      head('HEAD /v1/events/stream', [key]),
      head('HEAD /health'),
    ]);
    expect(
      answers.map(({ status, headers }) => [status, headers['content-type'], headers['content-length']]),
    ).toEqual([
      [200, 'text/csv; charset=utf-8; header=present', undefined],
      [200, 'text/event-stream; charset=utf-8', undefined],
      [200, 'application/json; charset=utf-8', '15'],
    ]);
  });

  test('lets pages of other sites read it only where it is public', async () => {
    const wrong: string[] = [];
    for (const operation of operations) {
      const { method } = operation;
      const path = isStream(operation) ? operation.path.replace('{id}', 'unknown') : pathOf(operation);
      const headers = { origin: 'https://evil.example', 'last-event-id': 'evt_x' };
      const answers = await Promise.all([
        method === 'GET' ? (await clientOf(operation)).get(path, { headers }) : null,
        galla.nobody.send(method, path, { headers }),
        galla.nobody.send('OPTIONS', path, { headers }),
        galla.nobody.send('PUT', `${path}/nowhere`, { headers }),
      ]);
      const origins = answers.map((answer) => answer?.headers.get('access-control-allow-origin') ?? null);
      const [first, nobody] = origins;
      if (isPublic(operation)) {
        if (nobody !== '*') wrong.push(`${method} ${path} is public`);
      } else if (origins.some((origin) => origin !== null)) wrong.push(`${method} ${path}: ${String(first)}`);
    }
    expect(wrong).toEqual([]);
  });
});

/** Each request after the answer to the one before. One answer without a body in 64 is the last of its connection: then
 *  all of them are sent again. */
async function onOneConnection(requests: readonly string[], triesMax = 6): Promise<readonly RawAnswer[]> {
  const raw = await Raw.open(Number(new URL(galla.url).port));
  let answers: readonly RawAnswer[] = [];
  for (const [index, request] of requests.entries()) {
    raw.send(request);
    ({ answers } = await Promise.race([raw.answers(index + 1, true), raw.end(true)]));
  }
  raw.leave();
  const isWhole = answers.length === requests.length;
  return isWhole || triesMax === 1 ? answers : onOneConnection(requests, triesMax - 1);
}
