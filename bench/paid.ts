/** A whole paid checkout, beside what a good engineer writes in a week on PostgreSQL. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lanes, restMs, rounds, seconds } from './paid-plan.ts';
import type { Bench, Row } from './support.ts';

/** Debian keeps them beside each other, by version, and not on PATH. */
const debian = '/usr/lib/postgresql';
/** A public address inside the namespace: live webhooks go to no other. */
const shopHost = '9.9.9.9';

export const paid: Bench = {
  title: 'A whole paid checkout: created, opened, started, paid, returned, reported',
  setup:
    'live mode. Five requests (POST /v1/checkout, GET of the hosted page, POST of its form, the return from the provider, ' +
    'GET of the session), two calls to the provider, one signed webhook over TLS; a lane is done when its webhook has ' +
    `arrived, then begins anew. ${lanes.join(', ')} lanes, ${rounds} rounds of ${seconds} s in turn after a warm-up, ` +
    'medians. Provider and shop are one process, the driver another; all run in a network namespace in which the shop has ' +
    'a public address. The rival (bench/rivals/paying.ts): fastify, pg and undici from npm, PostgreSQL with its defaults ' +
    `for durability, an outbox table. After each round of ours there are ${restMs / 1000} s for the work that follows ` +
    '(of the rival, one); CPU and bytes of that time count. After it PostgreSQL makes a checkpoint and the kernel writes ' +
    'what it holds back, uncounted, so that no arm pays for the other. CPU: all processes and threads of the arm, the database ' +
    'included. Written: what the arm has sent to the disk, by /proc. After each round both arms are checked: each paid ' +
    'checkout was reported once. "By kind": commits of actors of a kind, and the bytes of their last document, read from the ' +
    'file of the store after all rounds',
  bound:
    'at one lane, commits one after the other: each is a sync of the disk. With 8, what a batch of commits costs whatever ' +
    'is in it: two threads are woken, the disk is synced, a message is read on either side; with a disk that costs ' +
    'nothing (a RAM disk) the rate is the same. With more lanes the batches are larger, and it is the CPU of the event ' +
    'loop (by profile no function of it has more than 6 %; turns of actors have 17 %, sockets to provider and shop 8 %, ' +
    'answers 6 %). Runs on other machines, ours : rival at 1, 8, 32, 64 lanes: 28 November 2026 0.73x, 1.03x, 1.08x, 1.08x ' +
    '(CPU of the rival : ours 0.66x, 1.15x, 1.15x, 1.09x); 29 November 0.65x, 1.12x, 1.42x, 1.46x (0.56x, 1.28x, 1.59x, 1.59x)',
  missing,
  async run(room) {
    const child = spawn(
      'unshare',
      [
        '--net',
        'sh',
        '-c',
        `ip link set lo up && ip addr add ${shopHost}/32 dev lo && exec "$@"`,
        'sh',
        process.execPath,
        fileURLToPath(new URL('./paid-inside.js', import.meta.url)),
      ],
      {
        stdio: 'inherit',
        env: {
          ...process.env,
          FOLDER: room.folder,
          SHOP_HOST: shopHost,
          PG_BIN: postgresBin() ?? '',
          PACKAGES: packages(room.folder),
        },
      },
    );
    room.keep(child);
    const code = await new Promise((resolve) => child.once('close', resolve));
    if (code !== 0) throw new Error(`the run inside the namespace ended with ${String(code)}`);
    return JSON.parse(readFileSync(join(room.folder, 'rows.json'), 'utf8')) as readonly Row[];
  },
};

function missing(): string | null {
  if (postgresBin() === null) return 'no PostgreSQL (Debian: apt-get install postgresql)';
  const allowed = spawnSync('unshare', ['--net', 'ip', 'link', 'set', 'lo', 'up'], { stdio: 'ignore' });
  return allowed.status === 0 ? null : 'no network namespace is allowed here (it takes root, unshare and ip)';
}

/** The folder with PostgreSQL's programs; null when there is none. */
function postgresBin(): string | null {
  const versions = existsSync(debian) ? readdirSync(debian).map((each) => join(debian, each, 'bin')) : [];
  const folders = [...(process.env['PATH'] ?? '').split(':'), ...versions.toReversed()];
  const programs = ['initdb', 'postgres', 'pg_isready'];
  return folders.find((folder) => programs.every((name) => existsSync(join(folder, name)))) ?? null;
}

/** What the rival is written with, fetched for the run. */
function packages(folder: string): string {
  const into = join(folder, 'rival-packages');
  const args = [
    'install',
    '--silent',
    '--no-audit',
    '--no-fund',
    '--prefix',
    into,
    'fastify@5.12.8',
    'pg@8.23.1',
  ];
  execFileSync('npm', args, { stdio: 'inherit' });
  return into;
}
