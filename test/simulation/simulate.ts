/** `npm run simulate -- --seed N --seeds M [--break NAME] [--trace]`
 *  Runs M seeds from N on. The good build must print no failure; a broken one must be caught. Exit code 1 when
 *  a law was broken, whatever the build. */
import { parseArgs } from 'node:util';
import { breaks, type Break } from './breaks.ts';
import { simulate } from './simulation.ts';

const failuresMax = 5;
const usage = `--seed N --seeds M [--break ${breaks.join('|')}] [--trace]`;

interface Options {
  readonly first: number;
  readonly count: number;
  readonly broken: Break | null;
  readonly trace: boolean;
}

const options = optionsOf(process.argv.slice(2));
if (options === null) {
  console.error(usage);
  process.exitCode = 2;
} else {
  process.exitCode = await main(options);
}

function optionsOf(args: readonly string[]): Options | null {
  const { values } = parseArgs({
    args: [...args],
    strict: false,
    options: {
      seed: { type: 'string', default: '1' },
      seeds: { type: 'string', default: '200' },
      break: { type: 'string' },
      trace: { type: 'boolean', default: false },
    },
  });
  const [first, count] = [Number(values['seed']), Number(values['seeds'])];
  const broken = values['break'] === undefined ? null : breaks.find((name) => name === values['break']);
  if (!Number.isSafeInteger(first) || !Number.isSafeInteger(count) || count < 1 || broken === undefined)
    return null;
  return { first, count, broken, trace: values['trace'] === true };
}

async function main({ first, count, broken, trace }: Options): Promise<number> {
  const began = performance.now();
  let [ran, failures, events, boots] = [0, 0, 0, 0];
  for (let seed = first; seed < first + count && failures < failuresMax; seed++) {
    const run = await simulate({ seed, broken, ...(trace ? { trace: (line) => console.log(line) } : {}) });
    ran += 1;
    events += run.events;
    boots += run.boots;
    if (run.wrong === null) continue;
    failures += 1;
    console.log(`seed ${seed}: ${run.wrong.rule}\n  ${run.wrong.what}`);
    const again = `npm run simulate -- --seed ${seed} --seeds 1${broken === null ? '' : ` --break ${broken}`} --trace`;
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
