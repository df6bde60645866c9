/** The composition root: makes every part and hands it to those that need it. No part finds another by itself.
 *  1. The port serves once everything behind it is ready. Alone it answers 503 from the first moment; in a cluster,
 *     where others serve meanwhile, it opens only then.
 *  2. What was opened is closed in the reverse order. */
import { createHmac } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { cast } from '../actors/cast.ts';
import type { Provider } from './providers/answers.ts';
import { envelopeText } from '../actors/event-log/envelope.ts';
import { buyerDoors } from '../gateways/buyer/doors.ts';
import { buyerLimits } from '../gateways/buyer/limits.ts';
import type { BuyerParts } from '../gateways/buyer/parts.ts';
import { lostPage } from '../gateways/buyer/replies.ts';
import { createMerchantCache } from '../gateways/buyer/merchant-cache.ts';
import { openDashboard } from '../gateways/dashboard/server/doors.ts';
import { readBuilt } from '../gateways/dashboard/server/pages.ts';
import { openPasswords, settingsWaitingMax } from '../gateways/dashboard/server/passwords.ts';
import { doorsOfNode } from '../gateways/doors-of-node.ts';
import { frontDoors } from '../gateways/front/doors.ts';
import { faultsGuide, readDocs, type Docs } from '../gateways/front/docs.ts';
import type { ApiParts } from '../gateways/http/api-parts.ts';
import { clientAddressBehind, type ClientAddress } from '../gateways/server/client-address.ts';
import { createAuth } from '../gateways/http/access/auth.ts';
import type { Door } from '../gateways/server/door.ts';
import { Gate, sandboxCaller } from '../gateways/http/access/gate.ts';
import { createIdempotency } from '../gateways/http/route/idempotency.ts';
import { createLimits } from '../gateways/http/access/rate-limit.ts';
import { askedOfStore, readingClient } from '../gateways/http/route/reading.ts';
import { routes } from '../gateways/http/routes.ts';
import { createSuccessRates } from '../gateways/buyer/success-rates.ts';
import { tracedDoors } from '../gateways/http/traced.ts';
import { listen, type Listener } from '../gateways/server/listener.ts';
import { openLive } from '../gateways/live.ts';
import { qrEventsNotYet } from '../gateways/sse/qr-events.ts';
import { assetDoors } from '../gateways/pages/assets.ts';
import { simulatorEffects } from '../gateways/simulator/buyer.ts';
import { mountSimulatorSockets, simulatorDoors, type PlayDeps } from '../gateways/simulator/doors.ts';
import { createSimulate } from '../gateways/simulator/outcomes.ts';
import { createVisitor } from '../gateways/simulator/visitor.ts';
import { tellUws } from '../gateways/server/uws.ts';
import type { Bus } from './bus/bus.ts';
import { openCarriers, type Carriers } from './compose/carriers.ts';
import { collections } from './cli/collections.ts';
import { apiOf, demoMerchant, type DemoMerchant } from './compose/demo-merchant.ts';
import { demoPayment } from './cli/demo-payment.ts';
import { allowsPrivateHosts, isCluster, readSettings, type Settings } from './config.ts';
import { mintId } from './kernel/id.ts';
import { sealWith, type Seal } from './kernel/seal.ts';
import { realScheduler, seconds, type DurationMs } from './kernel/time.ts';
import { openHttp, type Http } from './outbound/http.ts';
import { systemResolver } from './outbound/resolve.ts';
import { isPublicAddress } from './outbound/ssrf-guard.ts';
import { DocReader } from './runtime/model/upcast.ts';
import { webhookDispatch } from './outbound/webhook-dispatch.ts';
import { webhookEffects } from './outbound/webhook-post.ts';
import { Breakers, circuitOf } from './providers/breaker.ts';
import { shareBreakers } from './providers/breaker-news.ts';
import { providerReturn } from './providers/call.ts';
import { providerDeps } from './providers/provider-calls.ts';
import { providerEffects } from './providers/provider-effects.ts';
import { sandboxProviders } from './providers/credentials.ts';
import { providers } from './providers/registry.ts';
import { providerConnectMs } from './providers/sender.ts';
import type { Scope } from './runtime/model/address.ts';
import type { Client } from './runtime/model/client.ts';
import { replayDead } from './runtime/delivery/replay.ts';
import { runnersOf } from './runtime/delivery/effects.ts';
import type { Failpoint } from './runtime/model/failpoint.ts';
import { Node } from './runtime/node/node.ts';
import { timersOf } from './runtime/pending-timers.ts';
import { Republishing } from './runtime/delivery/republish.ts';
import { createStoreBreaker, neverSilent, type StoreBreaker } from './runtime/activation/store-breaker.ts';
import { createLog, type Log } from './telemetry/log.ts';
import { createMetrics, type Metrics } from './telemetry/metrics.ts';
import { openTracing, tracedClient, tracedEffects, type Tracing } from './telemetry/trace.ts';
import { version } from './telemetry/version.ts';

