/** Many subscriptions that renew within one minute, and at one instant: how fast, what it costs those who create
 *  meanwhile, and how much memory it takes. */
import { setTimeout as pause } from 'node:timers/promises';
import { seconds, type Instant } from '../src/kernel/time.ts';
import { Api } from '../src/cli/demo/api.ts';
import type { Store } from '../src/store/store.ts';
import { clusterMissing } from './cluster.ts';
import { order } from './service.ts';
import {
  accountAt,
  clusteredHouse,
  copiesOf,
  dueSoon,
  embeddedHouse,
  type Account,
  type House,
} from './subscribed.ts';
import { quantile, rssBytes, spending, type Bench, type Room, type Row, type Served } from './support.ts';

/** BENCH_SUBSCRIPTIONS names another number, for a quick look. */
const many = Number(process.env['BENCH_SUBSCRIPTIONS'] ?? 10_000);
const createsPerSecond = 50;
const aloneMs = 15_000;
const minuteMs = 60_000;
/** From the writing of the documents until the first renewal: the service starts, and is measured alone. */
const prepareMs = Number(process.env['BENCH_PREPARE_MS'] ?? 60_000);
const doneMsMax = 300_000;
const lookEveryMs = 500;
const restMs = 10_000;
const said = many.toLocaleString('en');

const setup =
  `${said} weekly subscriptions of one project, each of a customer of its own, written into the store as copies of one, ` +
  'and as many again. The first renew evenly over one minute, the others at one instant a while later, by the timers ' +
  'of the service. A renewal is the end of a period, the opening of an invoice (number from the invoice book, plan and ' +
  'customer read anew), and two events. Done is the last event of an opened invoice. Beside it ' +
  `${createsPerSecond} checkouts a second are created, at fixed times; the ratio is that of the p99. CPU: of the service, per renewal, with these creates. ` +
  'Afterwards every subscription is read: each was billed once, and the numbers have no gap. The memory after is ' +
  `${restMs / 1000} s after the last renewal; ${said} actors are still in memory`;

export const renewalsEmbedded: Bench = {
  title: 'Subscriptions that renew in the same minute, embedded',
  setup,
  bound:
    'the event loop and the thread that writes, in about equal parts. At one instant a bound of ours: four subscriptions ' +
    'renew at a time (docs/decisions/0033); with more of them it is faster, and creates are slower',
  run: (room) => measured(room, embeddedHouse(room, 'renewals')),
};

export const renewalsClustered: Bench = {
  title: 'Subscriptions that renew in the same minute, MongoDB',
  setup: 'as above, with one node, its NATS and a mongod',
  bound:
    'not traced. It is not the processor as a whole: service and servers together used 1.8 of 4 cores. By reading, one batch ' +
    'of commits was at the database at a time, a renewal is several of them, one after the other, and a create waited for ' +
    'the batch that was there, then for its own. Measured with eight subscriptions at once and an earlier build',
  missing: clusterMissing,
  run: async (room) => measured(room, await clusteredHouse(room, 'renewals')),
};

async function measured(room: Room, house: House): Promise<readonly Row[]> {
  const { template, account } = await house.inside(async (galla) => ({
    template: await dueSoon(galla, house.adminToken),
    account: await accountAt(galla.url, house.adminToken),
  }));
  const first = Date.now() + prepareMs;
  const together = first + minuteMs + prepareMs;
  const bulk = await house.bulk();
  await bulk.put(copiesOf(template, account, many, (n) => first + Math.floor((n * minuteMs) / many)));
  await bulk.put(copiesOf(template, account, many, () => together));
  await bulk.close();
  const wroteMs = Date.now() - (first - prepareMs);
  process.stdout.write(`${2 * many} subscriptions written in ${wroteMs} ms\n`);
  // the store makes what indexes it misses
  await house.stored(() => Promise.resolve());
  const service = await house.served();
  const memory = watchedMemory(service);
  const api = new Api(service.url, account.key);
  await creates(api, seconds(2));
  const alone = await creates(api, Math.min(aloneMs, first - Date.now() - 2000));
  if (alone.latenciesMs.length < createsPerSecond)
    throw new Error('the first renewals came too early: BENCH_PREPARE_MS');
  const before = rssBytes(service.pid);
  const spread = await renewing({ service, house, api, from: first, count: many });
  const between = memory.peak();
  const burst = await renewing({ service, house, api, from: together, count: 2 * many });
  const peak = memory.stop();
  await pause(restMs);
  const after = rssBytes(service.pid);
  await room.end(service);
  await house.stored((store) => checked(store, account));
  return [
    ...rowsOf(`${said} within a minute`, spread, alone),
    ...rowsOf(`${said} at one instant`, burst, alone),
    creating('none', alone),
    ...[
      { arm: 'before the first renewal', bytes: before },
      { arm: 'most, within a minute', bytes: between },
      { arm: 'most, at one instant', bytes: peak },
      { arm: 'after', bytes: after },
    ].map(({ arm, bytes }): Row => ({ what: 'RSS', arm, value: bytes / 2 ** 20, unit: 'MiB' })),
  ];
}

