/** One machine that is moved to a cluster under load, through the built commands, and an account of what happened.
 *  Boundary: a shop that only knows the address of a load balancer, keys and event ids, as any shop. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Api } from '../../src/cli/demo/api.ts';
import { Balancer } from '../../src/cli/demo/balancer.ts';
import { freePorts, Service } from '../../src/cli/demo/service.ts';
import { Shop } from '../../src/cli/demo/shop.ts';
import { entry } from '../support/cluster.ts';
import { mongoForTests, startNats, type RunningServer, type TestMongo } from '../support/servers.ts';

const order = { amount: 125_050, returnUrl: 'http://127.0.0.1/return' };
const againMs = 100;
const triesMax = 600;
const readyMsMax = 120_000;
const adminToken = 'token-of-the-move-alone';
const secretsKey = Buffer.alloc(32, 9).toString('base64');

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Command {
  readonly over: Promise<Ran>;
  kill(): void;
}

/** An answered creation, and how it ended. */
export interface Order {
  readonly key: string;
  readonly id: string;
  readonly text: string;
  isPaid: boolean;
}

export class MoveRun {
  readonly orders: Order[] = [];
  /** For how long nobody was answered, at most, since `forgetOutage`. */
  longestOutageMs = 0;
  readonly streamed: string[] = [];
  readonly shop: Shop;
  readonly balancer: Balancer;
  private readonly folder: string;
  private readonly nats: RunningServer;
  private readonly mongo: TestMongo;
  private readonly mongodbUrl: string;
  private old: Service | null = null;
  private readonly nodes: Promise<Service>[] = [];
  private api: Api | null = null;
  private thinkMs = 0;
  /** Before any event. */
  private readonly since = new Date(Date.now() - 60_000).toISOString();
  private isOver = false;
  private isStopped = false;
  private lastAnswerAt = performance.now();
  private shoppers: readonly Promise<void>[] = [];
  private stream: Promise<void> = Promise.resolve();
  private readonly leaves = new AbortController();

  private constructor(
    folder: string,
    servers: { readonly nats: RunningServer; readonly mongo: TestMongo },
    balancer: Balancer,
    shop: Shop,
  ) {
    this.folder = folder;
    this.nats = servers.nats;
    this.mongo = servers.mongo;
    this.mongodbUrl = servers.mongo.url(`galla_move_${process.pid}_${Date.now().toString(36)}`);
    this.balancer = balancer;
    this.shop = shop;
  }

  static async start(): Promise<MoveRun> {
    const folder = await mkdtemp(join(tmpdir(), 'galla-move-'));
    const [nats, mongo, balancer, shop] = await Promise.all([
      startNats(),
      mongoForTests(),
      Balancer.open(),
      Shop.open(),
    ]);
    const run = new MoveRun(folder, { nats, mongo }, balancer, shop);
    try {
      await run.open();
      return run;
    } catch (failure) {
      await run.stop();
      throw failure;
    }
  }

  private async open(): Promise<void> {
    this.old = await Service.start({ dataDir: this.dataDir, entry, env: this.env(), readyMsMax });
    this.balancer.send([this.old.url]);
    const { secretKey } = await this.old.keys(this.dataDir);
    this.api = new Api(this.balancer.url, secretKey);
    await this.key.must('POST', '/v1/webhooks', { url: `${this.shop.url}/hook` });
  }

  get dataDir(): string {
    return join(this.folder, 'data');
  }

  get key(): Api {
    if (this.api === null) throw new Error('the service has not been started');
    return this.api;
  }

  get service(): Service {
    if (this.old === null) throw new Error('the service has not been started');
    return this.old;
  }

