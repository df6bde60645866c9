/** Spans through the OpenTelemetry API. This service includes no SDK: an operator who wants traces loads
 *  one first (`NODE_OPTIONS --import`); without one no span is created and there is no cost.
 *  1. A span names a pattern or a kind of actor, never a path: the id in an address may be enough to act as
 *     the buyer.
 *  2. Tracing changes no result: what the work returns or throws is passed through. */
import {
  context,
  isSpanContextValid,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
  type TextMapGetter,
  type Tracer,
} from '@opentelemetry/api';
import type { Client } from '../runtime/model/client.ts';
import type { EffectRunners } from '../runtime/delivery/effects.ts';
import { version } from './version.ts';

export interface Tracing {
  /** Runs the work inside a new span. */
  inside<Result>(beginning: Beginning, work: (span: Span) => Promise<Result>): Promise<Result>;
}

export interface Beginning {
  readonly name: string;
  readonly kind: 'server' | 'client' | 'internal';
  readonly attributes: Attributes;
  /** A header of the request, by lower-case name, '' when absent: it continues the caller's trace. */
  readonly header?: (name: string) => string;
}

/** null when no SDK was loaded: checked once, at start, because an SDK must be loaded before the service. */
export function openTracing(): Tracing | null {
  const tracer = trace.getTracer('galla', version);
  // without an SDK a span has no valid context; this one is never ended, so it is never exported
  if (!isSpanContextValid(tracer.startSpan('probe', { root: true }).spanContext())) return null;
  return { inside: (beginning, work) => inside(tracer, beginning, work) };
}

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

async function inside<Result>(
  tracer: Tracer,
  { name, kind, attributes, header }: Beginning,
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  const parent: Context =
    header === undefined ? context.active() : propagation.extract(context.active(), header, fromHeaders);
  return tracer.startActiveSpan(name, { kind: kinds[kind], attributes }, parent, async (span) => {
    try {
      return await work(span);
    } catch (thrown) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      if (thrown instanceof Error) span.recordException(thrown);
      throw thrown;
    } finally {
      span.end();
    }
  });
}

const fromHeaders: TextMapGetter<(name: string) => string> = {
  keys: () => [],
  get: (header, name) => (header(name) === '' ? undefined : header(name)),
};

/** The same client; each ask is a span `ask <kind>.<command>`. */
export function tracedClient(tracing: Tracing | null, client: Client): Client {
  if (tracing === null) return client;
  return {
    get incarnation() {
      return client.incarnation;
    },
    get incarnationsAlive() {
      return client.incarnationsAlive;
    },
    ask: (to, command, data, asking) =>
      tracing.inside(
        {
          name: `ask ${to.kind}.${command}`,
          kind: 'client',
          attributes: { 'galla.actor.kind': to.kind, 'galla.command': command },
        },
        async (span) => {
          const result = await client.ask(to, command, data, asking);
          span.setAttribute('galla.outcome', result.is === 'refused' ? result.code : result.is);
          return result;
        },
      ),
    hint: (to, command, data, asking) =>
      tracing.inside(
        {
          name: `hint ${to.kind}.${command}`,
          kind: 'client',
          attributes: { 'galla.actor.kind': to.kind, 'galla.command': command },
        },
        async (span) => {
          const fate = await client.hint(to, command, data, asking);
          span.setAttribute('galla.outcome', fate);
          return fate;
        },
      ),
    settled: (to, identity) => client.settled(to, identity),
    read: (to, scope) => client.read<never>(to, scope),
    eventsUpTo: (scope) => client.eventsUpTo(scope),
    readStored: (kind, ids) => client.readStored<never>(kind, ids),
    readRow: (kind, id, scope) => client.readRow(kind, id, scope),
    list: (query) => client.list(query),
    listRows: (query) => client.listRows(query),
    sumRows: (query) => client.sumRows(query),
    newestTagged: (query) => client.newestTagged(query),
    watch: (id, onNotice) => client.watch(id, onNotice),
    watchScope: (scope, onNotice) => client.watchScope(scope, onNotice),
    now: (scope) => client.now(scope),
  };
}

/** The same runners; each run is a span `effect <kind>` in a trace of its own, because the request that
 *  caused it has been answered by then. */
export function tracedEffects(tracing: Tracing | null, runners: EffectRunners): EffectRunners {
  if (tracing === null) return runners;
  return Object.fromEntries(
    Object.entries(runners).map(([kind, runner]) => [
      kind,
      {
        ...runner,
        run: (data: never, asked: Parameters<typeof runner.run>[1]) =>
          tracing.inside(
            { name: `effect ${kind}`, kind: 'internal', attributes: { 'galla.effect': kind } },
            () => runner.run(data, asked),
          ),
      },
    ]),
  );
}
