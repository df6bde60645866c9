/** Memory: what 10,000 live actors cost a process, beside 10,000 plain documents in a map. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { opened } from './asking.ts';
import { rssBytes, type Bench } from './support.ts';
import { start } from '../src/main.ts';
import { onFatal } from '../test/support/alone.ts';

const actors = 10_000;
const atOnce = 100;
const settleMs = 500;

export const living: Bench = {
  title: 'Memory of live actors',
  setup:
    `a separate process opens ${actors.toLocaleString('en')} checkout sessions, which stay in memory. Memory is ` +
    'measured before and after, each time after garbage collection. For comparison: the same number of parsed ' +
    'documents in a map',
  bound:
    'state, view and bookkeeping of an actor. The store runs in the same process, so its caches are included',
  async run(room) {
    const measure = async (what: 'actors' | 'documents'): Promise<Grown> => {
      const args = ['--expose-gc', fileURLToPath(import.meta.url), what, join(room.folder, what)];
      const { stdout } = await promisify(execFile)(process.execPath, args, {
        env: { PATH: process.env['PATH'] ?? '' },
      });
      return JSON.parse(stdout.slice(stdout.lastIndexOf('{'))) as Grown;
    };
    const [ours, limit] = [await measure('actors'), await measure('documents')];
    const kib = (bytes: number): number => bytes / actors / 1024;
    return [
      { what: 'RSS per live actor', arm: 'Galla', value: kib(ours.rss), unit: 'KiB' },
      { what: 'heap per live actor', arm: 'Galla', value: kib(ours.heap), unit: 'KiB' },
      {
        what: 'heap per live actor',
        arm: 'the same data, parsed, in a map',
        value: kib(limit.heap),
        unit: 'KiB',
        ratio: ours.heap / limit.heap,
      },
    ];
  },
};

/** Bytes more than before. */
interface Grown {
  readonly rss: number;
  readonly heap: number;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , what = '', folder = ''] = process.argv;
  // its own waits do not hold a process
  setInterval(() => undefined, 1000);
  process.stdout.write(JSON.stringify(what === 'actors' ? await ofActors(folder) : await ofDocuments()));
  process.exit(0);
}

async function ofActors(folder: string): Promise<Grown> {
  const galla = await start({
    onFatal,
    env: { PORT: '0', GALLA_DATA_DIR: folder, GALLA_RATE_LIMITS: 'off', LOG_LEVEL: 'error' },
  });
  // the code paths and the store's caches are there before the first measured actor
  for (let made = 0; made < 200; made++) await opened(galla);
  const before = await settled();
  for (let made = 0; made < actors; made += atOnce)
    await Promise.all(Array.from({ length: atOnce }, () => opened(galla)));
  const after = await settled();
  await galla.stop();
  return grown(before, after);
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

async function settled(): Promise<Grown> {
  await new Promise((resolve) => setTimeout(resolve, settleMs));
  globalThis.gc?.();
  globalThis.gc?.();
  return { rss: rssBytes(process.pid), heap: process.memoryUsage().heapUsed };
}
