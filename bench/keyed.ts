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
/** So many that no counter gets more keys than it keeps. */
const counters = 10_000;

export const keyed: Bench = {
  title: 'Durable keyed calls: add one to a counter, once per key',
  setup:
    'POST /counter/<name>/add, each with a new Idempotency-Key, to a random one of ' +
    `${counters.toLocaleString('en')} counters; wrk, 1 thread, ${callers.join(', ')} connections, ${rounds} ` +
    `rounds of ${seconds} s in turn after a warm-up, medians. Restate: the server from npm with its defaults ` +
    '(one node, 24 partitions, its log synced to disk). A virtual object has an exclusive handler that reads, ' +
    'adds and sets; the Restate SDK serves it in a separate process. Keys are kept for a day. Ours: a counter ' +
    'actor on the runtime and the store, behind a small uWebSockets.js server (bench/counting.ts). The key is ' +
    'the identity of the command. Count and outcome are one write; it is kept for 25 hours, with at most 1,000 ' +
    'keys per counter. Neither checks who calls. Not compared: Restate journals the steps of a handler, which ' +
    'may itself call and wait, and repeats the handler after a crash; our turn is one step. CPU of Restate: ' +
    'server and service',
  bound:
    'on SQLite, the CPU of one process: HTTP, the turn, JSON of the document, and the insert on a separate ' +
    'thread. With one caller, the sync of the disk. On MongoDB, the CPU of the database',
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
