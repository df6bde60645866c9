/** A listener with doors of every kind, for the tests of the listener: one that echoes, one that throws, one that
 *  never answers, one for people.
 *  1. After each test the process is well: a plain door still answers and no request is in flight. */
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { Door, DoorReply, DoorRequest } from '../../gateways/server/door.ts';
import { listen, type Listener } from '../../gateways/server/listener.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { eventually } from '../support/eventually.ts';
import { head, Raw, type RawAnswer } from '../support/raw.ts';
import { bareListener } from '../support/alone.ts';

export const log = createLog({ level: 'silent', pretty: false });
export const requestId = /^req_[0-9a-hjkmnp-tv-z]{24}$/;

export const text = (body: string): DoorReply => ({
  status: 200,
  headers: { 'Content-Type': 'text/plain' },
  body,
});
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
export const held: ((reply: DoorReply) => void)[] = [];
const holding = (): Promise<DoorReply> => new Promise((resolve) => void held.push(resolve));

export const doors: readonly Door[] = [
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

export interface Served {
  port(): number;
  inFlight(): number;
  /** One request on a connection of its own. */
  one(request: string | Buffer): Promise<RawAnswer>;
}

/** Listens while the tests of a file run. */
export function served(): Served {
  let listener: Listener;
  const one = (request: string | Buffer): Promise<RawAnswer> => askOnce(listener.port, request);
  beforeAll(async () => {
    listener = await listen({ host: '127.0.0.1', port: 0, log, ...bareListener, answerMsMax: 400 });
    listener.mount(doors);
  });
  afterAll(() => listener.drain(1000));
  afterEach(async () => {
    for (const answer of held.splice(0)) answer(text('late'));
    expect((await one(head('GET /fine'))).body).toBe('fine');
    await eventually(
      async () => (listener.inFlight() === 0 ? true : null),
      () => 'no request to be in flight',
    );
  });
  return { port: () => listener.port, inFlight: () => listener.inFlight(), one };
}

export const nothing: RawAnswer = { status: 0, headers: {}, body: '{}' };

async function askOnce(port: number, request: string | Buffer): Promise<RawAnswer> {
  const raw = await Raw.open(port);
  const { answers } = await raw.send(request).answers(1);
  raw.leave();
  return answers[0] ?? nothing;
}

export const json = (answer: RawAnswer): { readonly [key: string]: unknown } =>
  JSON.parse(answer.body) as { [key: string]: unknown };
const codeOf = (answer: RawAnswer): unknown =>
  (json(answer)['error'] as { code?: unknown } | undefined)?.code;

export function expectRefused(answer: RawAnswer, status: number, code: string): void {
  expect([answer.status, codeOf(answer)]).toEqual([status, code]);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.headers['x-request-id']).toMatch(requestId);
  expect((json(answer)['error'] as { request_id?: unknown }).request_id).toBe(answer.headers['x-request-id']);
}
