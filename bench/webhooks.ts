/** Webhooks: how fast a backlog is posted, what a slow, a silent or a closed endpoint costs the others, and how soon an
 *  event is on its way. */
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Api } from '../src/cli/demo/api.ts';
import { fillHooks, hookTemplateIn, type HookTemplate } from './hooks-filling.ts';
import { order } from './service.ts';
import {
  median,
  quantile,
  spending,
  type Bench,
  type Measured,
  type Room,
  type Row,
  type Served,
} from './support.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3);
const batchOf = Number(process.env['BENCH_BATCH'] ?? 5000);
const backlogs = [1000, Number(process.env['BENCH_BACKLOG'] ?? 100_000)] as const;
const slowMs = 150;
const deadOnes = Number(process.env['BENCH_DEAD'] ?? 1000);
const deadEach = 20;
/** To compare with a loop that has run for a while: in the first third the service starts. */
const manyOf = 6 * batchOf;
const closedOnes = 5;
const rivalSeconds = 3;
const payers = 16;
const paySeconds = 5;
const restMs = 8000;
const drainMsMax = 300_000;
const secretsKey = Buffer.alloc(32, 7).toString('base64');

export const webhooks: Bench = {
  title: 'Webhooks: signed, recorded deliveries',
  setup:
    'the service in a process and on a folder of its own, the receiver in another (uWebSockets.js, answers 200). A ' +
    'backlog is written into the store while the service is down; its rate is that between the first and the last ' +
    `post; beside the fetch loop it is of ${manyOf}, the first third left out. BENCH_BATCH=${batchOf}, BENCH_ROUNDS=${rounds}, BENCH_BACKLOG=${backlogs[1]}: deliveries of one round, rounds (medians), the ` +
    'large backlog. The fetch loop signs the same way and inserts each try before it takes the next event. Paid ' +
    `checkouts: ${payers} payers at a time for ${paySeconds} s; their CPU includes the ${restMs / 1000} s after, with the second try of each ` +
    'delivery. Event to wire: from the instant in the event to its arrival, creates at a fixed rate for ' +
    `${paySeconds * 2} s. Beside endpoints that never answer: ${payers} at a time create for ${paySeconds} s, ${restMs / 1000} s after the start`,
  bound:
    'CPU: of a delivery a little less than half is the event loop, which sends, signs and runs the turn, the rest is ' +
    'the threads of the store (three reads, one write with its indexes) and garbage collection. At one endpoint ' +
    `that takes ${slowMs} ms the bound is 100 posts at once: ${Math.round(100_000 / slowMs)} a second`,
  async run(room) {
    const shop = await room.serve('./rivals/receiving.js');
    const hooks = await Hooks.prepared(room, shop);
    const wanted = (process.env['BENCH_ONLY'] ?? '').split(',').filter((name) => name !== '');
    const parts = { rate, slow, backlog, dead, closed, soon };
    const rows: Row[] = [];
    for (const [name, part] of Object.entries(parts))
      if (wanted.length === 0 || wanted.includes(name)) rows.push(...(await part(hooks, room)));
    return rows;
  },
};

/** The service with one endpoint, and deliveries that wait for it. */
class Hooks {
  readonly shop: Served;
  private readonly room: Room;
  private readonly dataDir: string;
  private readonly template: HookTemplate;

  private constructor(room: Room, shop: Served, dataDir: string, template: HookTemplate) {
    this.room = room;
    this.shop = shop;
    this.dataDir = dataDir;
    this.template = template;
  }

  static async prepared(room: Room, shop: Served, name = 'hooks'): Promise<Hooks> {
    const dataDir = join(room.folder, name);
    const served = await start(room, dataDir);
    await reset(shop, drainMsMax);
    const { body } = await apiOf(served, dataDir).must('POST', '/v1/webhooks', {
      url: `${shop.url}/hook`,
    });
    await apiOf(served, dataDir).must('POST', '/v1/checkout', order);
    while ((await seen(shop)).count === 0) await pause(20);
    process.kill(served.pid, 'SIGKILL');
    await room.end(served);
    return new Hooks(room, shop, dataDir, await hookTemplateIn(dataDir, body.text('id')));
  }

  fill(each: number): void {
    fillHooks(this.dataDir, this.template, { each });
  }

  /** At a server of their own: connections are limited for each server. */
  fillDead({ url }: Served): void {
    const others = { count: deadOnes, url: `${url}/never`, secretsKey };
    fillHooks(this.dataDir, this.template, { each: deadEach, others });
  }

  /** Starts the service and waits until it has posted so many; the rate is that after the first `leftOut`. */
  async drained(count: number, { delayMs = 0, leftOut = 0 } = {}): Promise<Measured> {
    await reset(this.shop, delayMs);
    const served = await start(this.room, this.dataDir);
    const until = performance.now() + drainMsMax;
    let now = await seen(this.shop);
    while (now.count <= leftOut) now = await seen(this.shop, 5);
    const [spent, begun, fromMs] = [spending([served.pid]), now.count, now.lastMs];
    while (now.count < count) {
      if (performance.now() > until) throw new Error(`${now.count} of ${count} posted`);
      now = await seen(this.shop, 20);
    }
    const { cpuUs } = spent(count - begun);
    await this.room.end(served);
    const perSecond = (now.count - begun) / ((now.lastMs - fromMs) / 1000);
    return { perSecond, p50Ms: Number.NaN, p99Ms: Number.NaN, cpuUs };
  }

