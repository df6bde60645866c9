/** Memory over many actors: random ones of a million, and those that paid checkouts leave. */
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { checkoutSessionAt } from '../actors/checkout-session/commands.ts';
import { start } from '../src/main.ts';
import { onFatal } from '../test/support/alone.ts';
import { closedLoop } from './closed-loop.ts';
import { ours, order } from './service.ts';
import { filledFolder } from './subjects.ts';
import { rssBytes, type Bench, type Row } from './support.ts';

/** BENCH_STORED and BENCH_MEMORY name others, for a quick look. */
const stored = Number(process.env['BENCH_STORED'] ?? 1_000_000);
const checkouts = (process.env['BENCH_MEMORY'] ?? '2000,20000').split(',').map(Number);
const budgetMib = 192;
const forMs = 30_000;
const atOnce = 64;
const lanes = 8;
/** By then nothing is on its way any more, and each actor is at rest. */
const restMs = 10_000;
const mib = 2 ** 20;

export const livingAtRandom: Bench = {
  title: 'Memory of random actors',
  setup:
    `${stored.toLocaleString('en')} ended checkout sessions, stored in bulk, GALLA_MEMORY_MB=${budgetMib}. For ` +
    `${forMs / 1000} s, ${atOnce} at once, a random one gets a command that changes nothing and is read afterwards. ` +
    'RSS is read every 250 ms. What actors take is estimated by the service itself',
  bound:
    'the budget, which SQLite and the newest events share with actors; code, buffers and the heaps of threads come on top',
  async run(room) {
    const { dataDir, samples } = await filledFolder(room, {
      name: 'random',
      ended: 'expired',
      most: stored,
      samples: stored,
    });
    const ids = join(room.folder, 'ids.json');
    writeFileSync(ids, JSON.stringify(samples.map(({ id }) => id)));
    const args = [fileURLToPath(import.meta.url), dataDir, ids];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      env: { PATH: process.env['PATH'] ?? '' },
    });
    const seen = JSON.parse(stdout.slice(stdout.lastIndexOf('{'))) as Seen;
    const row = (what: string, bytes: number): Row => ({
      what,
      arm: 'Galla',
      value: bytes / mib,
      unit: 'MiB',
    });
    return [
      { what: 'command and read of a random actor', arm: 'Galla', value: seen.perSecond, unit: '/s' },
      row('RSS before', seen.rssBefore),
      row('RSS, the most', seen.rssMost),
      row('actors in memory, the most', seen.actorsMost),
      row('of a budget for actors of', seen.budget),
    ];
  },
};

export const livingAfterCheckouts: Bench = {
  title: 'Memory after paid checkouts',
  setup:
    `\`npm start\` with a webhook endpoint, ${lanes} lanes: a checkout is created and paid in the sandbox. RSS some seconds ` +
    'after the last one of each count, without asking for garbage collection',
  bound: 'the heaps that V8 keeps, the page caches of SQLite, and actors at rest',
  async run(room) {
    const sink = createServer((request, response) =>
      request.resume().once('end', () => response.end()),
    ).listen(0);
    const { pid, api } = await ours(room);
    await api.must('POST', '/v1/webhooks', {
      url: `http://127.0.0.1:${(sink.address() as AddressInfo).port}/hook`,
    });
    const rss: number[] = [];
    let made = 0;
    for (const target of checkouts) {
      const lane = async (): Promise<void> => {
        for (; made < target;) {
          made++;
          const { body } = await api.must('POST', '/v1/checkout', order);
          const paid = { outcome: 'success', provider: 'wallet_b' };
          await api.must('POST', `/v1/test/checkout/${body.text('id')}/simulate`, paid);
        }
      };
      await Promise.all(Array.from({ length: lanes }, lane));
      await pause(restMs);
      rss.push(rssBytes(pid));
    }
    sink.close();
    return checkouts.map((count, at): Row => ({
      what: `RSS after ${count.toLocaleString('en')} checkouts`,
      arm: 'Galla',
      value: (rss[at] ?? 0) / mib,
      unit: 'MiB',
      ...(at === 0 ? {} : { ratio: (rss[at] ?? 0) / (rss[0] ?? 0) }),
    }));
  },
};

interface Seen {
  readonly perSecond: number;
  readonly rssBefore: number;
  readonly rssMost: number;
  readonly actorsMost: number;
  readonly budget: number;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , dataDir = '', ids = ''] = process.argv;
  // its own waits do not hold a process
  setInterval(() => undefined, 1000);
  process.stdout.write(JSON.stringify(await atRandom(dataDir, ids)));
  process.exit(0);
}

async function atRandom(dataDir: string, file: string): Promise<Seen> {
  const ids = JSON.parse(readFileSync(file, 'utf8')) as readonly string[];
  const env = { PORT: '0', GALLA_DATA_DIR: dataDir, GALLA_RATE_LIMITS: 'off', LOG_LEVEL: 'error' };
  const galla = await start({ onFatal, env: { ...env, GALLA_MEMORY_MB: String(budgetMib) } });
  const { registry } = galla.node;
  const rssBefore = rssBytes(process.pid);
  let [rssMost, actorsMost] = [0, 0];
  const watch = setInterval(() => {
    rssMost = Math.max(rssMost, rssBytes(process.pid));
    actorsMost = Math.max(actorsMost, registry.bytes);
  }, 250);
  const scope = (await galla.node.client.read(checkoutSessionAt(ids[0] ?? ''), null))?.meta.scope ?? 'system';
  const one = async (): Promise<void> => {
    const at = checkoutSessionAt(ids[Math.floor(Math.random() * ids.length)] ?? '');
    const { is } = await galla.node.client.ask(at, 'expire', {}, { by: 'merchant', scope });
    if (is !== 'ok' || (await galla.node.client.read(at, scope)) === null)
      throw new Error(`${at.id} answered ${is}`);
  };
  const { perSecond } = await closedLoop(one, { atOnce, forMs });
  clearInterval(watch);
  await galla.stop();
  return { perSecond, rssBefore, rssMost, actorsMost, budget: registry.bytesMax };
}
