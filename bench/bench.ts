/** `npm run bench [-- name ...]`: benches, the arms of each side by side in one run, printed and written to
 *  docs/bench.md.
 *  1. A bench replaces its own section of the page and no other; the section of a skipped bench is kept.
 *  2. A missing requirement of a bench is reported in one line.
 *  3. All of it is compiled first, as the service ships: what runs TypeScript as it is makes functions slower and larger.
 *  4. Whatever happens, what was started is ended; one that fails takes none of the others with it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { asking } from './asking.ts';
import { backupEmbedded } from './backup.ts';
import { clockEmbedded } from './clock.ts';
import { creating } from './creating.ts';
import { creatingMongo } from './creating-mongo.ts';
import { findingClustered, findingEmbedded } from './finding.ts';
import { keyed } from './keyed.ts';
import { livingAfterCheckouts, livingAtRandom } from './living-many.ts';
import { living } from './living.ts';
import { nodes } from './nodes.ts';
import { paid } from './paid.ts';
import { purgingClustered, purgingEmbedded } from './purging.ts';
import { reading } from './reading.ts';
import { remote } from './remote.ts';
import { renewalsClustered, renewalsEmbedded } from './renewals.ts';
import { statementsEmbedded } from './statements.ts';
import { storedClustered, storedEmbedded } from './stored.ts';
import { streaming } from './streaming.ts';
import { freshClustered, freshEmbedded } from './streaming-fresh.ts';
import { herd } from './streaming-herd.ts';
import { machine, Room, type Bench, type Row } from './support.ts';
import { table } from './table.ts';
import { walked } from './walked.ts';
import { webhooks } from './webhooks.ts';

const benches: { readonly [name: string]: readonly Bench[] } = {
  paid: [paid],
  reading: [reading],
  streaming: [streaming],
  fresh: [freshEmbedded, freshClustered],
  herd: [herd],
  creating: [creating],
  asking: [asking],
  living: [living, livingAtRandom, livingAfterCheckouts],
  walked: [walked],
  remote: [remote],
  mongo: [creatingMongo],
  restate: [keyed],
  nodes: [nodes],
  scale: [storedEmbedded, storedClustered],
  finding: [findingEmbedded, findingClustered],
  webhooks: [webhooks],
  purging: [purgingEmbedded, purgingClustered],
  statements: [statementsEmbedded],
  backup: [backupEmbedded],
  renewals: [renewalsEmbedded, renewalsClustered],
  clock: [clockEmbedded],
};

const head = `# Benchmarks

Made by \`npm run bench\`, each section by itself with \`npm run bench -- <name>\`. Each table compares arms (systems under
test) that took turns in one run on one machine. Absolute figures say little about another machine; the ratios say more.

- "Ours / arm" is our value divided by the value of the arm. Above 1, ours is higher: more throughput, or more memory,
  CPU or waiting time.
- CPU is the CPU time of the serving process per operation: all its threads, user and system.
- "By CPU" is the CPU of the arm divided by ours. On a shared machine it is the steadier of the two ratios.
- "Servers" is the CPU time of the database and the broker per operation.
- "Bound" says what limits the result.
`;

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  process.stderr.write(
    `no such bench: ${unknown.join(', ')}; there are: ${Object.keys(benches).join(', ')}\n`,
  );
  process.exit(2);
}

const pageFile = fileURLToPath(new URL('../../docs/bench.md', import.meta.url));
let open: Room | null = null;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void (open?.close() ?? Promise.resolve()).finally(() => process.exit(130)));

for (const [name, each] of Object.entries(benches)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  for (const bench of each)
    await take(name, bench).catch((thrown: unknown) => {
      process.stdout.write(`\nFAILED: ${name}: ${bench.title}: ${String(thrown)}\n`);
      process.exitCode = 1;
    });
}

async function take(name: string, bench: Bench): Promise<void> {
  const why = bench.missing?.() ?? null;
  if (why !== null) {
    process.stdout.write(`\nSKIPPED: ${name}: ${bench.title}: ${why.toUpperCase()}\n`);
    return;
  }
  const busy = loadavg()[0]?.toFixed(1) ?? '?';
  const rows = await measured(bench);
  const said = [
    `## ${bench.title}\n`,
    `Measured ${new Date().toISOString().slice(0, 10)} on ${machine()}; load average before it: ${busy}.\n`,
    `${table(rows)}\n`,
    `Setup: ${bench.setup}.\n`,
    `Bound: ${bench.bound}.\n`,
  ].join('\n');
  process.stdout.write(`${said}\n`);
  writeFileSync(pageFile, pageWith(bench.title, said));
}

/** The service's own waits do not hold a process, so a bench that runs it inside holds it itself. */
async function measured(bench: Bench): Promise<readonly Row[]> {
  const room = new Room();
  open = room;
  const alive = setInterval(() => undefined, 1000);
  try {
    return await bench.run(room);
  } finally {
    clearInterval(alive);
    open = null;
    await room.close();
  }
}

/** The page as it is, with this section in its place; the order is that of the list above. */
function pageWith(title: string, section: string): string {
  const text = existsSync(pageFile) ? readFileSync(pageFile, 'utf8') : '';
  const parts = text.split(/^(?=## )/m).filter((part) => part.startsWith('## '));
  const known = new Map(parts.map((part) => [titleOf(part), part]));
  known.set(title, section);
  const titles = Object.values(benches).flatMap((each) => each.map((bench) => bench.title));
  const sections = titles.flatMap((each) => known.get(each)?.trimEnd() ?? []);
  return `${head}\n${sections.join('\n\n')}\n`;
}

function titleOf(section: string): string {
  return section.slice('## '.length, section.indexOf('\n'));
}