  /** Checkouts made by so many at a time, until each has been posted. Before that the service gets time to start
   *  and to take up what waits. */
  async created(): Promise<Measured> {
    const served = await start(this.room, this.dataDir);
    await pause(restMs);
    await reset(this.shop, 0);
    const api = apiOf(served, this.dataDir);
    const spent = spending([served.pid]);
    const from = performance.now();
    const count = await createdIn(api, paySeconds * 1000);
    while ((await seen(this.shop, 20)).count < count) {
      if (performance.now() - from > drainMsMax) throw new Error(`fewer than ${count} posted`);
    }
    const perSecond = count / ((performance.now() - from) / 1000);
    const { cpuUs } = spent(count);
    await this.room.end(served);
    return { perSecond, p50Ms: Number.NaN, p99Ms: Number.NaN, cpuUs };
  }
}

interface Seen {
  readonly count: number;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly tookMs: readonly number[];
}

async function seen({ url }: Served, afterMs = 0): Promise<Seen> {
  if (afterMs > 0) await pause(afterMs);
  return (await (await fetch(`${url}/seen`)).json()) as Seen;
}

const reset = ({ url }: Served, delayMs: number, times = false): Promise<unknown> =>
  fetch(`${url}/reset?delayMs=${delayMs}&times=${times ? 1 : 0}`, { method: 'POST' });

const start = (room: Room, dataDir: string): Promise<Served> =>
  room.serve('../src/cli/start.js', {
    PORT: '0',
    GALLA_DATA_DIR: dataDir,
    GALLA_RATE_LIMITS: 'off',
    GALLA_SECRETS_KEY: secretsKey,
    WEBHOOK_ALLOW_PRIVATE_HOSTS: 'on',
    LOG_LEVEL: 'error',
  });

const apiOf = ({ url }: Served, dataDir: string): Api => {
  const { secretKey } = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as {
    readonly secretKey: string;
  };
  return new Api(url, secretKey);
};

interface Turn {
  readonly arm: string;
  run(): Promise<Measured>;
}

/** The arms in turn; each is compared with the first. */
async function inTurn(what: string, turns: readonly Turn[], times = rounds): Promise<readonly Row[]> {
  const all = turns.map((): Measured[] => []);
  for (let round = 0; round < times; round++)
    for (const [at, turn] of turns.entries()) all[at]?.push(await turn.run());
  const of = (at: number, field: 'perSecond' | 'cpuUs'): number =>
    median((all[at] ?? []).map((one) => one[field]));
  return turns.map(({ arm }, at): Row => ({
    what,
    arm,
    value: of(at, 'perSecond'),
    unit: '/s',
    cpuUs: of(at, 'cpuUs'),
    ...(at === 0
      ? {}
      : { ratio: of(0, 'perSecond') / of(at, 'perSecond'), cpuRatio: of(at, 'cpuUs') / of(0, 'cpuUs') }),
  }));
}

async function rate(hooks: Hooks, room: Room): Promise<readonly Row[]> {
  const folder = join(room.folder, 'rival');
  mkdirSync(folder, { recursive: true });
  const rival = await room.serve('./rivals/posting.js', { FOLDER: folder, EVENT: sampleEvent });
  const loop = (atOnce: number): Turn => ({
    arm: `fetch and one insert per try, ${atOnce} at once (bench/rivals/posting.ts)`,
    async run() {
      await reset(hooks.shop, 0);
      const spent = spending([rival.pid]);
      const url = `${rival.url}/?url=${hooks.shop.url}/hook&atOnce=${atOnce}&seconds=${rivalSeconds}`;
      const { count } = (await (await fetch(url)).json()) as { readonly count: number };
      return { perSecond: count / rivalSeconds, p50Ms: Number.NaN, p99Ms: Number.NaN, ...spent(count) };
    },
  });
  const ours: Turn = {
    arm: 'Galla',
    run() {
      hooks.fill(manyOf);
      return hooks.drained(manyOf, { leftOut: manyOf / 3 });
    },
  };
  return inTurn('one endpoint that answers at once', [ours, loop(1), loop(10)]);
}

async function slow(hooks: Hooks): Promise<readonly Row[]> {
  const turn: Turn = {
    arm: 'Galla',
    run() {
      hooks.fill(batchOf);
      return hooks.drained(batchOf, { delayMs: slowMs });
    },
  };
  return inTurn(`an endpoint that takes ${slowMs} ms`, [turn]);
}

