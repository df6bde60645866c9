/** The store and bus under the actors: one SQLite file and no other nodes, or a cluster's MongoDB and NATS.
 *  Nothing above this file knows which of the two is used. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Bus } from '../bus/bus.ts';
import { createLoneBus } from '../bus/bus-lone.ts';
import type { OutsideCommands } from '../bus/commands.ts';
import type { Settings } from '../config.ts';
import { base32 } from '../kernel/id.ts';
import { realScheduler, seconds, type DurationMs } from '../kernel/time.ts';
import type { AnyActor } from '../runtime/model/actor.ts';
import type { Publish } from '../runtime/delivery/journal-pump.ts';
import { joinCluster } from '../runtime/cluster/join-cluster.ts';
import { untilMovedIn } from '../runtime/cluster/moved-in.ts';
import { OwnsEverything, partitionsOfCluster, type Ownership } from '../runtime/cluster/ownership.ts';
import type { Directory } from '../store/directory.ts';
import { fullDiskWatch } from '../store/full-disk.ts';
import { openSqliteStore } from '../store/store-sqlite.ts';
import type { Collection, Store } from '../store/store.ts';
import type { Log } from '../telemetry/log.ts';
import { clusterSeen, loneNodeSeen, type NodesSeen, type OwnLoad } from '../telemetry/nodes.ts';
import { version } from '../telemetry/version.ts';
import type { Closing } from './closing.ts';
import { generatedSecret, openDataDir, readText, secretFiles, secretsKeyMissing } from './data-dir.ts';
import { memoryBudget } from './memory.ts';
import { BadSettings } from './settings.ts';

export interface Carriers {
  readonly store: Store;
  /** Whether the store answers at all; rejects without an answer. null: a local file, which is waited for. */
  readonly probe: (() => Promise<unknown>) | null;
  readonly bus: Bus;
  readonly ownership: Ownership;
  /** null: there is no other node. */
  readonly cluster: ClusterSeen | null;
  /** null: there is no NATS on which other programs could publish commands. */
  readonly commands: OutsideCommands | null;
  /** null: there is no bus to publish events to. */
  readonly publish: Publish;
  readonly adminToken: string;
  /** 32 bytes. */
  readonly secretsKey: Uint8Array;
  /** Where the demo merchant's keys are stored; null: there is none. */
  readonly demoDir: string | null;
  /** What this node currently lacks to work; texts for /health. */
  missing(): readonly string[];
  /** What is away without keeping this node from its work; texts for /health. */
  away(): readonly string[];
  /** How many live nodes this one does not hear over the bus. */
  unheard(): number;
  nodes(own: OwnLoad | null): Promise<NodesSeen>;
}

export interface ClusterSeen {
  readonly directory: Directory;
  /** Whether this node takes part now: only then it knows who lives. */
  isMember(): boolean;
}

export interface CarrierParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly actors: readonly AnyActor[];
  readonly collections: readonly Collection[];
  /** The disk failed. */
  readonly onFatal: (line: string) => void;
  readonly refillEveryMs?: DurationMs | undefined;
  readonly closing: Closing;
}

/** Opens both, or neither: rejects with one line an operator can act on. */
export function openCarriers(parts: CarrierParts): Promise<Carriers> {
  const { natsUrl, mongodbUrl, adminToken, secretsKey } = parts.settings;
  if (natsUrl === null || mongodbUrl === null || adminToken === null || secretsKey === null)
    return openEmbedded(parts);
  return openCluster(parts, { natsUrl, mongodbUrl, adminToken, secretsKey });
}

/** Its checkpoint writes what the log holds into the tables; the next start would do it otherwise. */
const storeMsMax: DurationMs = seconds(8);

const mint = (): string => `n:${base32(randomBytes(15), 24)}`;
const nameOfProcess = (): string => `${hostname()} ${process.pid}`;

