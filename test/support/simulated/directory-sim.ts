/** The directory of a simulated cluster: rows like a database's, reached over the same unreliable network
 *  as the documents. */
import { assert } from '../../../src/kernel/assert.ts';
import type { Scheduler } from '../../../src/kernel/time.ts';
import type { Directory, NodeInfo, NodeRow, PartitionRow } from '../../../src/store/directory.ts';

/** The connection to the database: `land` is executed there once or never; rejects when no answer arrives. */
export type Wire = <Answer>(what: string, land: () => Answer) => Promise<Answer>;

/** The rows in the database. */
export class DirectoryDisk {
  readonly nodes = new Map<string, NodeRow>();
  readonly partitions = new Map<number, PartitionRow>();
  count: number | null = null;
  refusesOlder: 'always' | 'later' | 'not' = 'not';
  /** The broken build: registering again brings a dead node back to life. */
  lateRegistrationRevives = false;

  /** Called at each change of a node's row; for checkers. */
  onNode: (before: NodeRow | undefined, after: NodeRow) => void = () => undefined;

  /** Every change of a node's row goes through here. */
  put(row: NodeRow): void {
    const before = this.nodes.get(row.inc);
    this.nodes.set(row.inc, frozen(row));
    this.onNode(before, row);
  }

  owner(p: number): PartitionRow {
    return this.partitions.get(p) ?? { p, epoch: 0, owner: null };
  }
}

/** One process's connection to the directory. */
export const simDirectory = (disk: DirectoryDisk, wire: Wire, scheduler: Scheduler): Directory => ({
  agreeOnPartitions: (count) =>
    wire('agree', () => {
      if (disk.count === null) disk.refusesOlder = 'always';
      return (disk.count ??= count);
    }),
  refusesOlder: () => wire('refusesOlder', () => disk.refusesOlder),
  refuseOlder: () =>
    wire('refuseOlder', () => {
      if (disk.refusesOlder === 'not') disk.refusesOlder = 'later';
    }),
  async register(inc, info, now) {
    const row: NodeRow = { inc, hb: 0, state: 'live', info: copied(info), since: now };
    await wire('register', () => {
      if (disk.nodes.has(inc) && !disk.lateRegistrationRevives) throw new Error(`${inc} is registered`);
      disk.put(row);
    });
  },
  beat: (inc, info) => {
    const said = copied(info);
    return wire('beat', () => {
      const row = disk.nodes.get(inc);
      if (row?.state !== 'live') return false;
      disk.put({ ...row, hb: row.hb + 1, info: said });
      return true;
    });
  },
  async read() {
    const partitions = await wire('read', () => [...disk.partitions.values()].sort((a, b) => a.p - b.p));
    return { partitions, nodes: await wire('read', () => [...disk.nodes.values()]), version: '' };
  },
  declareDead: (inc, hb) =>
    wire('declareDead', () => {
      const row = disk.nodes.get(inc);
      if (row?.state !== 'live' || row.hb !== hb) return false;
      disk.put({ ...row, state: 'dead' });
      return true;
    }),
  leave: (inc) =>
    wire('leave', () => {
      const row = disk.nodes.get(inc);
      if (row !== undefined) disk.put({ ...row, state: 'dead' });
    }),
  take: (given, inc) =>
    wire('take', () => {
      const row = disk.owner(given.p);
      if (row.epoch !== given.epoch || row.owner !== given.owner) return false;
      disk.partitions.set(given.p, { p: given.p, epoch: row.epoch + 1, owner: inc });
      return true;
    }),
  give: (p, epoch, inc) =>
    wire('give', () => {
      const row = disk.owner(p);
      if (row.epoch !== epoch || row.owner !== inc) return false;
      disk.partitions.set(p, { p, epoch, owner: null });
      return true;
    }),
  sweep: (deadForMs, now) =>
    wire('sweep', () => {
      for (const [inc, { state, since }] of disk.nodes)
        if (state === 'dead' && now - since > deadForMs) disk.nodes.delete(inc);
    }),
  time: () => wire('time', () => scheduler.now()),
});

/** The same object, frozen. */
export function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}

function copied(info: NodeInfo): NodeInfo {
  assert(info.refuses.length <= 1024, 'no more partitions than slots');
  return JSON.parse(JSON.stringify(info)) as NodeInfo;
}
