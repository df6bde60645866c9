/** The composition root: creates every part and passes it to those that need it. No part looks up another
 *  by itself.
 *  1. The port serves once everything behind it is ready. A single node answers 503 from the start; in a
 *     cluster, where other nodes serve meanwhile, the port opens only then.
 *  2. What was opened is closed in reverse order. */
import { cast } from '../actors/cast.ts';
import { doorsOfNode } from '../gateways/doors-of-node.ts';
import { tracedDoors } from '../gateways/http/traced.ts';
import { logListener } from '../gateways/server/uws.ts';
import { openAccess } from './compose/access.ts';
import { openBase } from './compose/base.ts';
import { receiveCommands } from './compose/commands.ts';
import { handleBus, leaveLater, openNode, type OnFailpoint } from './compose/node.ts';
import { openCarriers } from './compose/carriers.ts';
import { Closing } from './compose/closing.ts';
import { collections } from './compose/collections.ts';
import { apiOf, demoMerchant, type DemoMerchant } from './compose/demo-merchant.ts';
import { openDoors } from './compose/doors.ts';
import { openKeyedForm } from './compose/keyed-form.ts';
import { followLive } from './compose/live.ts';
import { mendLater } from './compose/mending.ts';
import { openPort, type PortParts } from './compose/port.ts';
import { openRequestLog } from './compose/requests.ts';
import { settingsOf } from './compose/settings.ts';
import { openSimulatorSockets } from './compose/simulator.ts';
import type { Settings } from './config.ts';
import { releases } from './kernel/api-releases.ts';
import { realScheduler, type DurationMs } from './kernel/time.ts';
import { ApiVersions, type Release } from './kernel/api-versions.ts';
import { erasIn } from './runtime/cluster/eras.ts';
import type { Node } from './runtime/node/node.ts';
import { createLog, type Log } from './telemetry/log.ts';
import { createMetrics } from './telemetry/metrics.ts';
import { version } from './telemetry/version.ts';

export interface StartOptions {
  readonly env: { readonly [name: string]: string | undefined };
  /** Called when the service cannot continue (the disk failed): one line for the operator. */
  readonly onFatal: (line: string) => void;
  /** For fault tests and benchmarks. */
  readonly failpoint?: OnFailpoint;
  /** For tests of a version of the API that is not released. */
  readonly releases?: readonly Release[];
  /** For tests of merchants' host names: `address:port` of the name servers, instead of the machine's. */
  readonly nameServers?: readonly string[];
  /** For tests of the stream EVENTS: how often a node looks whether it has to fill it. */
  readonly refillEveryMs?: DurationMs;
  /** For tests that do not look at how the service stops: shorter waits. */
  readonly drain?: PortParts['drain'];
}

export interface Galla {
  /** The listening address, e.g. `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly settings: Settings;
  /** null in a cluster: its merchants are created through the operator API. */
  readonly demo: DemoMerchant | null;
  readonly node: Node;
  readonly log: Log;
  /** Drains and closes everything, within 10 s, or 15 s while a refund call is out. */
  stop(): Promise<void>;
}

/** Starts the service. Rejects with BadSettings, ListenerUnusable, DataDirInUse or PortUnavailable;
 *  everything is closed then. */
export async function start(options: StartOptions): Promise<Galla> {
  const settings = settingsOf(options.env);
  const closing = new Closing();
  try {
    return await compose(options, settings, closing);
  } catch (thrown) {
    await closing.all();
    throw thrown;
  }
}

async function compose(options: StartOptions, settings: Settings, closing: Closing): Promise<Galla> {
  const log = createLog({ level: settings.logLevel, pretty: process.stdout.isTTY });
  // before anything is written
  await logListener(log);

  const kinds = { actors: cast, collections: collections() };
  const carriers = await openCarriers({ ...options, settings, log, closing, ...kinds });
  const metrics = createMetrics({ version, incarnation: () => carriers.ownership.incarnation, log });
  const versions = new ApiVersions(options.releases ?? releases);
  const requests = openRequestLog(carriers, log, closing);
  const ofPort = { settings, log, metrics, versions, requests, drain: options.drain };
  const { listener, opensLater, ...addresses } = await openPort(ofPort);
  const eras = await erasIn({ store: carriers.store, scheduler: realScheduler });
  const base = openBase({ settings, log, carriers, metrics, addresses, versions, eras }, closing);

  await openKeyedForm({ ...carriers, idKey: base.idKey, scheduler: realScheduler, log }, closing);
  const node = openNode(base, options, closing);
  leaveLater({ node, listener, log }, closing);
  await node.start();

  const access = openAccess(base, node, requests);
  const { logins, parts, ...doors } = openDoors(base, node, access);
  openSimulatorSockets(base, node.client, listener);
  const live = followLive({ base, access, logins, listener });
  const runs = { gateways: settings.roles.includes('gateways') };
  listener.mount(tracedDoors(base.tracing, doorsOfNode(runs, { ...doors, live })));

  if (opensLater) await listener.open();
  node.open();
  mendLater(base, node, closing);
  handleBus(carriers.bus, node, closing);
  receiveCommands(carriers, { parts, node }, closing);
  const { demoDir, adminToken } = carriers;
  const demo = demoDir === null ? null : await demoMerchant(demoDir, apiOf(base.listenerUrl, adminToken));
  base.missing.length = 0;

  let stopped: Promise<void> | null = null;
  const stop = (): Promise<void> => {
    // /health reports this from the start, so that a load balancer sends no requests here
    if (stopped === null) base.missing.push('leaving');
    return (stopped ??= closing.all());
  };
  return { url: base.url, settings, demo, node, log, stop };
}
