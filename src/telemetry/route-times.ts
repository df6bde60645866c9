/** Requests by route: their status codes and durations.
 *  Boundary: counts in plain numbers and writes Prometheus' text itself, because every request is counted
 *  here and a general histogram costs as much as a tenth of a small request.
 *  1. There are as many series as routes, codes and bounds; nothing a client sends adds one. */
import type { DurationMs } from '../kernel/time.ts';

/** A route pattern, e.g. `GET` and `/v1/checkout/{id}`. Compared by identity: one object per route. */
export interface MeteredRoute {
  readonly method: string;
  readonly path: string;
}

/** Upper bounds in seconds: an answer from memory takes half a millisecond, a request ends after 28 s. */
const boundsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 28];
const boundsMs: readonly DurationMs[] = boundsSeconds.map((bound) => bound * 1000);

/** The label for every address without a route. */
const nowhere: MeteredRoute = { method: 'any', path: 'none' };

class RouteTimes {
  readonly codes = new Map<number, number>();
  /** The number of requests in each bucket: above the previous bound, up to this one; the last: above all
   *  bounds. */
  readonly took: number[] = [...boundsMs, 0].map(() => 0);
  sumMs = 0;
  count = 0;

  add(status: number, tookMs: DurationMs): void {
    this.codes.set(status, (this.codes.get(status) ?? 0) + 1);
    let at = 0;
    while (at < boundsMs.length && tookMs > (boundsMs[at] ?? 0)) at++;
    this.took[at] = (this.took[at] ?? 0) + 1;
    this.sumMs += tookMs;
    this.count++;
  }
}

export class RequestTimes {
  private readonly routes = new Map<MeteredRoute, RouteTimes>();

  /** Counts one answer; undefined: no such route. */
  add(route: MeteredRoute | undefined, status: number, tookMs: DurationMs): void {
    const key = route ?? nowhere;
    let times = this.routes.get(key);
    if (times === undefined) {
      times = new RouteTimes();
      this.routes.set(key, times);
    }
    times.add(status, tookMs);
  }

  /** In Prometheus' text format; empty before the first request. */
  text(): string {
    if (this.routes.size === 0) return '';
    const all = [...this.routes].map(([route, times]) => ({ labels: labelsOf(route), times }));
    const requests = all.flatMap(({ labels, times }) =>
      [...times.codes].map(([code, count]) => `${requestsName}{${labels},code="${code}"} ${count}`),
    );
    const durations = all.flatMap(({ labels, times }) => durationLines(labels, times));
    return [
      `# HELP ${requestsName} Requests answered. 499: the client left first; 408: its body never came whole.`,
      `# TYPE ${requestsName} counter`,
      ...requests,
      `# HELP ${durationName} From the head of a request to its answer.`,
      `# TYPE ${durationName} histogram`,
      ...durations,
      '',
    ].join('\n');
  }
}

const requestsName = 'galla_http_requests_total';
const durationName = 'galla_http_request_duration_seconds';

/** Our methods and patterns contain neither quotes nor line breaks. */
const labelsOf = ({ method, path }: MeteredRoute): string => `method="${method}",route="${path}"`;

function durationLines(labels: string, { took, sumMs, count }: RouteTimes): readonly string[] {
  let below = 0;
  const buckets = boundsSeconds.map((bound, at) => {
    below += took[at] ?? 0;
    return `${durationName}_bucket{${labels},le="${bound}"} ${below}`;
  });
  return [
    ...buckets,
    `${durationName}_bucket{${labels},le="+Inf"} ${count}`,
    `${durationName}_sum{${labels}} ${sumMs / 1000}`,
    `${durationName}_count{${labels}} ${count}`,
  ];
}
