/** The nodes as an operator sees them: the directory's rows, and the state of this node.
 *  Boundary: data shapes only; reading the directory and access control are done elsewhere. */
import type { DurationMs, Instant } from '../kernel/time.ts';
import type { RuntimeGauges } from '../runtime/model/meters.ts';
import { baseUrlsDiffer } from '../runtime/cluster/base-url-check.ts';
import { withReach } from '../runtime/cluster/bus-groups.ts';
import type { NodeRow, PartitionRow } from '../store/directory.ts';

export interface NodeSeen {
  /** Its incarnation, which changes at each start. */
  readonly id: string;
  /** Host and process, for people. */
  readonly name: string;
  readonly version: string;
  /** BASE_URL; null where it is not set or not known. */
  readonly baseUrl: string | null;
  /** Whether it is another one than that of the node that answers. */
  readonly baseUrlDiffers: boolean;
  readonly state: 'live' | 'dead';
  /** When it registered. */
  readonly since: Instant;
  /** Whether it hosts actors. */
  readonly actors: boolean;
  /** Whether its bus connection is up and the others hear it over it; null where there is none. */
  readonly bus: boolean | null;
  /** Leaving the cluster. */
  readonly leaving: boolean;
  /** How many partitions it owns. */
  readonly partitions: number;
  /** Partitions it cannot serve. */
  readonly refuses: readonly number[];
  /** Only for the node that answers; null for others, whose state only they know. */
  readonly own: OwnLoad | null;
}

/** The current state of this node. */
export interface OwnLoad {
  /** Actors in memory. */
  readonly activations: number;
  /** Commands waiting for a turn. */
  readonly mailboxCommands: number;
  /** Age of the oldest event, tell or effect that is waiting to be sent. */
  readonly outboxOldestMs: DurationMs;
  /** Events logged but not yet dispatched to webhook endpoints, or not yet published to the bus. */
  readonly eventsToDispatch: number;
  readonly eventsToPublish: number;
}

export interface NodesSeen {
  readonly nodes: readonly NodeSeen[];
  /** How many the cluster has. */
  readonly partitions: number;
  /** Those that no living node owns right now. */
  readonly unowned: readonly number[];
}

/** A cluster's directory. `self`: the incarnation that answers. */
export function clusterSeen(
  { nodes, partitions }: { readonly nodes: readonly NodeRow[]; readonly partitions: readonly PartitionRow[] },
  cluster: { readonly partitions: number; readonly self: string; readonly own: OwnLoad | null },
): NodesSeen {
  const alive = new Set(nodes.filter(({ state }) => state === 'live').map(({ inc }) => inc));
  const ownerOf = new Map(partitions.map(({ p, owner }) => [p, owner]));
  const own = nodes.find(({ inc }) => inc === cluster.self)?.info;
  const isOwned = (p: number): boolean => alive.has(ownerOf.get(p) ?? '');
  return {
    nodes: withReach(nodes).map(({ inc, state, info, since }) => ({
      id: inc,
      name: info.name,
      version: info.version,
      baseUrl: info.baseUrl ?? null,
      baseUrlDiffers:
        state === 'live' && inc !== cluster.self && own !== undefined && baseUrlsDiffer(own, info),
      state,
      since,
      actors: info.actors,
      bus: info.bus,
      leaving: info.leaving,
      partitions: partitions.filter(({ owner }) => owner === inc).length,
      refuses: info.refuses,
      own: inc === cluster.self ? cluster.own : null,
    })),
    partitions: cluster.partitions,
    unowned: Array.from({ length: cluster.partitions }, (_, p) => p).filter((p) => !isOwned(p)),
  };
}

/** The single node of the embedded service, which owns everything. */
export const loneNodeSeen = ({
  own,
  since,
  partitions,
  ...named
}: Pick<NodeSeen, 'id' | 'name' | 'version' | 'baseUrl' | 'since' | 'partitions' | 'own'>): NodesSeen => ({
  nodes: [
    {
      ...named,
      baseUrlDiffers: false,
      state: 'live',
      since,
      actors: true,
      bus: null,
      leaving: false,
      partitions,
      refuses: [],
      own,
    },
  ],
  partitions,
  unowned: [],
});

export function loadOf(gauges: RuntimeGauges): OwnLoad {
  const { toDispatch, toPublish } = gauges.eventLogLag();
  return {
    activations: gauges.activations(),
    mailboxCommands: gauges.mailboxes().commands,
    outboxOldestMs: gauges.outboxOldestMs(),
    eventsToDispatch: toDispatch,
    eventsToPublish: toPublish,
  };
}
