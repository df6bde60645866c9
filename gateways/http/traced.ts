/** Doors whose requests are recorded as spans, for an operator who collects traces.
 *  1. A span is named by its route; it contains no path, query, address or header of a client. */
import type { Tracing } from '../../src/telemetry/trace.ts';
import type { Door } from '../server/door.ts';

/** The same doors; each request is a span that continues the caller's trace (`traceparent`). */
export const tracedDoors = (tracing: Tracing | null, doors: readonly Door[]): readonly Door[] =>
  tracing === null ? doors : doors.map((door) => traced(tracing, door));

/** Headers that carry the caller's trace: a door with a body must keep them, because it runs when the
 *  request's other headers are gone. */
const traceHeaders = ['traceparent', 'tracestate'];

const traced = (tracing: Tracing, door: Door): Door => ({
  ...door,
  ...(door.lateHeaders === undefined ? {} : { lateHeaders: [...door.lateHeaders, ...traceHeaders] }),
  handle: (request) =>
    tracing.inside(
      {
        name: `${door.method} ${door.path}`,
        kind: 'server',
        attributes: {
          'http.request.method': door.method,
          'http.route': door.path,
          'galla.request_id': request.requestId,
        },
        header: (name) => request.header(name),
      },
      async (span) => {
        const reply = await door.handle(request);
        span.setAttribute('http.response.status_code', reply.status);
        return reply;
      },
    ),
});
