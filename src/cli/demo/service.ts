/** The service as a separate process, started, killed and started again on one data folder, as an operator
 *  would do. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

export interface DemoKeys {
  readonly secretKey: string;
  readonly publishableKey: string;
}

export interface ServiceOptions {
  readonly dataDir: string;
  /** The built entry, `.../dist/src/cli/start.js`. */
  readonly entry: string;
  /** Default: a free one. Later starts keep it, so that earlier addresses stay valid. */
  readonly port?: number;
  readonly env?: { readonly [name: string]: string };
  /** Called with all that it prints; `output` keeps the newest part. */
  readonly printed?: (text: string) => void;
  /** The limit until GET /health answers ok; default 20 s. */
  readonly readyMsMax?: number;
}

const startMsMax = 20_000;
/** A start expected to be refused may first search for its servers for a while. */
const endMsMax = 40_000;
const outputCharsMax = 20_000;

export class Service {
  readonly url: string;
  readonly pid: number;
  /** Start of the process until its address answered. */
  readonly readyMs: number;
  private readonly child: ChildProcess;
  private readonly said: { text: string };
  private readonly ended: Promise<Ended>;

  private constructor(
    child: ChildProcess,
    ended: Promise<Ended>,
    said: { text: string },
    url: string,
    readyMs: number,
  ) {
    this.child = child;
    this.ended = ended;
    this.said = said;
    this.url = url;
    this.pid = child.pid ?? 0;
    this.readyMs = readyMs;
  }

  /** Starts it and waits until GET /health says ok; rejects with its output when it ends before. */
  static async start(options: ServiceOptions): Promise<Service> {
    const from = performance.now();
    const { readyMsMax = startMsMax } = options;
    const { child, ended, said, url } = await run(options);
    let over: Ended | null = null;
    void ended.then((how) => (over = how));
    for (;;) {
      if (await healthy(url)) return new Service(child, ended, said, url, performance.now() - from);
      if (over !== null) throw new Error(`the service ended at once (${describe(over)}):\n${said.text}`);
      if (performance.now() - from > readyMsMax) {
        child.kill('SIGKILL');
        throw new Error(`the service was not ready within ${readyMsMax} ms:\n${said.text}`);
      }
      await pause(20);
    }
  }

  /** What it printed, its newest part. */
  get output(): string {
    return this.said.text;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** The keys of the demo merchant. */
  async keys(dataDir: string): Promise<DemoKeys> {
    return JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as DemoKeys;
  }

  /** Resolves when the process has ended, for whatever reason. */
  get over(): Promise<Ended> {
    return this.ended;
  }

  /** GET /health says ok. */
  healthy(): Promise<boolean> {
    return healthy(this.url);
  }

  get running(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** `kill -9`. */
  async kill(): Promise<Ended> {
    this.child.kill('SIGKILL');
    return this.ended;
  }

  /** SIGSTOP: pauses the process without its knowledge. */
  pause(): void {
    this.child.kill('SIGSTOP');
  }

  resume(): void {
    this.child.kill('SIGCONT');
  }

  /** SIGTERM, then SIGKILL if it does not drain in time. */
  async stop(waitMs = 12_000): Promise<Ended> {
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), waitMs);
    const how = await this.ended;
    clearTimeout(timer);
    return how;
  }
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Runs it until it ends: for starts that are expected to be refused. */
export async function runToEnd(options: ServiceOptions): Promise<Ended & { readonly output: string }> {
  const { child, ended, said } = await run(options);
  const timer = setTimeout(() => child.kill('SIGKILL'), endMsMax);
  const how = await ended;
  clearTimeout(timer);
  return { ...how, output: said.text };
}

async function run({ dataDir, entry, port, env = {}, printed }: ServiceOptions) {
  const listenAt = port ?? (await freePort());
  const child = spawn(process.execPath, [entry], {
    env: {
      PATH: process.env['PATH'] ?? '',
      LOG_LEVEL: 'info',
      ...env,
      GALLA_DATA_DIR: dataDir,
      PORT: String(listenAt),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { text: '' };
  const hear = (chunk: Buffer): void => {
    const text = chunk.toString('utf8');
    printed?.(text);
    said.text = (said.text + text).slice(-outputCharsMax);
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  const ended = new Promise<Ended>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  );
  return { child, ended, said, url: `http://127.0.0.1:${listenAt}` };
}

/** The port is chosen beforehand: a port picked by the kernel while listening cannot be reused for a minute
 *  after a kill, because uWebSockets.js sets address reuse only for an explicit port. */
async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}

/** Where free ports are looked for: below those that Linux, macOS and Windows give to outgoing connections
 *  and to servers that name none. One of those could be taken between the look and its use. */
const freePortsFrom = 20_000;
const freePortsTo = 32_000;
const freePortTriesMax = 100;

/** So many different ones.
 *  @throws Error when none was found in `freePortTriesMax` tries. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const found = new Set<number>();
  for (let tries = 0; found.size < count; tries += 1) {
    if (tries === freePortTriesMax + count) throw new Error('no free port was found');
    const port = randomInt(freePortsFrom, freePortsTo);
    if (await isFree(port)) found.add(port);
  }
  return [...found];
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

async function healthy(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health`)).status === 200;
  } catch {
    return false;
  }
}

const describe = ({ code, signal }: Ended): string => (signal === null ? `exit code ${code}` : signal);
