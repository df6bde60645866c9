/** One run: a real process that is killed again and again under load, and at the end a complete account of what is stored. */
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Api } from '../../src/cli/demo/api.ts';
import { Service } from '../../src/cli/demo/service.ts';
import { Shop } from '../../src/cli/demo/shop.ts';
import { account } from './account.ts';
import { check, type Verdict } from './checker.ts';
import { History } from './history.ts';
import { journey, type Stage } from './journey.ts';
import { Line, pause } from './line.ts';
import { failpoints, plan, redrawn, type Failpoint, type Life } from './plan.ts';
import { seeded } from './random.ts';

export interface RunOptions {
  readonly seed: number;
  readonly checkouts: number;
  readonly kills: number;
  readonly hitsEach: number;
  /** Checkouts under way at once. */
  readonly buyers: number;
  readonly historyFile: string | null;
  readonly say: (text: string) => void;
}

export interface Report extends Verdict {
  readonly seed: number;
  readonly restarts: number;
  /** Deaths that came while at least `inFlightMin` requests were under way. */
  readonly deaths: { readonly [ends: string]: number };
  readonly recoveryMs: readonly number[];
  readonly tookMs: number;
}

export const inFlightMin = 20;
/** Lives repeated because too little was under way when they ended. */
const repeatsMax = 40;
const killPatienceMs = 20_000;
const reopenMs = 250;
export const entry = fileURLToPath(new URL('../../dist/src/cli/start.js', import.meta.url));
const env = { GALLA_RATE_LIMITS: 'off', LOG_LEVEL: 'warn' } as const;

export async function run(options: RunOptions): Promise<Report> {
  const from = Date.now();
  const dataDir = await mkdtemp(join(tmpdir(), 'galla-faults-'));
  const shop = await Shop.open();
  const cast = new Cast(options, dataDir);
  try {
    const stage = await cast.begin(shop);
    const lives = cast.live(stage);
    await cast.clients(stage, lives);
    await lives;
    await account(stage, cast.made, shop);
  } finally {
    await cast.end();
    await shop.close();
    await rm(dataDir, { recursive: true, force: true });
  }
  return {
    ...check(cast.history.entries),
    seed: options.seed,
    restarts: cast.recoveryMs.length,
    deaths: cast.deaths,
    recoveryMs: cast.recoveryMs,
    tookMs: Date.now() - from,
  };
}

class Cast {
  readonly history: History;
  readonly deaths: Record<string, number> = Object.fromEntries(
    ['kill', ...failpoints].map((name) => [name, 0]),
  );
  readonly recoveryMs: number[] = [];
  /** Checkouts begun so far. */
  made = 0;
  private readonly options: RunOptions;
  private readonly dataDir: string;
  private readonly line = new Line();
  private service: Service | null = null;
  private port: number | null = null;
  private over = false;

  constructor(options: RunOptions, dataDir: string) {
    this.options = options;
    this.dataDir = dataDir;
    this.history = new History(options.historyFile);
  }

  /** The first start: the port stays, so that every address handed out stays true. */
  async begin(shop: Shop): Promise<Stage> {
    const service = await this.start(null);
    const keys = await service.keys(this.dataDir);
    const api = new Api(service.url, keys.secretKey);
    await api.must('POST', '/v1/webhooks', { url: `${shop.url}/hooks`, events: ['*'] });
    shop.answering = (received) => {
      const hash = createHash('sha256').update(received.raw).digest('hex');
      this.history.add({
        is: 'webhook',
        id: received.id,
        type: received.type,
        objectId: received.objectId,
        hash,
      });
      return { status: 200 };
    };
    await service.stop();
    const { line, history } = this;
    return { api, line, history, shopUrl: shop.url, seed: this.options.seed, simulates: true };
  }

  /** Every buyer takes the next checkout until there are enough and no life is left to end. */
  async clients(stage: Stage, lives: Promise<void>): Promise<void> {
    void lives.finally(() => (this.over = true));
    const buyer = async (): Promise<void> => {
      while (this.made < this.options.checkouts || !this.over) await journey(stage, ++this.made);
    };
    await Promise.all(Array.from({ length: this.options.buyers }, buyer));
  }

  /** A connection can break without a death: a client that waits for a running service continues. */
  private readonly watch = setInterval(() => void this.reopen(), reopenMs);

  private async reopen(): Promise<void> {
    const { service, line } = this;
    if (line.atDeath === null || service?.running !== true || !(await service.healthy())) return;
    if (service === this.service && service.running) line.opened();
  }

  /** Start, load, death, again and again; the last life stays. */
  async live({ line }: Stage): Promise<void> {
    const rest = [...plan(this.options)];
    const random = seeded(this.options.seed + 1);
    let repeats = 0;
    let diedAt: number | null = null;
    for (let life = rest.shift(); life !== undefined; life = rest.shift()) {
      const service = await this.start(life);
      this.recovered(diedAt);
      line.opened();
      if (life.ends === 'kill') await this.killWhenBusy(service, life.afterAnswers);
      const { signal } = await within(service, killPatienceMs * 2);
      diedAt = Date.now();
      line.lost();
      const inFlight = line.atDeath ?? 0;
      const counted = signal === 'SIGKILL' && inFlight >= inFlightMin;
      this.history.add({ is: 'life', ends: life.ends, counted, inFlight, downMs: 0 });
      if (counted) this.deaths[life.ends] = (this.deaths[life.ends] ?? 0) + 1;
      else if (++repeats <= repeatsMax) rest.push(redrawn(random, life));
      this.options.say(
        `${life.ends.padEnd(14)} ${String(inFlight).padStart(3)} in flight, ` +
          `${rest.length} lives left, ${this.made} checkouts begun`,
      );
    }
    await this.start(null);
    this.recovered(diedAt);
    line.opened();
  }

  async end(): Promise<void> {
    clearInterval(this.watch);
    await this.service?.stop();
  }

  private recovered(diedAt: number | null): void {
    if (diedAt !== null) this.recoveryMs.push(Date.now() - diedAt);
  }

  private async killWhenBusy(service: Service, afterAnswers: number): Promise<void> {
    const until = Date.now() + killPatienceMs;
    while (service.running && Date.now() < until) {
      if (this.line.answers >= afterAnswers && this.line.inFlight >= inFlightMin) {
        this.line.lost();
        await service.kill();
        return;
      }
      await pause(1);
    }
    await service.kill();
  }

  private async start(life: Life | null): Promise<Service> {
    const failing: Record<string, string> =
      life === null || life.ends === 'kill'
        ? {}
        : { GALLA_FAILPOINT: life.ends satisfies Failpoint, GALLA_FAILPOINT_AFTER: String(life.afterHits) };
    this.service = await Service.start({
      dataDir: this.dataDir,
      entry,
      ...(this.port === null ? {} : { port: this.port }),
      env: { ...env, ...failing },
    });
    this.port = this.service.port;
    return this.service;
  }
}

/** How it ended; killed by us, uncounted, when its failpoint is never reached. */
async function within(service: Service, waitMs: number): Promise<{ readonly signal: string | null }> {
  const timer = setTimeout(() => void service.stop(), waitMs);
  const how = await service.over;
  clearTimeout(timer);
  return how;
}
