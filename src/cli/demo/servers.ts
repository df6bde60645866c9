/** NATS and MongoDB for the demo's cluster: programs installed on this machine, started and stopped with
 *  it.
 *  1. All their files are in one folder, which its owner removes. */
import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { initiateSet } from '../../store/mongo-initiate.ts';
import { freePorts } from './service.ts';

const programs = ['nats-server', 'mongod'] as const;
type Program = (typeof programs)[number];

const listenMsMax = 30_000;
const endMsMax = 10_000;
const outputCharsMax = 4000;

/** Not installed; the message is one line that says what to do. */
export class MissingServers extends Error {
  override readonly name = 'MissingServers';
}

export class Servers {
  readonly natsUrl: string;
  readonly mongodbUrl: string;
  private readonly running: readonly Running[];

  private constructor(natsUrl: string, mongodbUrl: string, running: readonly Running[]) {
    this.natsUrl = natsUrl;
    this.mongodbUrl = mongodbUrl;
    this.running = running;
  }

  /** Starts both in `folder`; throws MissingServers before anything is started. */
  static async start(folder: string): Promise<Servers> {
    const paths = found();
    const [natsPort = 0, mongodPort = 0] = await freePorts(2);
    const [natsDir, mongodDir] = [join(folder, 'nats'), join(folder, 'mongod')];
    mkdirSync(mongodDir, { recursive: true });
    const local = '127.0.0.1';
    const nats = ['-js', '-sd', natsDir, '-a', local, '-p', String(natsPort)];
    const mongod = [
      '--dbpath',
      mongodDir,
      '--port',
      String(mongodPort),
      '--bind_ip',
      local,
      '--replSet',
      'rs0',
    ];
    const running = [new Running(paths['nats-server'], nats), new Running(paths.mongod, mongod)];
    const servers = new Servers(
      `nats://${local}:${natsPort}`,
      `mongodb://${local}:${mongodPort}/galla?replicaSet=rs0`,
      running,
    );
    try {
      await Promise.all([running[0]?.listens(natsPort), running[1]?.listens(mongodPort)]);
      await initiateSet(`mongodb://${local}:${mongodPort}`, 'rs0');
      return servers;
    } catch (failure) {
      await servers.stop();
      throw failure;
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.running.map((one) => one.stop()));
  }
}

function found(): { readonly [name in Program]: string } {
  const paths = programs.map((name) => [name, onPath(name)] as const);
  const gone = paths.flatMap(([name, path]) => (path === null ? [name] : []));
  if (gone.length > 0)
    throw new MissingServers(
      `${gone.join(' and ')} not found on PATH: install NATS (2.9 or newer) and MongoDB (7 or newer), or run the ` +
        'demo without --cluster, which needs neither',
    );
  return Object.fromEntries(paths) as { readonly [name in Program]: string };
}

/** The path of a program that can be run by its name; null when it is not found. */
export function onPath(name: string): string | null {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      continue;
    }
  }
  return null;
}

/** One program, and its last output. */
class Running {
  private readonly path: string;
  private readonly child: ChildProcess;
  private readonly ended: Promise<void>;
  private said = '';

  constructor(path: string, args: readonly string[]) {
    this.path = path;
    const child = spawn(path, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        this.said = (this.said + chunk.toString('utf8')).slice(-outputCharsMax);
      });
    this.child = child;
    this.ended = new Promise((resolve) => child.once('close', () => resolve()));
    child.once('error', () => undefined);
  }

  async listens(port: number): Promise<void> {
    const until = performance.now() + listenMsMax;
    while (!(await answers(port))) {
      const over = this.child.exitCode !== null || this.child.signalCode !== null;
      if (over || performance.now() > until)
        throw new Error(`${this.path} ${over ? 'ended at once' : 'does not listen'}:\n${this.said}`);
      await pause(50);
    }
  }

  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), endMsMax);
    await this.ended;
    clearTimeout(timer);
  }
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const done = (open: boolean) => (): void => {
      socket.destroy();
      resolve(open);
    };
    socket.once('connect', done(true));
    socket.once('error', done(false));
  });
