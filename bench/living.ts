/** Memory: what actors cost a process, while they work and at rest, and what it takes to wake one. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { checkoutSessionAt } from '../actors/checkout-session/commands.ts';
import { opened } from './asking.ts';
import { median, rssBytes, type Bench } from './support.ts';
import { start, type Galla } from '../src/main.ts';
import { overloadedRetryMs } from '../src/runtime/activation/admission.ts';
import { onFatal } from '../test/support/alone.ts';

const actors = 10_000;
/** Opened before the measured ones are at rest: threads, page caches and V8 have taken what they take. */
const warm = 20_000;
const resting = 40_000;
const atOnce = 100;
const settleMs = 500;
/** By then each actor is at rest, and what V8 gives back it has given back. */
const restMsMax = 60_000;
const restMs = 5000;
const reads = 2000;

export const living: Bench = {
  title: 'Memory of live actors',
  setup:
    `a separate process opens ${actors.toLocaleString('en')} checkout sessions and is measured at once, as long as they ` +
    `have their parts. Another one opens ${warm.toLocaleString('en')}, waits until all are at rest, and then ` +
    `${resting.toLocaleString('en')} more, of which the memory at rest is that what is added. Each is measured after ` +
    'garbage collection. For comparison: the same number of parsed documents in a map. A read is one by another part ' +
    `of the same process, ${reads.toLocaleString('en')} of each kind, medians`,
  bound:
    'state, view and bookkeeping of an actor; at rest the text of its document, its name and its place in a map. The ' +
    'store runs in the same process, so its caches are included',
  async run(room) {
    const measure = async <Result>(what: Part): Promise<Result> => {
      const args = ['--expose-gc', fileURLToPath(import.meta.url), what, join(room.folder, what)];
      const { stdout } = await promisify(execFile)(process.execPath, args, {
        env: { PATH: process.env['PATH'] ?? '' },
      });
      return JSON.parse(stdout.slice(stdout.lastIndexOf('{'))) as Result;
    };
    const atWork = await measure<Grown>('actors');
    const atRest = await measure<Rested>('resting');
    const limit = await measure<Grown>('documents');
    const kib = (bytes: number, of = actors): number => bytes / of / 1024;
    const read = (what: string, value: number) => ({ what, arm: 'Galla', value, unit: 'us' });
    return [
      { what: 'RSS per actor at work', arm: 'Galla', value: kib(atWork.rss), unit: 'KiB' },
      { what: 'heap per actor at work', arm: 'Galla', value: kib(atWork.heap), unit: 'KiB' },
      { what: 'RSS per actor at rest', arm: 'Galla', value: kib(atRest.rss, resting), unit: 'KiB' },
      { what: 'heap per actor at rest', arm: 'Galla', value: kib(atRest.heap, resting), unit: 'KiB' },
      {
        what: 'heap per actor at rest',
        arm: 'the same data, parsed, in a map',
        value: kib(limit.heap),
        unit: 'KiB',
        ratio: atRest.heap / resting / (limit.heap / actors),
      },
      read('read of an actor with its parts', atRest.againUs),
      read('read of an actor at rest, which wakes it', atRest.wakingUs),
      read('read from the store', atRest.storedUs),
    ];
  },
};

type Part = 'actors' | 'resting' | 'documents';

/** Bytes more than before. */
interface Grown {
  readonly rss: number;
  readonly heap: number;
}

/** And the median read of each kind, in microseconds. */
interface Rested extends Grown {
  readonly againUs: number;
  readonly wakingUs: number;
  readonly storedUs: number;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , what = '', folder = ''] = process.argv;
  // its own waits do not hold a process
  setInterval(() => undefined, 1000);
  const parts = { actors: () => ofActors(folder), resting: () => ofResting(folder), documents: ofDocuments };
  process.stdout.write(JSON.stringify(await parts[what as Part]()));
  process.exit(0);
}

function started(folder: string): Promise<Galla> {
  const env = { PORT: '0', GALLA_DATA_DIR: folder, GALLA_RATE_LIMITS: 'off', LOG_LEVEL: 'error' };
  return start({ onFatal, env });
}

/** The ids of so many new sessions. */
async function openedMany(galla: Galla, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made += atOnce)
    ids.push(...(await Promise.all(Array.from({ length: atOnce }, () => openedInTime(galla)))));
  return ids;
}

/** Beside other programs, the event loop may be so late that commands are refused for a second. */
async function openedInTime(galla: Galla): Promise<string> {
  const id = await opened(galla).catch(() => null);
  if (id !== null) return id;
  await new Promise((resolve) => setTimeout(resolve, overloadedRetryMs));
  return opened(galla);
}

async function ofActors(folder: string): Promise<Grown> {
  const galla = await started(folder);
  // the code paths and the store's caches are there before the first measured actor
  await openedMany(galla, 2 * atOnce);
  const before = await settled();
  await openedMany(galla, actors);
  const after = await settled();
  await galla.stop();
  return grown(before, after);
}

async function ofResting(folder: string): Promise<Rested> {
  const galla = await started(folder);
  await openedMany(galla, warm);
  await atRest(galla);
  const before = await settled(restMs);
  const ids = await openedMany(galla, resting);
  await atRest(galla);
  const after = await settled(restMs);
  const some = ids.filter((_id, at) => at % Math.floor(resting / reads) === 0);
  const wakingUs = await readUs(galla, some);
  const againUs = await readUs(galla, some);
  for (const id of some) {
    const one = galla.node.registry.find('checkout_session', id);
    if (one !== undefined) galla.node.registry.forget(one);
  }
  const storedUs = await readUs(galla, some);
  await galla.stop();
  return { ...grown(before, after), wakingUs, againUs, storedUs };
}

async function atRest({ node }: Galla): Promise<void> {
  const until = performance.now() + restMsMax;
  while ([...node.registry.all()].length > atOnce) {
    if (performance.now() > until) throw new Error('actors do not go to rest');
    await new Promise((resolve) => setTimeout(resolve, settleMs));
  }
}

/** The median read, in microseconds. */
async function readUs({ node }: Galla, ids: readonly string[]): Promise<number> {
  const took: number[] = [];
  for (const id of ids) {
    const from = performance.now();
    const found = await node.client.read(checkoutSessionAt(id), null);
    took.push((performance.now() - from) * 1000);
    if (found === null) throw new Error(`${id} is not found`);
  }
  return median(took);
}

async function ofDocuments(): Promise<Grown> {
  const text = JSON.stringify({
    status: 'pending',
    order: {
      amount: 125_050,
      currency: 'NPR',
      description: 'Order 1001',
      returnUrl: 'https://shop.example/return',
    },
    expiresAt: 1_795_166_200_000,
    payments: [],
    sequence: 1,
    createdAt: 1_795_166_200_000,
    updatedAt: 1_795_166_200_000,
  });
  const before = await settled();
  const documents = new Map<string, unknown>();
  for (let made = 0; made < actors; made++)
    documents.set(`cs_${String(made).padStart(24, '0')}`, JSON.parse(text));
  const after = await settled();
  return documents.size === actors ? grown(before, after) : grown(after, after);
}

function grown(before: Grown, after: Grown): Grown {
  return { rss: after.rss - before.rss, heap: after.heap - before.heap };
}

async function settled(afterMs = settleMs): Promise<Grown> {
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  globalThis.gc?.();
  globalThis.gc?.();
  return { rss: rssBytes(process.pid), heap: process.memoryUsage().heapUsed };
}
