/** Durable keyed calls: one more on a counter, at most once per key, beside the Restate server. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { mongoMissing, mongoOf } from './cluster.ts';
import { restateMissing, sdkModule, startRestate } from './restate.ts';
import { counts } from './scripts.ts';
import { alternately, wrk, type Arm, type Bench, type Room, type Row } from './support.ts';

const seconds = 2;
const rounds = 3;
const callers = [1, 20, 100] as const;
/** So many that no counter hears of more keys than it keeps. */
const counters = 10_000;

export const keyed: Bench = {
  title: 'Durable keyed calls: add one to a counter, once per key',
  setup:
    `POST /counter/<name>/add with a fresh Idempotency-Key each, one of ${counters.toLocaleString('en')} counters by ` +
    `chance; wrk, 1 thread, ${callers.join(', ')} connections, ${rounds} rounds of ${seconds} s taking turns after a ` +
    'warm-up, medians. Restate: the server of npm as it comes (one node, 24 partitions, its log synced to disk), a ' +
    'virtual object with an exclusive handler that reads, adds and sets, served by its SDK in a process of its own; ' +
    'keys are kept a day. Ours: a counter actor on the runtime and the store, behind a uWebSockets.js door of a few ' +
    'lines (bench/counting.ts), asked under the identity of the key; count and outcome are one write, kept 25 hours, at ' +
    'most 1,000 keys per counter. Neither checks who calls. What is not compared: Restate journals the steps of a ' +
    'handler, which may itself call and wait, and repeats it after a crash; our turn is one step. CPU of Restate: ' +
    'server and service',
  bound:
    'on SQLite the CPU of one process: HTTP, the turn, JSON of the document, the insert on a thread of its own; at one ' +
    'caller the sync of the disk. On MongoDB the CPU of the database',
  missing: restateMissing,
  async run(room) {
    const service = await room.serve('./rivals/restating.js', { SDK: sdkModule });
    const restate = await startRestate(room, service.url);
    const script = room.file('counts.lua', counts(counters));
    const arm = (name: string, url: string, pids: readonly number[], at: number, servers: number[]): Arm => ({
      name,
      run: () => wrk(pids, { url, seconds, connections: at, script, servers }),
    });
    const ours = await counting(room);
    const rows: Row[] = [];
    for (const at of callers) {
      const how = at === 1 ? '1 caller' : `${at} callers`;
      for (const { name, url, pid, servers } of ours) {
        const arms = [
          arm(name, url, [pid], at, servers),
          arm(`Restate ${restate.version}`, restate.url, [restate.pid, service.pid], at, []),
        ];
        rows.push(...(await alternately(`keyed call, ${how}`, arms, rounds)));
      }
    }
    return rows;
  },
};

interface Counting {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  readonly servers: number[];
}

async function counting(room: Room): Promise<readonly Counting[]> {
  const folder = join(room.folder, 'counting');
  mkdirSync(folder);
  const onSqlite = await room.serve('./counting.js', { FOLDER: folder });
  const why = mongoMissing();
  if (why !== null) process.stdout.write(`SKIPPED: counters on MongoDB: ${why.toUpperCase()}\n`);
  const sqlite = { name: 'Galla on SQLite', ...onSqlite, servers: [] };
  if (why !== null) return [sqlite];
  const mongo = await mongoOf(room);
  const onMongo = await room.serve('./counting.js', { MONGODB_URL: mongo.url('counting') });
  return [sqlite, { name: 'Galla on MongoDB', ...onMongo, servers: [...mongo.pids] }];
}
