/** The nodes as an operator sees them: what the directory holds, and how this node stands.
 *  Boundary: shapes alone; who reads the directory and who may look is decided elsewhere. */
import type { DurationMs, Instant } from '../kernel/time.ts';
import type { RuntimeGauges } from '../runtime/model/meters.ts';
import type { NodeRow, PartitionRow } from '../store/directory.ts';

export interface NodeSeen {
  /** Its incarnation: another one after each start. */
  readonly id: string;
  /** Host and process, for people. */
  readonly name: string;
  readonly version: string;
  readonly state: 'live' | 'dead';
  /** When it registered. */
  readonly since: Instant;
  /** Whether it hosts actors. */
  readonly actors: boolean;
  /** Whether its bus stands; null where there is none. */
  readonly bus: boolean | null;
  /** On its way out. */
  readonly leaving: boolean;
  /** How many partitions it owns. */
  readonly partitions: number;
  /** Partitions it cannot serve. */
  readonly refuses: readonly number[];
  /** Of the node that answers; null of others, which know it themselves. */
  readonly own: OwnLoad | null;
}

/** How this node stands right now. */
export interface OwnLoad {
  /** Actors in memory. */
  readonly activations: number;
  /** Commands that wait for their turn. */
  readonly mailboxCommands: number;
  /** Age of the oldest event, tell or effect that waits to leave. */
  readonly outboxOldestMs: DurationMs;
  /** Events logged and not yet given to webhook endpoints, or not yet on the bus. */
  readonly eventsToDispatch: number;
  readonly eventsToPublish: number;
}

export interface NodesSeen {
  readonly nodes: readonly NodeSeen[];
  /** How many the cluster has. */
  readonly partitions: number;
  /** Those nobody alive owns right now. */
  readonly unowned: readonly number[];
}

/** A cluster's directory. `self`: the incarnation that answers. */
export function clusterSeen(
  { nodes, partitions }: { readonly nodes: readonly NodeRow[]; readonly partitions: readonly PartitionRow[] },
  cluster: { readonly partitions: number; readonly self: string; readonly own: OwnLoad | null },
): NodesSeen {
  const alive = new Set(nodes.filter(({ state }) => state === 'live').map(({ inc }) => inc));
  const ownerOf = new Map(partitions.map(({ p, owner }) => [p, owner]));
  const isOwned = (p: number): boolean => alive.has(ownerOf.get(p) ?? '');
  return {
    nodes: nodes.map(({ inc, state, info, since }) => ({
      id: inc,
      name: info.name,
      version: info.version,
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

/** The one node of the embedded service: it owns everything there is. */
export const loneNodeSeen = ({
  own,
  since,
  partitions,
  ...named
}: Pick<NodeSeen, 'id' | 'name' | 'version' | 'since' | 'partitions' | 'own'>): NodesSeen => ({
  nodes: [
    {
      ...named,
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
