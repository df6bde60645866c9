/** Durable creates: POST /v1/checkout, committed before the answer, without and with an Idempotency-Key; on this disk,
 *  and on one whose sync takes longer. */
import { join } from 'node:path';
import { mkdirSync } from 'node:fs';
import {
  alternately,
  slowSyncs,
  syncMsIn,
  wrk,
  type Arm,
  type Bench,
  type Room,
  type Row,
} from './support.ts';
import { creates } from './scripts.ts';
import { ours } from './service.ts';

const seconds = 2;
const rounds = 3;
const connections = 64;
/** A committed event is cleared from its session's outbox by a commit of its own, five seconds later. */
const restMs = 6000;
/** What a sync takes on many a rented network disk. */
const slowSyncMs = 4;

export const creating: Bench = {
  title: 'Durable create: POST /v1/checkout, committed (fsync) before the answer',
  setup:
    `wrk, 1 thread, ${connections} connections (1 in the rows "one at a time"), ${rounds} rounds of ${seconds} s ` +
    'in turn after a warm-up, medians. The rival: node:http, libsql, WAL, synchronous=FULL, prepared statements, ' +
    `one commit per request. After each round of ours there is a pause of ${restMs / 1000} s, in which our arm ` +
    'finishes the work that follows a create. The CPU of this work is counted, and the rival does not share the ' +
    `machine with it. "sync +${slowSyncMs} ms": strace makes each fsync and fdatasync of both arms take ` +
    `${slowSyncMs} ms longer (left out where strace is not allowed to)`,
  bound:
    'CPU. The rival does one insert; a create here makes three writes: the session with its event and its expiry ' +
    'timer, the event in the journal, and the session again when its outbox is cleared. Each write updates the ' +
    'indexes of its lists. With a key, there is also a commit of the key before and after. A shared sync is an ' +
    'advantage if a sync costs more than that CPU: see the rows with the slower sync',
  async run(room) {
    const here = syncMsIn(room.folder);
    const fast = await compared(room, 'fast', 0);
    const slow = slowSyncs() ? await compared(room, 'slow', slowSyncMs) : [];
    const disk: Row = { what: 'sync of 4 KiB on this disk', arm: 'write, fsync', value: here, unit: 'ms' };
    return [...fast, ...slow, disk];
  },
};

/** Both arms side by side; each of their syncs takes `syncMs` longer than the disk does. */
async function compared(room: Room, name: string, syncMs: number): Promise<readonly Row[]> {
  const service = await ours(room, { name, syncMs });
  const folder = join(room.folder, `rival-${name}`);
  mkdirSync(folder);
  const rival = await room.serve('./rivals/inserting.js', { FOLDER: folder, KEY: service.key }, { syncMs });
  const plain = room.file('plain.lua', creates(false));
  const keyed = room.file('keyed.lua', creates(true));
  const arm = (of: string, { url, pid }: { url: string; pid: number }, load: Load, rest: number): Arm => ({
    name: of,
    run: () =>
      wrk(pid, {
        url: `${url}/v1/checkout`,
        seconds,
        connections: load.at,
        script: load.lua,
        headers: [`Authorization: Bearer ${service.key}`],
        restMs: rest,
      }),
  });
  const inserts = 'node:http + libsql, one by one (bench/rivals/inserting.ts)';
  const compare = (what: string, load: Load): Promise<readonly Row[]> =>
    alternately(
      syncMs === 0 ? what : `${what}, sync +${syncMs} ms`,
      [arm('Galla', service, load, restMs), arm(inserts, rival, load, 0)],
      rounds,
    );
  return [
    ...(await compare(`create, ${connections} at once`, { lua: plain, at: connections })),
    ...(await compare(`create with a key, ${connections} at once`, { lua: keyed, at: connections })),
    ...(await compare('create, one at a time', { lua: plain, at: 1 })),
  ];
}

interface Load {
  /** Path of the script. */
  readonly lua: string;
  /** Requests at once. */
  readonly at: number;
}
