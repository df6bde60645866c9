/** Real servers for tests: nats-server and mongod as processes of the test's own.
 *  Boundary: which there are is for server-parts.ts, what they are to do is the test's.
 *  1. Each start has a folder and a free port of its own; `stop` leaves nothing behind.
 *  2. `restart` comes back on the same port with the same data. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { connect, type NatsConnection } from 'nats';
import { eventually } from './eventually.ts';
import { find, type Part } from './server-parts.ts';

/** A first start may unpack what a later one finds. */
const startMsMax = 30_000;

export interface RunningServer {
  readonly url: string;
  /** Of the process that runs now. */
  pid(): number;
  /** Resolves when it has ended; SIGKILL by default. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  pause(): void;
  resume(): void;
  /** Ends it, if it still runs, and starts it again on the same port; `empty` without the data it had. */
  restart(empty?: boolean): Promise<void>;
  stop(): Promise<void>;
}

interface Started {
  readonly child: ChildProcess;
  readonly port: number;
}

/** Keeps one process: `start` is called with 0 for the first port and with that port from then on. */
async function running(
  folder: string,
  scheme: string,
  start: (port: number) => Promise<Started>,
): Promise<RunningServer> {
  let now = await start(0);
  const { port } = now;
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    const { child } = now;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGCONT');
    child.kill(signal);
    await gone;
  };
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    pid: () => now.child.pid ?? 0,
    kill: (signal = 'SIGKILL') => kill(signal),
    pause: () => void now.child.kill('SIGSTOP'),
    resume: () => void now.child.kill('SIGCONT'),
    async restart(empty = false) {
      await kill('SIGKILL');
      if (empty) rmSync(join(folder, 'data'), { recursive: true, force: true });
      now = await start(port);
    },
    async stop() {
      await kill('SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function binaryOf(part: Part): string {
  const found = find(part);
  if (found.is !== 'binary') throw new Error(`there is no ${part} to start`);
  return found.path;
}

/** Waits until `look` sees in the child's output that it listens; says what it wrote when it does not. */
async function listening(child: ChildProcess, look: (output: string) => number | null): Promise<number> {
  let output = '';
  const heard = (chunk: Buffer): void => {
    output += chunk.toString('utf8');
  };
  child.stdout?.on('data', heard);
  child.stderr?.on('data', heard);
  const port = await eventually(
    () => {
      if (child.exitCode !== null) throw new Error(`it ended at once: ${output}`);
      return Promise.resolve(look(output));
    },
    () => `a server that listens; it says ${output}`,
    startMsMax,
  );
  // the output is not read any more: a full pipe would block the process
  for (const stream of [child.stdout, child.stderr]) {
    stream?.off('data', heard);
    stream?.resume();
  }
  return port;
}

export interface NatsOptions {
  readonly jetstream?: boolean;
  /** What its streams acknowledge is on the disk. */
  readonly syncAlways?: boolean;
  /** More lines of its configuration. */
  readonly config?: string;
  /** Its program; the one on PATH by default. */
  readonly binary?: string;
}

/** A nats-server, with JetStream by default. */
export function startNats(options: NatsOptions = {}): Promise<RunningServer> {
  const {
    jetstream = true,
    syncAlways = false,
    config = '',
    binary: path = binaryOf('nats-server'),
  } = options;
  const folder = mkdtempSync(join(tmpdir(), 'galla-nats-'));
  return running(folder, 'nats', async (port) => {
    const sync = syncAlways ? ', sync_interval: always' : '';
    const store = jetstream ? `jetstream { store_dir: "${join(folder, 'data')}"${sync} }` : '';
    const file = join(folder, 'nats.conf');
    writeFileSync(
      file,
      `host: 127.0.0.1\nport: ${port || -1}\nports_file_dir: "${folder}"\n${store}\n${config}\n`,
    );
    const child = spawn(path, ['-c', file], { stdio: ['ignore', 'pipe', 'pipe'] });
    return {
      child,
      port: await listening(child, () => natsPort(join(folder, `nats-server_${child.pid}.ports`))),
    };
  });
}

/** Another program on a NATS. */
export async function withNats<Result>(
  url: string,
  work: (nc: NatsConnection) => Promise<Result>,
): Promise<Result> {
  const nc = await connect({ servers: url });
  try {
    return await work(nc);
  } finally {
    await nc.close();
  }
}

function natsPort(file: string): number | null {
  try {
    const { nats } = JSON.parse(readFileSync(file, 'utf8')) as { readonly nats: readonly string[] };
    return Number(new URL(nats[0] ?? '').port);
  } catch {
    return null;
  }
}

export interface MongodOptions {
  /** Name of its replica set; null: it is a standalone server. */
  readonly replSet?: string | null;
  /** Whether the set is initiated; `startMongod` then returns when it is primary. */
  readonly initiate?: boolean;
}

/** A mongod with fail points, a replica set of one by default. */
export async function startMongod(options: MongodOptions = {}): Promise<RunningServer> {
  const { replSet = 'rs0', initiate = replSet !== null } = options;
  const path = binaryOf('mongod');
  const folder = mkdtempSync(join(tmpdir(), 'galla-mongod-'));
  const data = join(folder, 'data');
  const server = await running(folder, 'mongodb', async (port) => {
    const set = replSet === null ? [] : ['--replSet', replSet];
    const given = [
      '--dbpath',
      data,
      '--port',
      String(port),
      '--setParameter',
      'enableTestCommands=1',
      ...set,
    ];
    const child = spawn('mkdir', ['-p', data]);
    await new Promise((resolve) => child.once('exit', resolve));
    const mongod = spawn(path, given, { stdio: ['ignore', 'pipe', 'pipe'] });
    return { child: mongod, port: await listening(mongod, mongodPort) };
  });
  if (initiate && replSet !== null) await initiated(server.url, replSet);
  return server;
}

/** Its log is JSON lines; one of them says that it waits for connections, and where. */
function mongodPort(output: string): number | null {
  const line = output.split('\n').find((one) => one.includes('"msg":"Waiting for connections"'));
  const port = /"port":(\d+)/.exec(line ?? '')?.[1];
  return port === undefined ? null : Number(port);
}

async function initiated(url: string, replSet: string): Promise<void> {
  await withAdmin(url, async (admin) => {
    await admin({ replSetInitiate: { _id: replSet, members: [{ _id: 0, host: new URL(url).host }] } });
    await eventually(
      async () => ((await admin({ hello: 1 }))['isWritablePrimary'] === true ? true : null),
      () => 'a primary',
      startMsMax,
    );
  });
}

export type AdminCommand = (command: { readonly [name: string]: unknown }) => Promise<{
  readonly [name: string]: unknown;
}>;

/** Speaks to one server itself, whatever state its set is in. */
export async function withAdmin<Result>(
  url: string,
  work: (admin: AdminCommand) => Promise<Result>,
): Promise<Result> {
  const client = new MongoClient(url, { directConnection: true, appName: 'test admin' });
  try {
    return await work((command) => client.db('admin').command({ ...command }));
  } finally {
    await client.close();
  }
}

/** The failure a server should show; the names are those of its fail point `failCommand`. */
export interface FailCommand {
  readonly failCommands: readonly string[];
  /** Only to clients of this name. */
  readonly appName: string;
  readonly errorCode?: number;
  readonly closeConnection?: boolean;
  /** Executed, and then the connection is cut: only MongoDB's stand-in supports this. */
  readonly closeAfter?: boolean;
  readonly writeConcernError?: { readonly code: number; readonly errmsg: string };
  readonly blockConnection?: boolean;
  readonly blockTimeMS?: number;
}

/** `off`, `alwaysOn` or so many times. */
export async function failPoint(
  url: string,
  mode: 'off' | 'alwaysOn' | number,
  data?: FailCommand,
): Promise<void> {
  await withAdmin(url, (admin) =>
    admin({
      configureFailPoint: 'failCommand',
      mode: typeof mode === 'number' ? { times: mode } : mode,
      ...(data === undefined ? {} : { data }),
    }),
  );
}

/** A MongoDB for one test file: the given one, or a mongod of its own. */
export interface TestMongo {
  /** With a database of that name. */
  url(database: string): string;
  /** null: it was given, and must not be harmed. */
  readonly server: RunningServer | null;
  /** Drops the databases that were asked for; ends what was started. */
  stop(): Promise<void>;
}

export async function mongoForTests(): Promise<TestMongo> {
  const found = find('mongod');
  const server = found.is === 'given' ? null : await startMongod();
  const base = found.is === 'given' ? found.url : (server?.url ?? '');
  const databases: string[] = [];
  return {
    server,
    url(database) {
      databases.push(database);
      // a set's URL names several hosts: no URL in the sense of the standard
      return base.replace(/^([a-z+]+:\/\/[^/?]+)(?:\/[^?]*)?(\?.*)?$/, `$1/${database}$2`);
    },
    async stop() {
      if (server !== null) return server.stop();
      const client = new MongoClient(base);
      for (const database of databases) await client.db(database).dropDatabase();
      await client.close();
    },
  };
}