async function backlog(hooks: Hooks): Promise<readonly Row[]> {
  const of = (count: number): Turn => ({
    arm: `${count.toLocaleString('en')} wait`,
    run() {
      hooks.fill(count);
      return hooks.drained(count);
    },
  });
  const [few, many] = backlogs;
  return inTurn('a backlog is worked off', [of(many), of(few)], 2);
}

async function dead(_hooks: Hooks, room: Room): Promise<readonly Row[]> {
  const beside = await Hooks.prepared(room, _hooks.shop, 'beside');
  beside.fillDead(await room.serve('./rivals/receiving.js'));
  const alone = await Hooks.prepared(room, _hooks.shop, 'alone');
  return inTurn('checkouts, each posted to a healthy endpoint', [
    { arm: `beside ${deadOnes} that never answer`, run: () => beside.created() },
    { arm: 'alone', run: () => alone.created() },
  ]);
}

/** A port that nothing listens on. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function closed(hooks: Hooks, room: Room): Promise<readonly Row[]> {
  const paying = async (name: string, urls: readonly string[]): Promise<Turn> => {
    const dataDir = join(room.folder, name);
    const served = await start(room, dataDir);
    const api = apiOf(served, dataDir);
    for (const url of urls) await api.must('POST', '/v1/webhooks', { url });
    return { arm: name, run: () => paid(served, api) };
  };
  const port = await closedPort();
  const to = (url: string): readonly string[] => Array.from({ length: closedOnes }, () => url);
  await reset(hooks.shop, 0);
  const turns = [
    await paying(`${closedOnes} endpoints with a closed port`, to(`http://127.0.0.1:${port}/hook`)),
    await paying('no endpoint', []),
    await paying(`${closedOnes} endpoints that answer`, to(`${hooks.shop.url}/hook`)),
  ];
  return inTurn('paid checkouts', turns);
}

/** Checkouts made and paid through the API, so many at a time. */
async function paid(served: Served, api: Api): Promise<Measured> {
  const spent = spending([served.pid]);
  const until = performance.now() + paySeconds * 1000;
  let count = 0;
  const payer = async (): Promise<void> => {
    while (performance.now() < until) {
      const { body } = await api.must('POST', '/v1/checkout', order);
      const outcome = { outcome: 'success', provider: 'wallet_b' };
      await api.must('POST', `/v1/test/checkout/${body.text('id')}/simulate`, outcome);
      count++;
    }
  };
  const from = performance.now();
  await Promise.all(Array.from({ length: payers }, payer));
  const perSecond = count / ((performance.now() - from) / 1000);
  // the second try of each delivery, five seconds later, is part of what the checkout has cost
  await pause(restMs);
  return { perSecond, p50Ms: Number.NaN, p99Ms: Number.NaN, ...spent(count) };
}

/** How many checkouts are made by so many at a time. */
async function createdIn(api: Api, ms: number): Promise<number> {
  const until = performance.now() + ms;
  let made = 0;
  const one = async (): Promise<void> => {
    while (performance.now() < until) await api.must('POST', '/v1/checkout', order).then(() => made++);
  };
  await Promise.all(Array.from({ length: payers }, one));
  return made;
}

/** The most creates a second with a webhook each, then half as many at a fixed rate. */
async function soon(hooks: Hooks, room: Room): Promise<readonly Row[]> {
  const dataDir = join(room.folder, 'soon');
  const served = await start(room, dataDir);
  const api = apiOf(served, dataDir);
  await api.must('POST', '/v1/webhooks', { url: `${hooks.shop.url}/hook` });
  await reset(hooks.shop, 0);
  await createdIn(api, 2000);
  const most = (await createdIn(api, paySeconds * 1000)) / paySeconds;
  await pause(5000);
  const rows: Row[] = [];
  for (const [name, share] of [
    ['half', 0.5],
    ['a tenth', 0.1],
  ] as const) {
    await reset(hooks.shop, 0, true);
    const everyMs = 1000 / (most * share);
    const [from, sent]: [number, Promise<unknown>[]] = [performance.now(), []];
    for (let n = 0; performance.now() - from < paySeconds * 2000; n++) {
      const late = from + n * everyMs - performance.now();
      if (late > 0) await pause(late);
      sent.push(api.must('POST', '/v1/checkout', order));
    }
    await Promise.all(sent);
    await pause(500);
    const { tookMs } = await seen(hooks.shop);
    rows.push({
      what: 'event to wire',
      arm: `${name} of ${Math.round(most)} creates a second`,
      value: tookMs.length / (paySeconds * 2),
      unit: '/s',
      p50Ms: quantile(tookMs, 0.5),
      p99Ms: quantile(tookMs, 0.99),
    });
  }
  return rows;
}

const sampleEvent = JSON.stringify({
  id: 'evt_m339g1s03anfq6rgyzmhk9e5',
  type: 'checkout.created',
  created: 1_795_166_200,
  timestamp: '2026-11-20T09:16:40.000Z',
  livemode: false,
  apiVersion: '2026-11-20',
  sequence: 1,
  data: { id: 'cs_n5y5kc7txbgmy7rz22b0c1r5', ...order, text: 'x'.repeat(900) },
});