async function openEmbedded(parts: CarrierParts): Promise<Carriers> {
  const { settings, log, collections, onFatal, closing } = parts;
  const { dataDir } = settings;
  openDataDir(dataDir);
  const onWritten = fullDiskWatch({
    scheduler: realScheduler,
    disk: `the disk under ${dataDir}`,
    onWarning: (line) => log.error(line),
  });
  const { sqliteBytes: cacheBytes } = memoryBudget(settings);
  const store = await openSqliteStore({ dataDir, collections, onFatal, onWritten, cacheBytes });
  closing.later(() => store.close(), { what: 'the store', msMax: storeMsMax });
  const ownership = new OwnsEverything(mint());
  const { incarnation } = ownership;
  const [name, since] = [nameOfProcess(), realScheduler.now()];
  return {
    store,
    probe: null,
    ownership,
    cluster: null,
    commands: null,
    bus: createLoneBus(),
    publish: null,
    adminToken: settings.adminToken ?? generatedSecret(dataDir, secretFiles.adminToken, 32),
    secretsKey: settings.secretsKey ?? (await ownSecretsKey(store, dataDir)),
    demoDir: dataDir,
    missing: () => [],
    away: () => [],
    unheard: () => 0,
    nodes: async (own) =>
      loneNodeSeen({
        id: incarnation,
        name,
        version,
        baseUrl: settings.baseUrl,
        since,
        partitions: partitionsOfCluster,
        own,
      }),
  };
}

/** Generated once. A store that has sealed something needs the key that it was sealed with: a new one would open
 *  nothing in it, and stand where the right one belongs. */
async function ownSecretsKey(store: Store, dataDir: string): Promise<Uint8Array> {
  if (
    readText(dataDir, secretFiles.secretsKey) === null &&
    (await store.readRow('cluster_fact', 'keyed')) !== null
  )
    throw new BadSettings([secretsKeyMissing(dataDir)]);
  return Buffer.from(generatedSecret(dataDir, secretFiles.secretsKey, 32), 'base64');
}

interface ClusterSettings {
  readonly natsUrl: string;
  readonly mongodbUrl: string;
  readonly adminToken: string;
  readonly secretsKey: Uint8Array;
}

async function openCluster(parts: CarrierParts, cluster: ClusterSettings): Promise<Carriers> {
  const { settings, collections, log, actors, refillEveryMs, closing } = parts;
  const { natsUrl, mongodbUrl, adminToken, secretsKey } = cluster;
  const onWarning = (line: string): void => log.warn(line);
  // loaded here: a service of one node starts sooner without the two drivers
  const [{ openMongoStore }, { openNatsBus }] = await Promise.all([
    import('../store/store-mongo.ts'),
    import('../bus/bus-nats.ts'),
  ]);
  const onWritten = fullDiskWatch({
    scheduler: realScheduler,
    disk: "MongoDB's disk",
    onWarning: (line) => log.error(line),
  });
  const store = await openMongoStore({ url: mongodbUrl, collections, onWarning, onWritten });
  closing.later(() => store.close(), { what: 'the store' });
  const { directory } = store;
  const name = nameOfProcess();
  const refilled = refillEveryMs === undefined ? {} : { refillEveryMs };
  const { natsReplicas: replicas, baseUrl } = settings;
  const bus = await openNatsBus({
    url: natsUrl,
    name,
    partitions: partitionsOfCluster,
    log,
    replicas,
    ...refilled,
  });
  closing.later(() => bus.close(), { what: 'the bus' });
  const hostsActors = settings.roles.includes('actors');
  const join = {
    directory,
    bus,
    scheduler: realScheduler,
    log,
    actors,
    hostsActors,
    name,
    version,
    baseUrl,
    mint,
  };
  await untilMovedIn({ mark: () => store.moveMark(), scheduler: realScheduler, log });
  const ownership = await joinCluster(join);
  return {
    store,
    probe: () => store.probe(),
    bus,
    ownership,
    cluster: { directory, isMember: () => ownership.valid },
    commands: bus.commands,
    publish: (events) => bus.publish(events),
    adminToken,
    secretsKey,
    demoDir: null,
    missing: () => [
      ...(ownership.valid ? [] : ['store']),
      ...(ownership.cutOff ? ['bus'] : []),
      ...(ownership.ready ? [] : ['partitions']),
    ],
    away: () => (bus.connected ? (ownership.unheard.length > 0 ? ['nodes'] : []) : ['bus']),
    unheard: () => ownership.unheard.length,
    nodes: async (own) =>
      clusterSeen(await directory.read(), {
        partitions: partitionsOfCluster,
        self: ownership.incarnation,
        own,
      }),
  };
}
