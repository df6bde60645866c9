/** Prometheus metrics, in the service's own registry.
 *  Boundary: counts events and reads registered gauges; a gateway controls access.
 *  1. Labels are kinds of actors, route patterns, outcomes and status codes: no id, key or address ever
 *     becomes a series.
 *  2. A gauge that cannot be read is omitted from one scrape; the others are still reported.
 *  3. A counter that an alert reads starts at 0: Prometheus sees no increase in a series that appears with its first
 *     count. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { DurationMs } from '../kernel/time.ts';
import type {
  AskOutcome,
  AskWay,
  CommitOutcome,
  RuntimeGauges,
  RuntimeMeters,
} from '../runtime/model/meters.ts';
import type { LiveMeters, LiveSort } from './live-meters.ts';
import { loadOf, type OwnLoad } from './nodes.ts';
import { RequestTimes, type MeteredRoute } from './route-times.ts';

export interface MetricsOptions {
  readonly version: string;
  /** This process, as /admin/v1/nodes shows it: another one after it has rejoined its cluster. */
  readonly incarnation: () => string;
  readonly log: { warn(fields: object, message: string): void };
}

/** The registry, and the callback for metrics that cannot be read. */
interface Board {
  readonly registry: Registry;
  readonly log: MetricsOptions['log'];
}

export interface Metrics {
  /** For the runtime. */
  readonly meters: RuntimeMeters;
  /** For streams and sockets. */
  readonly live: LiveMeters;
  /** Counts one HTTP answer; undefined: no such route. */
  readonly answered: (route: MeteredRoute | undefined, status: number, tookMs: DurationMs) => void;
  /** Registers the source of the requests currently being answered. */
  watchRequests(inHand: () => number): void;
  /** Registers the number of live nodes that are not heard over the bus. */
  watchUnheard(nodes: () => number): void;
  /** Registers the age of the last good backup, and the time from one to the next, in seconds. */
  watchBackups(ageSeconds: () => number, everySeconds: number): void;
  /** Registers the source of the providers in trouble: one entry for each project and mode. */
  watchProviders(troubled: TroubledProviders): void;
  /** The state of this node; null until a runtime has registered. */
  own(): OwnLoad | null;
  readonly contentType: string;
  /** All metrics in Prometheus' text format. */
  text(): Promise<string>;
}

export interface TroubledProviders {
  open(): readonly string[];
  degraded(): readonly string[];
}

const commitOutcomes: readonly CommitOutcome[] = ['applied', 'stale', 'error', 'unknown'];
const askOutcomes: readonly AskOutcome[] = ['ok', 'refused', 'not_executed', 'unknown', 'internal'];
const askWays: readonly AskWay[] = ['local', 'remote'];
/** What the node as a whole has a limit for. */
const perNode: readonly LiveSort[] = ['socket', 'qr_stream', 'event_stream'];
const commitSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const commitWrites = [1, 2, 4, 8, 16, 32, 64, 128, 256];
const lateSeconds = [0.01, 0.1, 0.5, 1, 5, 15, 60, 300, 3600];

export function createMetrics({ version, incarnation, log }: MetricsOptions): Metrics {
  const registry = new Registry();
  const board: Board = { registry, log };
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'galla_node_info',
    help: 'This process: its version and its name among the nodes.',
    labelNames: ['version', 'node'],
    registers: [registry],
    collect() {
      this.reset();
      this.set({ version, node: incarnation() }, 1);
    },
  });
  const requests = new RequestTimes();
  let runtime: RuntimeGauges | null = null;
  return {
    meters: runtimeMeters(board, (gauges) => (runtime = gauges)),
    live: liveMeters(board),
    answered: (route, status, tookMs) => requests.add(route, status, tookMs),
    watchRequests(inHand) {
      pulled(board, 'galla_http_requests_in_hand', 'Requests being answered now.', inHand);
    },
    watchUnheard(nodes) {
      pulled(board, 'galla_bus_unheard_nodes', 'Live nodes that this one does not hear over the bus.', nodes);
    },
    watchBackups(ageSeconds, everySeconds) {
      pulled(board, 'galla_backup_age_seconds', 'Since the last good backup was begun.', ageSeconds);
      pulled(board, 'galla_backup_every_seconds', 'From one backup to the next.', () => everySeconds);
    },
    watchProviders: (troubled) => providerGauges(board, troubled),
    own: () => (runtime === null ? null : loadOf(runtime)),
    contentType: registry.contentType,
    text: async () => (await registry.metrics()) + requests.text(),
  };
}

function runtimeMeters(board: Board, shown: (gauges: RuntimeGauges) => void): RuntimeMeters {
  const histogram = (name: string, help: string, buckets: number[]): Histogram =>
    new Histogram({ name, help, buckets, registers: [board.registry] });
  const turns = tally(board, 'galla_turns_total', 'Turns of actors.', ['kind']);
  const commands = tally(board, 'galla_turn_commands_total', 'Commands executed in turns.', ['kind']);
  const commits = tally(
    board,
    'galla_commits_total',
    'Batches written to the store, by the worst outcome.',
    ['outcome'],
    commitOutcomes.map((outcome) => [outcome]),
  );
  const writes = histogram('galla_commit_writes', 'Documents in one batch.', commitWrites);
  const took = histogram(
    'galla_commit_duration_seconds',
    'How long the store took for a batch.',
    commitSeconds,
  );
  const asks = tally(
    board,
    'galla_asks_total',
    'Asks to actors, by how they ended and where the actor lives.',
    ['outcome', 'way'],
    askOutcomes.flatMap((outcome) => askWays.map((way) => [outcome, way])),
  );
  const reads = tally(
    board,
    'galla_remote_reads_total',
    'Reads of one object whose actor lives on another node, by who has answered.',
    ['from'],
  );
  const late = histogram(
    'galla_timer_late_seconds',
    'How late timers fired, on their own clock.',
    lateSeconds,
  );
  const parked = tally(
    board,
    'galla_dead_total',
    'What nobody could take and was parked (GET /admin/v1/dead).',
    ['kind'],
  );
  const purged = tally(
    board,
    'galla_purged_total',
    'Records removed because they had been kept long enough.',
    ['kind'],
  );
  return {
    turn(kind, count) {
      turns(1, kind);
      commands(count, kind);
    },
    commit(count, tookMs, outcome) {
      commits(1, outcome);
      writes.observe(count);
      took.observe(tookMs / 1000);
    },
    ask: (outcome, way) => asks(1, outcome, way),
    read: (from) => reads(1, from),
    timer: (lateMs) => late.observe(Math.max(0, lateMs) / 1000),
    parked: (kind) => parked(1, kind),
    purged: (kind, count) => purged(count, kind),
    watch(gauges) {
      shown(gauges);
      watchRuntime(board, gauges);
    },
  };
}