export interface StartOptions {
  readonly env: { readonly [name: string]: string | undefined };
  /** Called when the service cannot go on (the disk failed): one line for the operator. */
  readonly onFatal: (line: string) => void;
  /** Called at named instants: the fault tests stop the process there, a bench looks at its watch. */
  readonly failpoint?: (name: Failpoint, kind: string, id: string) => void;
}

export interface Galla {
  /** Where it listens, e.g. `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly settings: Settings;
  /** null in a cluster: its merchants are made through the operator API. */
  readonly demo: DemoMerchant | null;
  readonly node: Node;
  readonly log: Log;
  /** Drains and closes everything, within 10 s. */
  stop(): Promise<void>;
}

/** Settings that do not hold; one line each. */
export class BadSettings extends Error {
  override readonly name = 'BadSettings';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** For whoever leaves: the doors take their part first, the actors have the rest. A supervisor gives 10 s. */
const leaveMs: DurationMs = seconds(9);
const leaveDoorsMs: DurationMs = seconds(5.5);
/** How long the port stays open for others to take what is owned here. */
const handOverMs: DurationMs = seconds(2.5);

/** What is made first and shared by all that follows. */
interface Ground {
  readonly options: StartOptions;
  readonly settings: Settings;
  readonly log: Log;
  readonly carriers: Carriers;
  readonly metrics: Metrics;
  /** null: nobody collects traces. */
  readonly tracing: Tracing | null;
  readonly seal: Seal;
  /** Where browsers find us. */
  readonly baseUrl: string;
  /** null: nobody stands between us and them. */
  readonly clientAddress: ClientAddress | null;
  /** Where we listen: our own calls to the simulator go here, never through the public address. */
  readonly listenerUrl: string;
  readonly breakers: Breakers;
  /** What a start still has to do; told by /health. */
  readonly missing: string[];
  /** null: no documentation lies beside the program. */
  readonly docs: Docs | null;
  /** For our own calls: to providers, to the simulator, of a simulated buyer. */
  readonly http: Http;
}

/** Closed in the reverse order of opening. */
type Closing = (() => Promise<unknown>)[];

/** Starts the service. Rejects with BadSettings, ListenerUnusable, DataDirInUse or PortUnavailable: all is closed. */
export async function start(options: StartOptions): Promise<Galla> {
  const read = readSettings(options.env);
  if ('problems' in read) throw new BadSettings(read.problems);
  const closing: Closing = [];
  try {
    return await compose(options, read.settings, closing);
  } catch (thrown) {
    await closeAll(closing);
    throw thrown;
  }
}

async function compose(options: StartOptions, settings: Settings, closing: Closing): Promise<Galla> {
  const { host } = settings;
  const log = createLog({ level: settings.logLevel, pretty: process.stdout.isTTY });
  // before anything is written
  await tellUws(log);
  const closeLater = (close: () => Promise<unknown>): void => void closing.push(close);
  const kinds = { actors: cast, collections: collections() };
  const carriers = await openCarriers({ settings, log, onFatal: options.onFatal, closeLater, ...kinds });
  const http = openHttp({ connectMs: providerConnectMs });
  closing.push(() => http.close());
  const metrics = createMetrics({ version, incarnation: () => carriers.ownership.incarnation, log });
  const { answered } = metrics;
  const page = { lostPage, notYet: qrEventsNotYet };
  const { port } = settings;
  // the other nodes serve while this one starts
  const opensLater = isCluster(settings) && port !== 0;
  const { trustedProxies } = settings;
  const clientAddress = trustedProxies === null ? null : clientAddressBehind(trustedProxies);
  const listener = await listen({ host, port, opensLater, log, answered, clientAddress, ...page });
  metrics.watchRequests(() => listener.inHand());
  const url = `http://${host}:${listener.port}`;
  const ground: Ground = {
    options,
    settings,
    log,
    carriers,
    metrics,
    tracing: openTracing(),
    http,
    seal: sealWith(carriers.secretsKey),
    breakers: new Breakers(),
    missing: ['doors'],
    docs: readDocs(),
    baseUrl: settings.baseUrl ?? url,
    clientAddress,
    listenerUrl: host === '0.0.0.0' ? `http://127.0.0.1:${listener.port}` : url,
  };
  shareBreakers(ground.breakers, carriers.bus);
  const node = nodeOf(ground, closing);
  closing.push(...leaving(node, listener, log));
  await node.start();
  if (settings.simulator) listener.sockets((app) => mountSimulatorSockets(playDeps(ground, node), app));
  listener.mount(tracedDoors(ground.tracing, doorsOf(ground, node, closing, listener)));
  if (opensLater) await listener.open();
  node.open();
  closing.push(forwarding(carriers.bus, node));
  const republishing = new Republishing(node);
  const deaf = carriers.bus.onEventsLost((made) => republishing.all(made));
  closing.push(async () => deaf());
  const demo = carriers.demoDir === null ? null : await demoOf(ground, carriers.demoDir);
  ground.missing.length = 0;
  let stopped: Promise<void> | null = null;
  const stop = (): Promise<void> => {
    // told by /health from the first moment on, so that nobody new is sent here
    if (stopped === null) ground.missing.push('leaving');
    return (stopped ??= closeAll(closing));
  };
  return { url, settings, demo, node, log, stop };
}

/** How a node leaves, the last step first. */
function leaving(node: Node, listener: Listener, log: Log): Closing {
  let leaveBy = 0;
  return [
    // doors still ask while they drain
    () => node.stop(leaveBy - realScheduler.steady()),
    () => {
      leaveBy = realScheduler.steady() + leaveMs;
      // what it owns goes before the port closes: an actor whose provider is the simulator could call it no more
      const handedOver = node
        .handOver(handOverMs)
        .catch((err: unknown) => log.warn({ err }, 'the node could not hand over before its port closed'));
      return listener.drain(leaveDoorsMs, handedOver);
    },
  ];
}

/** Hints that took the durable road reach their actor, wherever it lives. */
function forwarding(bus: Bus, node: Node): () => Promise<void> {
  const stop = bus.forward((envelope) => node.deliverHint(envelope));
  return async () => stop();
}

const demoOf = ({ listenerUrl, carriers }: Ground, dir: string): Promise<DemoMerchant> =>
  demoMerchant(dir, apiOf(listenerUrl, carriers.adminToken));

async function closeAll(closing: Closing): Promise<void> {
  for (const close of closing.splice(0).reverse()) await close().catch(() => undefined);
}

function nodeOf(ground: Ground, closing: Closing): Node {
  const { settings, log, options } = ground;
  const { store, bus, ownership, publish } = ground.carriers;
  const [open, guarded] = [
    openHttp(),
    openHttp({ guard: { resolve: systemResolver(), allowed: isPublicAddress } }),
  ];
  closing.push(
    () => open.close(),
    () => guarded.close(),
  );
  const calls = providerDeps({ ...ground, client: () => node });
  const atProviders = providerEffects(calls, () => node);
  closing.push(() => atProviders.stop());
  const docs = new DocReader(store, cast);
  const unguarded = allowsPrivateHosts(settings) ? open : null;
  const effects = runnersOf([
    atProviders.runners,
    webhookEffects({ docs, store, seal: ground.seal, guarded, unguarded, scheduler: realScheduler }),
    simulatorEffects(() => playDeps(ground, node)),
  ]);
  const node: Node = new Node({
    actors: cast,
    store,
    scheduler: realScheduler,
    envelopeText,
    log,
    effects: tracedEffects(ground.tracing, effects),
    ownership,
    bus,
    publish,
    dispatch: webhookDispatch(docs),
    breaker: isCluster(settings) ? breakerOf(ground) : neverSilent,
    meters: ground.metrics.meters,
    ...(options.failpoint === undefined ? {} : { failpoint: options.failpoint }),
  });
  return node;
}

const playDeps = ({ baseUrl, listenerUrl, http }: Ground, client: Client): PlayDeps => ({
  client,
  baseUrl,
  wait: (ms) => wait(ms),
  visitor: createVisitor({ baseUrl, listenerUrl: () => listenerUrl, http }),
});

/** An id nobody has: what the store says of it is worth a sign of life. */
const nobody = 'mer_000000000000000000000000';

const breakerOf = ({ log, carriers: { store } }: Ground): StoreBreaker =>
  createStoreBreaker({ scheduler: realScheduler, log, probe: () => store.read('merchant', nobody) });

/** Every address of the service: API, buyers' pages, what pages refer to, the simulator. */
function doorsOf(
  ground: Ground,
  node: Node,
  closing: Closing,
  listener: Pick<Listener, 'sockets' | 'whenClosed'>,
): readonly Door[] {
  const { settings, log, seal, baseUrl, breakers, carriers } = ground;
  const { bus, store, adminToken, secretsKey } = carriers;
  const formKey = createHmac('sha256', secretsKey).update('form tokens').digest();
  const { breaker } = node;
  const client = readingClient(tracedClient(ground.tracing, node), breaker);
  const play = playDeps(ground, client);
  const now = (): number => realScheduler.now();
  const sharing = isCluster(settings) ? { bus, scheduler: realScheduler } : null;
  const auth = createAuth({ client, adminToken, now, others: sharing?.bus ?? null });
  const limits = createLimits({ on: settings.rateLimits, now, sharing });
  const gate = new Gate(auth, limits);
  if (!settings.rateLimits) log.warn('rate limits are off: for load tests only');
  const isDown = (provider: Provider, scope: Scope): boolean =>
    breakers.isOpen(circuitOf(provider, scope), node.now(scope));
  const labels = new Map([...providers].map(([id, { adapter }]) => [id, adapter.label]));
  const rates = createSuccessRates(client, [...providers.keys()], realScheduler);
  const merchantCache = createMerchantCache({ client, auth, now, labels, isDown, rates });
  const parts: ApiParts = {
    ...groundOfApi(ground, node),
    client,
    auth,
    limits,
    idempotency: createIdempotency({ client, seal, scheduler: realScheduler }),
    health: () => [
      ...new Set([...ground.missing, ...carriers.missing(), ...(breaker.open ? ['store'] : [])]),
    ],
    simulate: settings.simulator
      ? createSimulate({ ...play, providers: [...providers.keys()], isDown })
      : null,
  };
  const dashboard = openDashboard({ ...parts, adminToken, secretsKey, built: readBuilt(), sharing });
  const buyerParts: BuyerParts = {
    client,
    log,
    scheduler: realScheduler,
    formKey,
    baseUrl,
    ...merchantCache,
    parseReturn: providerReturn(providerDeps({ ...ground, client: () => node })),
    mintPaymentId: (sessionId) => mintId('pay', sessionId),
    ...buyerLimits(limits),
  };
  const front = frontOf(ground, buyerParts);
  const simulator = settings.simulator
    ? simulatorDoors({
        ...play,
        guide: faultsGuide(ground.docs),
        authenticate: (request) => sandboxCaller(gate, 'POST', request),
      })
    : [];
  const runs = { gateways: settings.roles.includes('gateways') };
  const following = { client, gate, auth, logins: dashboard.logins, store, bus, scheduler: realScheduler };
  const live = openLive(
    { ...ground, ...following, limits: settings.rateLimits },
    runs.gateways ? listener : null,
  );
  listener.whenClosed(() => live.drain());
  const api = [...routes(parts), ...live.doors, ...dashboard.doors, ...front];
  return doorsOfNode(runs, { api, buyers: buyerDoors(buyerParts), assets: assetDoors(), simulator });
}

const frontOf = (
  { settings, docs, carriers, baseUrl, listenerUrl }: Ground,
  parts: BuyerParts,
): readonly Door[] => {
  const makeTestPayment = demoPayment({ settings, demoDir: carriers.demoDir, baseUrl, listenerUrl });
  return frontDoors({ ...parts, simulator: settings.simulator, docs, makeTestPayment });
};

/** What routes are given that is neither a client nor a limit. */
const groundOfApi = ({ settings, log, seal, baseUrl, metrics, carriers }: Ground, node: Node) => ({
  log,
  seal,
  baseUrl,
  metrics,
  scheduler: realScheduler,
  passwords: openPasswords(carriers.secretsKey, settingsWaitingMax),
  allowPrivateHosts: allowsPrivateHosts(settings),
  nodes: () => carriers.nodes(metrics.own()),
  replayDead: (id: string) => askedOfStore(replayDead(node, id)),
  timersOf: (projectId: string) => timersOf(carriers.store, projectId),
  sandboxProviders: (projectId: string) => sandboxProviders(seal, projectId),
});
