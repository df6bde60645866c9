/** The node: the actors, the store and bus under them, and their effects. */
import { cast } from '../../actors/cast.ts';
import { envelopeTextIn } from '../../actors/event-log/envelope.ts';
import { providerCounts, type ProviderCounts } from '../providers/health/provider-count.ts';
import { realScheduler, type Instant, seconds, type DurationMs } from '../kernel/time.ts';
import { webhookDispatch } from '../outbound/webhook-dispatch.ts';
import { WebhookReads, type WebhookReadsParts } from '../outbound/webhook-reads.ts';
import { partsOf } from '../providers/breaker.ts';
import { createStoreBreaker, neverOpens, type StoreBreaker } from '../runtime/activation/store-breaker.ts';
import type { Dispatch } from '../runtime/delivery/journal-pump.ts';
import type { Failpoint } from '../runtime/model/failpoint.ts';
import { leaveDirectoryMsMax } from '../runtime/cluster/leaving.ts';
import { onceCallMsMax } from '../runtime/cluster/ownership.ts';
import { DocReader } from '../runtime/model/upcast.ts';
import { Node } from '../runtime/node/node.ts';
import type { Base } from './base.ts';
import type { Closing } from './closing.ts';
import { openEffects } from './effects.ts';
import { memoryBudget } from './memory.ts';
import { retention } from './collections.ts';
import type { Bus } from '../bus/bus.ts';
import type { Listener } from '../../gateways/server/listener.ts';
import type { Log } from '../telemetry/log.ts';

/** Called at named points: fault tests stop the process there, benchmarks measure time there. */
export type OnFailpoint = (name: Failpoint, kind: string, id: string) => void;

/** What tests and benchmarks replace. */
export interface NodeOptions {
  readonly failpoint?: OnFailpoint;
  readonly nameServers?: readonly string[];
}

/** Not started yet. */
export function openNode(base: Base, { failpoint, nameServers }: NodeOptions, closing: Closing): Node {
  const { settings, log, metrics, carriers } = base;
  const { store, bus, ownership, publish } = carriers;
  const docs = new DocReader(store, cast);
  const counts = providerCounts(() => node.client, realScheduler);
  const alone = (): boolean => ownership.slots === undefined;
  const here: WebhookReadsParts['here'] = (kind, id) => node.actors.shown(kind, id);
  const reads = new WebhookReads({ docs, store, here, alone, scheduler: realScheduler });
  const effects = openEffects({ base, client: () => node.client, docs, reads, counts, closing, nameServers });
  const node: Node = new Node({
    actors: cast,
    store,
    actorBytesMax: memoryBudget(settings).actorBytes,
    retention,
    scheduler: realScheduler,
    envelopeText: envelopeTextIn(base.versions.newest),
    eras: base.eras,
    log,
    effects,
    ownership,
    bus,
    publish,
    dispatch: dispatchOf(reads, counts),
    committed: (doc) => reads.observe(doc),
    breaker: breakerOf(base),
    meters: metrics.meters,
    ...(failpoint === undefined ? {} : { failpoint }),
  });
  watchProviders(base, node, counts);
  return node;
}

/** What events cause: deliveries to endpoints, then a look at a provider that fails. */
function dispatchOf(reads: WebhookReads, counts: ProviderCounts): Dispatch {
  const deliveries = webhookDispatch(reads);
  return async (scope, entries) => {
    const looks = counts.looksCausedBy(scope, entries);
    const caused = await deliveries(scope, entries);
    return entries.map((_entry, at) => [...(caused[at] ?? []), ...(looks[at] ?? [])]);
  };
}

function watchProviders({ metrics, breakers }: Base, node: Node, counts: ProviderCounts): void {
  const now = (circuit: string): Instant => node.client.now(partsOf(circuit).scope);
  metrics.watchProviders({
    open: () => breakers.openNow(now).map((circuit) => partsOf(circuit).provider),
    degraded: () => counts.degradedNow(),
  });
}

function breakerOf({
  log,
  settings: { storePatienceMs: patienceMs },
  carriers: { probe },
}: Base): StoreBreaker {
  if (probe === null) return neverOpens;
  return createStoreBreaker({ scheduler: realScheduler, log, patienceMs, probe });
}

/** Handles unsolicited messages from the bus on a running node: hints from the mailbox go to their actor,
 *  wherever it lives, and events lost by the bus are published again. */
export function handleBus(bus: Bus, { client, republishing }: Node, closing: Closing): void {
  const stopForwarding = bus.forward((envelope) => client.deliverHint(envelope));
  closing.later(async () => stopForwarding());
  const stopListening = bus.onEventsLost((made) => republishing.all(made));
  closing.later(async () => stopListening());
}

/** The shutdown time of gateways and actors: the gateways take their part first, the actors have the rest. What is
 *  closed after them has the time that is left of `closeMsMax`. */
export const leaveMs: DurationMs = seconds(8);
export const leaveDoorsMs: DurationMs = seconds(5.5);
/** The port closes at the end of a turn in which nothing arrived, and answers have a moment to leave. */
const doorsGraceMs: DurationMs = 500;
/** The node is removed from the directory after its actors have stopped. */
const actorsGraceMs: DurationMs = leaveDirectoryMsMax + 200;
/** How long the port stays open while other nodes take over what is owned here. */
const handOverMs: DurationMs = seconds(2.5);

export interface LeavingParts {
  readonly node: Node;
  readonly listener: Listener;
  readonly log: Log;
}

/** The shutdown of a node: it hands over what it owns, then its port closes, then its actors stop. */
export function leaveLater({ node, listener, log }: LeavingParts, closing: Closing): void {
  closing.onLate = (what, ms) => log.warn({ what, ms }, 'a part did not close in time: it is left behind');
  let leaveBy = 0;
  // gateways still call actors while they drain, so the node stops after them
  closing.later(() => node.stop(leaveBy - realScheduler.steady()), {
    what: 'actors',
    msMax: leaveMs + actorsGraceMs,
    moreMs: () => (node.callsOnce ? onceCallMsMax : 0),
  });
  const closeDoors = (): Promise<void> => {
    leaveBy = realScheduler.steady() + leaveMs;
    // hand-over comes before the port closes: an actor whose provider is the simulator could not call it
    // afterwards
    const handedOver = node
      .handOver(handOverMs)
      .catch((err: unknown) =>
        log.warn({ err }, 'the node could not hand over its partitions before its port closed'),
      );
    return listener.drain(leaveDoorsMs, handedOver);
  };
  closing.later(closeDoors, { what: 'doors', msMax: leaveDoorsMs + doorsGraceMs });
}