function providerGauges(board: Board, troubled: TroubledProviders): void {
  const circuits = 'Projects and modes whose circuit breaker for a provider is open, as this node knows it.';
  labelled(board, 'galla_provider_circuits_open', circuits, 'provider', () => tallied(troubled.open()));
  const rates = 'Projects and modes served by this node for which a provider is degraded.';
  labelled(board, 'galla_provider_degraded', rates, 'provider', () => tallied(troubled.degraded()));
}

/** How often each name occurs. */
const tallied = (names: readonly string[]): readonly Labelled[] =>
  [...new Set(names)].map((name) => [name, names.filter((other) => other === name).length]);

function liveMeters(board: Board): LiveMeters {
  const limited = tally(
    board,
    'galla_live_limits_total',
    'Streams and sockets turned away, or ended, by a limit.',
    ['of', 'limit'],
    perNode.map((of) => [of, 'per_node']),
  );
  return {
    limit: (of, limit) => limited(1, of, limit),
    watch(open) {
      const name = 'galla_live_open';
      labelled(board, name, 'Streams and sockets that are open.', 'of', () => Object.entries(open()));
    },
  };
}

/** A counter for frequent events: plain numbers, copied to the registry at each scrape. Labels contain no
 *  line breaks. `fromZero`: the labels of series that are there before they count. */
function tally(
  { registry }: Board,
  name: string,
  help: string,
  labelNames: readonly string[],
  fromZero: readonly (readonly string[])[] = [],
): (by: number, ...labels: readonly string[]) => void {
  const counted = new Map(fromZero.map((labels) => [labels.join('\n'), 0]));
  new Counter({
    name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      for (const [key, count] of counted) {
        const values = key.split('\n');
        this.inc(Object.fromEntries(labelNames.map((label, at) => [label, values[at] ?? ''])), count);
      }
    },
  });
  return (by, ...labels) => {
    const key = labels.length === 1 ? (labels[0] ?? '') : labels.join('\n');
    counted.set(key, (counted.get(key) ?? 0) + by);
  };
}

function watchRuntime(board: Board, gauges: RuntimeGauges): void {
  const each: readonly (readonly [name: string, help: string, read: () => number])[] = [
    ['galla_activations', 'Actors in memory.', () => gauges.activations()],
    ['galla_mailbox_commands', 'Commands waiting for their turn.', () => gauges.mailboxes().commands],
    ['galla_mailbox_deepest', 'Commands waiting for one actor, the most.', () => gauges.mailboxes().deepest],
    ['galla_partitions_owned', 'Partitions this node serves.', () => gauges.partitionsOwned()],
    [
      'galla_outbox_oldest_seconds',
      'Age of the oldest event, tell or effect that waits to leave.',
      () => gauges.outboxOldestMs() / 1000,
    ],
    [
      'galla_events_to_dispatch',
      'Events logged and not yet given to webhook endpoints.',
      () => gauges.eventLogLag().toDispatch,
    ],
    [
      'galla_events_to_publish',
      'Events logged and not yet on the bus.',
      () => gauges.eventLogLag().toPublish,
    ],
  ];
  for (const [name, help, read] of each) pulled(board, name, help, read);
  const effects = (of: 'running' | 'waiting') => (): readonly Labelled[] =>
    gauges.effects().map((one): Labelled => [one.kind, one[of]]);
  labelled(board, 'galla_effects_running', 'Effects under way.', 'kind', effects('running'));
  labelled(board, 'galla_effects_waiting', 'Effects that wait for a place.', 'kind', effects('waiting'));
}

/** A gauge that is read at each scrape. */
function pulled(board: Board, name: string, help: string, read: () => number): void {
  new Gauge({
    name,
    help,
    registers: [board.registry],
    collect() {
      const value = readable(board, name, read);
      if (value === null) this.remove();
      else this.set(value);
    },
  });
}

type Labelled = readonly [label: string, value: number];

/** A gauge with one label, read at each scrape. */
function labelled(
  board: Board,
  name: string,
  help: string,
  labelName: string,
  read: () => readonly Labelled[],
): void {
  new Gauge({
    name,
    help,
    labelNames: [labelName],
    registers: [board.registry],
    collect() {
      // a label value that no longer exists must not keep its last number
      this.reset();
      for (const [label, value] of readable(board, name, read) ?? []) this.set({ [labelName]: label }, value);
    },
  });
}

function readable<Value>({ log }: Board, name: string, read: () => Value): Value | null {
  try {
    return read();
  } catch (thrown) {
    log.warn({ err: thrown, metric: name }, 'a gauge could not be read');
    return null;
  }
}