interface Renewed {
  readonly tookMs: number;
  readonly created: Created;
  readonly cpuUs: number;
  readonly serversUs?: number;
}

interface Renewing {
  readonly service: Served;
  readonly house: House;
  readonly api: Api;
  readonly from: Instant;
  /** All invoices that are opened then. */
  readonly count: number;
}

/** Waits for it, with creates beside it. */
async function renewing({ service, house, api, from, count }: Renewing): Promise<Renewed> {
  await pause(Math.max(0, from - Date.now()));
  const spent = spending([service.pid], house.servers);
  const state = { over: false };
  const creating = creates(api, doneMsMax, () => state.over);
  let opened = 0;
  while (opened < count) {
    if (Date.now() - from > doneMsMax) throw new Error(`only ${opened} of ${count} invoices were opened`);
    await pause(lookEveryMs);
    opened = Number((await api.must('GET', '/v1/events?type=invoice.created&limit=1')).body.at('total'));
  }
  const tookMs = Date.now() - from;
  const cost = spent(many);
  state.over = true;
  return { tookMs, created: await creating, ...cost };
}

/** What each create took that was answered 201, and how many were answered that the service is overloaded. */
interface Created {
  readonly latenciesMs: readonly number[];
  readonly turnedAway: number;
}

/** One after the other at fixed times, whether or not the last one was answered. */
async function creates(api: Api, forMs: number, over = (): boolean => false): Promise<Created> {
  const latenciesMs: number[] = [];
  let turnedAway = 0;
  const open: Promise<void>[] = [];
  const from = performance.now();
  const one = async (): Promise<void> => {
    const sentAt = performance.now();
    const { status, text } = await api.post('/v1/checkout', order);
    if (status === 201) latenciesMs.push(performance.now() - sentAt);
    else if (status === 503) turnedAway++;
    else throw new Error(`a create was answered ${status}: ${text}`);
  };
  for (let sent = 0; performance.now() - from < forMs && !over(); sent++) {
    await pause(Math.max(0, from + (sent * 1000) / createsPerSecond - performance.now()));
    open.push(one());
  }
  await Promise.all(open);
  return { latenciesMs, turnedAway };
}

function watchedMemory({ pid }: Served): { peak(): number; stop(): number } {
  let most = 0;
  const look = setInterval(() => (most = Math.max(most, rssBytes(pid))), lookEveryMs / 5);
  return {
    peak: () => most,
    stop() {
      clearInterval(look);
      return most;
    },
  };
}

const creating = (arm: string, { latenciesMs }: Created): Row => ({
  what: 'create meanwhile',
  arm,
  value: latenciesMs.length,
  unit: 'creates',
  p50Ms: quantile(latenciesMs, 0.5),
  p99Ms: quantile(latenciesMs, 0.99),
});

function rowsOf(arm: string, { tookMs, created, ...cost }: Renewed, alone: Created): readonly Row[] {
  const ratio = quantile(created.latenciesMs, 0.99) / quantile(alone.latenciesMs, 0.99);
  return [
    { what: 'renewals', arm, value: many / (tookMs / 1000), unit: '/s', ...cost },
    { ...creating(arm, created), ratio },
    { what: 'create meanwhile, answered 503', arm, value: created.turnedAway, unit: 'creates' },
  ];
}

/** Throws unless each was billed once more, under a number that nobody else has. */
async function checked(store: Store, { scope }: Account): Promise<void> {
  const numbers = new Set<number>();
  const limit = 1000;
  let count = 0;
  for (let page = 1; ; page++) {
    const { items } = await store.listDocs({ kind: 'subscription', scope, page, limit });
    for (const { id, body } of items) {
      const { cyclesBilled, invoices } = body as unknown as Billed;
      const own = invoices.flatMap(({ openedAt, number, status }) =>
        status === 'open' && openedAt !== null && number !== null ? [number] : [],
      );
      if (cyclesBilled !== 2 || own.length !== 1)
        throw new Error(`${id} was billed ${cyclesBilled} times: ${JSON.stringify(own)}`);
      own.forEach((number) => numbers.add(number));
    }
    count += items.length;
    if (items.length < limit) break;
  }
  const most = Math.max(...numbers);
  if (count !== 2 * many || numbers.size !== count || most !== count)
    throw new Error(`${count} subscriptions have ${numbers.size} numbers up to ${most}`);
}

interface Billed {
  readonly cyclesBilled: number;
  readonly invoices: readonly {
    readonly status: string;
    readonly number: number | null;
    readonly openedAt: Instant | null;
  }[];
}
