/** `npm run simulate -- --seed N --seeds M [--break replyBeforeCommit|noVersionFilter|noOutbox] [--trace]`
 *  Runs M seeds from N on. The good build must print no failure; a broken one must be caught. Exit code 1 when
 *  a law was broken, whatever the build. */
import { parseArgs } from 'node:util';
import { assert } from '../../src/kernel/assert.ts';
import { simulate } from './simulation.ts';
import { breaks, type Break } from './world.ts';

const failuresMax = 5;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '200' },
    break: { type: 'string' },
    trace: { type: 'boolean', default: false },
  },
});

const broken = values.break === undefined ? null : breakOf(values.break);
const [first, count] = [Number(values.seed), Number(values.seeds)];
assert(Number.isSafeInteger(first), '--seed is a whole number');
assert(Number.isSafeInteger(count) && count > 0, '--seeds is a whole number above 0');

process.exitCode = await main();

async function main(): Promise<number> {
  const began = performance.now();
  let [ran, failures, events, boots] = [0, 0, 0, 0];
  for (let seed = first; seed < first + count && failures < failuresMax; seed++) {
    const trace = values.trace ? { trace: (line: string): void => console.log(line) } : {};
    const run = await simulate({ seed, broken, ...trace });
    ran += 1;
    events += run.events;
    boots += run.boots;
    if (run.wrong === null) continue;
    failures += 1;
    console.log(`seed ${seed}: ${run.wrong.rule}\n  ${run.wrong.what}`);
    const again = `npm run simulate -- --seed ${seed} --seeds 1${breakFlag()} --trace`;
    console.log(`  again, with all that happened: ${again}`);
    if (broken !== null) break;
  }
  const took = (performance.now() - began) / 1000;
  console.log(
    `${ran} seeds in ${took.toFixed(1)} s (${(ran / took).toFixed(0)} seeds/s, ` +
    `${Math.round(events / took)} events/s, ${boots} process starts), build ${broken ?? 'good'}: ` +
    (failures === 0 ? 'clean' : `${failures} failed`),
  );
  return failures === 0 ? 0 : 1;
}

function breakOf(text: string): Break {
  const known = breaks.find((name) => name === text);
  assert(known !== undefined, `--break is one of ${breaks.join(', ')}`);
  return known;
}

function breakFlag(): string {
  return broken === null ? '' : ` --break ${broken}`;
}
