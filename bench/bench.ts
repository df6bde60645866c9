/** `npm run bench [-- name ...]`: every bench, its arms side by side in one run, printed and written to
 *  docs/bench.md. */
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { asking } from './asking.ts';
import { creating } from './creating.ts';
import { living } from './living.ts';
import { reading } from './reading.ts';
import { machine, Room, table, type Bench, type Row } from './support.ts';

const benches: { readonly [name: string]: Bench } = { reading, creating, asking, living };

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  process.stderr.write(
    `no such bench: ${unknown.join(', ')}; there are: ${Object.keys(benches).join(', ')}\n`,
  );
  process.exit(2);
}

const said: string[] = [];
const say = (text: string): void => {
  said.push(text);
  process.stdout.write(`${text}\n`);
};

say(`Measured ${new Date().toISOString().slice(0, 10)} on ${machine()}.`);
say(`Other work on it: load average ${loadavg()[0]?.toFixed(1) ?? '?'} before the first run.\n`);
for (const [name, bench] of Object.entries(benches)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  say(`## ${bench.title}\n`);
  say(`${table(await measured(bench))}\n`);
  say(`Setup: ${bench.setup}.\n\nBound: ${bench.bound}.\n`);
}

// a part of the table would read as all of it
if (wanted.length === 0)
  writeFileSync(fileURLToPath(new URL('../docs/bench.md', import.meta.url)), page(said.join('\n')));

/** The service's own waits do not hold a process, so a bench that runs it inside holds it itself. */
async function measured(bench: Bench): Promise<readonly Row[]> {
  const room = new Room();
  const alive = setInterval(() => undefined, 1000);
  try {
    return await bench.run(room);
  } finally {
    clearInterval(alive);
    await room.close();
  }
}

function page(text: string): string {
  return `# Benchmarks

Made by \`npm run bench\`. Each table compares arms that took turns in one run on one machine. Absolute figures say
little about another machine, the ratios say more: "Ours / arm" is our value divided by the arm's; above 1 we do more
(or, for memory, need more). CPU is that of the serving process, all its threads, user and system, per operation; "By
CPU" is the arm's divided by ours, and is the steadier of the two where the machine is shared.

${text}`;
}