  /** `galla move`, with the point at which it kills itself. */
  move(failpoint?: string, after = 1, args: readonly string[] = []): Command {
    const command = join(dirname(entry), 'galla.js');
    const child = spawn(process.execPath, [command, 'move', '--data-dir', this.dataDir, '--json', ...args], {
      env: {
        PATH: process.env['PATH'] ?? '',
        MONGODB_URL: this.mongodbUrl,
        NATS_URL: this.nats.url,
        ...(failpoint === undefined
          ? {}
          : { GALLA_FAILPOINT: failpoint, GALLA_FAILPOINT_AFTER: String(after) }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].on('data', (chunk: Buffer) => (said[name] += chunk.toString('utf8')));
    const over = new Promise<Ran>((resolve) =>
      child.once('close', (code, signal) => resolve({ code, signal, ...said })),
    );
    return { over, kill: () => void child.kill('SIGKILL') };
  }

  /** Nodes of the cluster, behind the same address; each serves when the move has ended. */
  async startNodes(count: number): Promise<void> {
    const ports = await freePorts(count);
    for (const port of ports) {
      const env = { ...this.env(), NATS_URL: this.nats.url, MONGODB_URL: this.mongodbUrl };
      const node = Service.start({ dataDir: join(this.folder, String(port)), entry, port, env, readyMsMax });
      node.catch(() => undefined);
      this.nodes.push(node);
    }
    this.balancer.send([this.service.url, ...ports.map((port) => `http://127.0.0.1:${port}`)]);
  }

  async nodesReady(): Promise<readonly Service[]> {
    return Promise.all(this.nodes);
  }

  /** Shoppers who create, pay and wait, and a program that follows all events. */
  begin(shoppers: number, thinkMs: number): void {
    this.thinkMs = thinkMs;
    this.lastAnswerAt = performance.now();
    this.shoppers = Array.from({ length: shoppers }, (_, at) => this.buys(at));
    // a failure is the result of `end`, also when a test ends before
    for (const shopper of this.shoppers) shopper.catch(() => undefined);
    this.stream = this.follows();
  }

  forgetOutage(): void {
    this.longestOutageMs = 0;
    this.lastAnswerAt = performance.now();
  }

  async end(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.shoppers);
  }

  /** After `end`: the program has seen what there is to see. */
  async endStream(): Promise<void> {
    this.leaves.abort();
    await this.stream;
  }

  /** All events of the project, oldest first. */
  async events(): Promise<
    readonly { readonly id: string; readonly type: string; readonly sessionId: string }[]
  > {
    const found: { id: string; type: string; sessionId: string }[] = [];
    for (let page = 1; ; page++) {
      const { body } = await this.key.must('GET', `/v1/events?limit=100&page=${page}`);
      const events = body.list('data');
      for (const event of events)
        found.push({
          id: event.text('id'),
          type: event.text('type'),
          sessionId: String(event.at('data.sessionId')),
        });
      if (events.length < 100) return found.toReversed();
    }
  }

  async stop(): Promise<void> {
    this.isOver = true;
    this.isStopped = true;
    this.leaves.abort();
    await this.old?.kill();
    for (const node of await Promise.allSettled(this.nodes))
      if (node.status === 'fulfilled') await node.value.kill();
    await this.balancer.close();
    await Promise.all([this.shop.close(), this.nats.stop(), this.mongo.stop()]);
    await rm(this.folder, { recursive: true, force: true });
  }

  /** What the service and the nodes said last. */
  async output(): Promise<string> {
    const nodes = await Promise.allSettled(this.nodes);
    const said = nodes.map((one) => (one.status === 'fulfilled' ? one.value.output : String(one.reason)));
    return [this.service.output, ...said].join('\n---\n');
  }

  private env(): { readonly [name: string]: string } {
    return {
      GALLA_RATE_LIMITS: 'off',
      GALLA_ADMIN_TOKEN: adminToken,
      GALLA_SECRETS_KEY: secretsKey,
      BASE_URL: this.balancer.url,
      WEBHOOK_ALLOW_PRIVATE_HOSTS: 'on',
      LOG_LEVEL: 'warn',
    };
  }

  private async buys(shopper: number): Promise<void> {
    for (let at = 0; !this.isOver; at++) {
      const key = `move-${shopper}-${at}`;
      const { text, body } = await this.answered('POST', '/v1/checkout', order, key);
      const bought: Order = { key, id: body.text('id'), text, isPaid: false };
      this.orders.push(bought);
      await this.pays(bought.id);
      bought.isPaid = true;
      await pause(this.thinkMs);
    }
  }

  /** As a buyer does: looks whether it is paid, and pays again when not. */
  private async pays(id: string): Promise<void> {
    let said = '';
    for (let tries = 0; tries < triesMax; tries++) {
      const paid = { outcome: 'success', provider: 'wallet_b' };
      said = (await this.answered('POST', `/v1/test/checkout/${id}/simulate`, paid)).text;
      const { body } = await this.answered('GET', `/v1/checkout/${id}`);
      if (body.text('status') === 'success') return;
      await pause(againMs);
    }
    throw new Error(`${id} cannot be paid: ${said.slice(0, 300)}`);
  }

  /** Sends until it is answered with something else than 503; a repeat has the same key. */
  private async answered(method: string, path: string, body?: object, idempotencyKey?: string) {
    const sending = {
      ...(body === undefined ? {} : { body }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    };
    for (let tries = 0; tries < triesMax && !this.isStopped; tries++) {
      const answer = await this.key.send(method, path, sending).catch(() => null);
      if (answer !== null && answer.status < 500 && (answer.status < 300 || idempotencyKey === undefined)) {
        const now = performance.now();
        this.longestOutageMs = Math.max(this.longestOutageMs, now - this.lastAnswerAt);
        this.lastAnswerAt = now;
        return answer;
      }
      // 409: the first copy is still being executed
      if (answer !== null && answer.status !== 503 && answer.status !== 409)
        throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text.slice(0, 300)}`);
      await pause(againMs);
    }
    throw new Error(`${method} ${path} was refused for ${(triesMax * againMs) / 1000} s`);
  }

  /** Connects again after each end, with the id of the last event. */
  private async follows(): Promise<void> {
    const { signal } = this.leaves;
    while (!signal.aborted) {
      try {
        const last = this.streamed.at(-1);
        const answer = await fetch(`${this.key.baseUrl}/v1/events/stream?since=${this.since}`, {
          headers: {
            authorization: `Bearer ${this.key.key}`,
            ...(last === undefined ? {} : { 'last-event-id': last }),
          },
          signal,
        });
        if (answer.status === 200 && answer.body !== null) await this.reads(answer.body);
        else await answer.body?.cancel();
      } catch {
        // the service ended it, or is not there
      }
      if (!signal.aborted) await pause(againMs);
    }
  }

  private async reads(body: AsyncIterable<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true });
      const frames = text.split('\n\n');
      text = frames.pop() ?? '';
      for (const frame of frames) {
        const [, id] = /^id: (\S+)$/m.exec(frame) ?? [];
        if (id !== undefined && frame.includes('\ndata:')) this.streamed.push(id);
      }
    }
  }
}

/** What stands in the folder about the move. */
export const noteOf = async (dataDir: string): Promise<string> => {
  const { state } = JSON.parse(await readFile(join(dataDir, 'move.json'), 'utf8')) as {
    readonly state: string;
  };
  return state;
};
