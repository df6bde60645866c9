/** The directory port: which nodes exist and who owns which partition. In a cluster it is stored in the
 *  same database as the actors, in the same failure domain as the fence.
 *  1. Every change names the state of the row it expects, and is acknowledged by a majority.
 *  2. A method that cannot know its outcome rejects; the next read shows the outcome.
 *  3. A dead node row never becomes alive again. Registration is an insert, so a late registration revives
 *     no node while its row is kept (`sweep`). */
import type { DurationMs, Instant } from '../kernel/time.ts';

/** What a node reports about itself; the other nodes use it to decide what it may own. */
export interface NodeInfo {
  /** For people: host and process. */
  readonly name: string;
  readonly version: string;
  /** The public address it names in what it makes (BASE_URL); null: its own. Absent: a node of an older version. */
  readonly baseUrl?: string | null;
  /** Whether it hosts actors; a gateway-only node owns nothing. */
  readonly actors: boolean;
  /** Whether its bus connection is up. */
  readonly bus: boolean;
  /** Live nodes that it does not hear over the bus. Absent: a node of an older version, which sends no beats. */
  readonly unheard?: readonly string[];
  /** Leaving: it gives its partitions away and takes none. */
  readonly leaving: boolean;
  /** Partitions it cannot serve (they hold documents newer than it knows). */
  readonly refuses: readonly number[];
  /** Kind -> newest schema it can read. */
  readonly schemas: { readonly [kind: string]: number };
  /** Rises with each change of what it reports. Absent: a node of an older version. */
  readonly changes?: number;
}

export interface NodeRow {
  readonly inc: string;
  /** Rises with each heartbeat. */
  readonly hb: number;
  readonly state: 'live' | 'dead';
  readonly info: NodeInfo;
  /** When it registered, by the clock of the node that wrote it; for people. */
  readonly since: Instant;
}

export interface PartitionRow {
  readonly p: number;
  /** Rises with each change of owner; fences every write of the previous owner. */
  readonly epoch: number;
  /** An incarnation; null = given away. */
  readonly owner: string | null;
}

/** What one read showed. */
export interface DirectorySeen {
  readonly nodes: readonly NodeRow[];
  readonly partitions: readonly PartitionRow[];
  /** The same for as long as nothing but heartbeats changes; '': not known. */
  readonly version: string;
}

export interface Directory {
  /** Stores the number of partitions if none is stored yet, and returns the stored number. */
  agreeOnPartitions(count: number): Promise<number>;
  /** Since when builds that know no facts of a cluster (src/runtime/cluster/cluster-fact.ts) cannot start in this one:
   *  `always`, when a build that knows them has created it; `later`; or `not`: they can. */
  refusesOlder(): Promise<'always' | 'later' | 'not'>;
  /** From now on they cannot start. Changes nothing where they cannot. */
  refuseOlder(): Promise<void>;
  /** Inserts the row of a new incarnation, alive. */
  register(inc: string, info: NodeInfo, now: Instant): Promise<void>;
  /** `$inc hb` if the node is not dead, and writes its info. False: the node was declared dead. */
  beat(inc: string, info: NodeInfo): Promise<boolean>;
  /** All nodes (dead ones until they are removed) and all partitions that ever had an owner. Given what an earlier read
   *  showed, only heartbeats are read while nothing else has changed (docs/decisions/0055). */
  read(known?: DirectorySeen): Promise<DirectorySeen>;
  /** live -> dead, if its hb is still this one. True when this call did it. */
  declareDead(inc: string, hb: number): Promise<boolean>;
  /** A node leaves by itself: dead at once, whatever its hb. */
  leave(inc: string): Promise<void>;
  /** {p, epoch, owner} -> {owner: inc, epoch + 1}, if the row is still as given (epoch 0: there is no row
   *  yet). */
  take(row: PartitionRow, inc: string): Promise<boolean>;
  /** {p, epoch, owner: inc} -> {owner: null}. */
  give(p: number, epoch: number, inc: string): Promise<boolean>;
  /** Removes rows of nodes that have been dead for longer than this. */
  sweep(deadForMs: DurationMs, now: Instant): Promise<void>;
  /** The database's own clock. */
  time(): Promise<Instant>;
}
