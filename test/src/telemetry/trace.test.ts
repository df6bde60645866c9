/** Spans against a provider written here by the API's own interfaces: the service brings no SDK, so no SDK's habits
 *  can hide a mistake. */
import {
  context,
  propagation,
  ROOT_CONTEXT,
  trace,
  type Context,
  type ContextManager,
  type Span,
  type SpanContext,
  type SpanOptions,
  type TracerProvider,
} from '@opentelemetry/api';
import { AsyncLocalStorage } from 'node:async_hooks';
import { checkoutSessionAt } from '../../../actors/checkout-session/commands.ts';
import { afterEach, expect, test } from 'vitest';
import type { Door } from '../../../gateways/server/door.ts';
import { tracedDoors } from '../../../gateways/http/traced.ts';
import type { Client } from '../../../src/runtime/model/client.ts';
import { openTracing, tracedClient, tracedEffects } from '../../../src/telemetry/trace.ts';
import { FakeClient } from '../../support/fake-client.ts';

interface Seen {
  readonly name: string;
  readonly id: string;
  /** `trace parent`, null for a root. */
  readonly under: string | null;
  readonly attributes: { [name: string]: unknown };
  failed: boolean;
  ended: boolean;
}

/** Loads what an operator's `--import` would; the answer holds every span begun. */
function loadSdk(): Seen[] {
  const seen: Seen[] = [];
  const provider: TracerProvider = {
    getTracer: () => {
      const startSpan = (
        name: string,
        options: SpanOptions = {},
        under: Context = context.active(),
      ): Span => {
        const parent = options.root === true ? undefined : trace.getSpanContext(under);
        const id = String(seen.length + 1).padStart(16, '0');
        const traceId = parent?.traceId ?? 'a'.repeat(32);
        const attributes: Seen['attributes'] = { ...options.attributes };
        const one: Seen = {
          name,
          id,
          under: parent?.spanId ?? null,
          attributes,
          failed: false,
          ended: false,
        };
        seen.push(one);
        const span: Span = {
          spanContext: (): SpanContext => ({ traceId, spanId: id, traceFlags: 0 }),
          setAttribute: (key, value) => ((attributes[key] = value), span),
          setAttributes: () => span,
          addEvent: () => span,
          addLink: () => span,
          addLinks: () => span,
          setStatus: () => ((one.failed = true), span),
          updateName: () => span,
          end: () => void (one.ended = true),
          isRecording: () => false,
          recordException: () => undefined,
        };
        return span;
      };
      return {
        startSpan,
        startActiveSpan: (name: string, ...rest: unknown[]) => {
          const work = rest.at(-1) as (span: Span) => unknown;
          const [options, under = context.active()] = rest.slice(0, -1) as [SpanOptions?, Context?];
          const span = startSpan(name, options, under);
          return context.with(trace.setSpan(under, span), () => work(span)) as never;
        },
      };
    },
  };
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(contexts());
  propagation.setGlobalPropagator({
    fields: () => ['traceparent'],
    inject: () => undefined,
    extract(under, carrier, getter) {
      const [, traceId, spanId] = String(getter.get(carrier, 'traceparent')).split('-');
      return traceId === undefined || spanId === undefined
        ? under
        : trace.setSpanContext(under, { traceId, spanId, traceFlags: 1 });
    },
  });
  return seen;
}

function contexts(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (given, work, self, ...args) => storage.run(given, () => work.call(self as never, ...args)),
    bind: (_given, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
}

afterEach(() => {
  trace.disable();
  context.disable();
  propagation.disable();
});

const client: Client = new FakeClient();
const asks: Door = {
  method: 'POST',
  path: '/v1/checkout/{id}/expire',
  handle: async () => {
    await tracedClient(openTracing(), client).ask(
      checkoutSessionAt('cs_secret'),
      'expire',
      {},
      {
        by: 'merchant',
        scope: null,
      },
    );
    return { status: 200, body: null };
  },
};
const request = (headers: { readonly [name: string]: string }): Parameters<Door['handle']>[0] => ({
  requestId: 'req_1',
  method: 'POST',
  path: '/v1/checkout/cs_secret/expire',
  params: { id: 'cs_secret' },
  rawQuery: '',
  body: Buffer.alloc(0),
  ip: '127.0.0.1',
  header: (name) => headers[name] ?? '',
});

test('without an SDK doors, client and effects are not wrapped', () => {
  expect(openTracing()).toBeNull();
  const doors = [asks];
  const runners = {};
  expect(tracedDoors(null, doors)).toBe(doors);
  expect(tracedClient(null, client)).toBe(client);
  expect(tracedEffects(null, runners)).toBe(runners);
});

test('a request is a span in the caller’s trace, its asks are spans inside it, and no id is recorded', async () => {
  const seen = loadSdk();
  const [door] = tracedDoors(openTracing(), [asks]);
  seen.length = 0;
  const traceparent = `00-${'b'.repeat(32)}-${'c'.repeat(16)}-01`;
  expect(await door?.handle(request({ traceparent }))).toEqual({ status: 200, body: null });
  const spans = seen.filter(({ name }) => name !== 'probe');
  expect(spans.map(({ name, under, ended }) => [name, under, ended])).toEqual([
    ['POST /v1/checkout/{id}/expire', 'c'.repeat(16), true],
    ['ask checkout_session.expire', spans[0]?.id, true],
  ]);
  expect(spans[0]?.attributes).toEqual({
    'http.request.method': 'POST',
    'http.route': '/v1/checkout/{id}/expire',
    'http.response.status_code': 200,
    'galla.request_id': 'req_1',
  });
  expect(spans[1]?.attributes['galla.outcome']).toBe('ok');
  expect(JSON.stringify(seen)).not.toContain('cs_secret');
});

test('the headers of a trace are kept for a door that waits for a body', () => {
  loadSdk();
  const lateHeaders = (door: Door): readonly string[] | undefined =>
    tracedDoors(openTracing(), [door])[0]?.lateHeaders;
  expect(lateHeaders({ ...asks, lateHeaders: ['authorization'] })).toEqual([
    'authorization',
    'traceparent',
    'tracestate',
  ]);
  // all of them are
  expect(lateHeaders(asks)).toBeUndefined();
});

test('a run of an effect that throws ends its span as failed, and throws', async () => {
  const seen = loadSdk();
  const runners = tracedEffects(openTracing(), {
    'webhook.post': { atOnce: 3, run: () => Promise.reject(new Error('refused')) },
  });
  seen.length = 0;
  const runner = runners['webhook.post'];
  expect(runner?.atOnce).toBe(3);
  await expect(runner?.run({} as never, {} as never)).rejects.toThrow('refused');
  expect(seen).toMatchObject([{ name: 'effect webhook.post', under: null, failed: true, ended: true }]);
});

test('checking for an SDK exports nothing', () => {
  const seen = loadSdk();
  expect(openTracing()).not.toBeNull();
  expect(seen).toMatchObject([{ name: 'probe', ended: false }]);
});
