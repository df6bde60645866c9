/** `npm run simulate -- --seed N --seeds M [--jobs J] [--state FILE] [--break NAME] [--trace]`
 *  Runs M seeds from N on, on J cores (all of them by default). The good build must print no failure; a broken one
 *  must be caught. With a state file a run that was ended goes on where it stood. Exit code 1 when a law was broken,
 *  whatever the build; 130 when it was ended. */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { everyBreak, type Break } from './breaks.ts';
import { runFleet } from './fleet.ts';
import { simulate, type Run } from './simulation.ts';
import { Tale, type Told } from './tale.ts';

const failuresMax = 5;
/** So few are not worth the start of a worker. */
const seedsAlone = 4;
const usage = `--seed N --seeds M [--jobs J] [--state FILE] [--break ${everyBreak.join('|')}] [--trace]`;

interface Options {
  readonly first: number;
  readonly count: number;
  readonly broken: Break | null;
  readonly jobs: number;
  readonly state: string | null;
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
  const values = valuesOf(args);
  if (values === null) return null;
  const [first, count, jobs] = [Number(values.seed), Number(values.seeds), Number(values.jobs)];
  const broken = values.break === undefined ? null : everyBreak.find((name) => name === values.break);
  if (broken === undefined || !Number.isSafeInteger(first)) return null;
  if (![count, jobs].every((number) => Number.isSafeInteger(number) && number > 0)) return null;
  return { first, count, broken, jobs, state: values.state ?? null, trace: values.trace };
}

function valuesOf(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        seed: { type: 'string', default: '1' },
        seeds: { type: 'string', default: '200' },
        jobs: { type: 'string', default: String(availableParallelism()) },
        state: { type: 'string' },
        break: { type: 'string' },
        trace: { type: 'boolean', default: false },
      },
    }).values;
  } catch {
    return null;
  }
}

async function main({ first, count, broken, jobs, state, trace }: Options): Promise<number> {
  const tale = Tale.begin({ first, count, broken, failuresMax }, state);
  const rest = tale.rest;
  const stop = new AbortController();
  const end = (): void => stop.abort();
  // for good: whoever starts us may hand on a signal that we got already
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
  const hear = (run: Run): boolean => tell(tale, run) && !stop.signal.aborted;
  if (rest.count > 0) {
    if (trace || rest.count <= seedsAlone) await runAlone({ ...rest, broken, trace }, hear);
    else await runFleet({ ...rest, broken, jobs, stop: stop.signal }, hear);
  }
  tale.save();
  console.log(tale.summary());
  if (stop.signal.aborted && !tale.over) {
    const { first: next, count: left } = tale.rest;
    const broke = broken === null ? '' : ` --break ${broken}`;
    const kept =
      state === null ? `--seed ${next} --seeds ${left}` : `--seed ${first} --seeds ${count} --state ${state}`;
    console.log(`ended before its end; to go on: npm run simulate -- ${kept}${broke}`);
    return 130;
  }
  return tale.failures.length === 0 ? 0 : 1;
}

async function runAlone(
  { first, count, broken, trace }: Pick<Options, 'first' | 'count' | 'broken' | 'trace'>,
  hear: (run: Run) => boolean,
): Promise<void> {
  const traced = trace ? { trace: (line: string) => console.log(line) } : {};
  for (let seed = first; seed < first + count; seed++)
    if (!hear(await simulate({ seed, broken, ...traced }))) return;
}

/** Says what there is to say of one run; false when that is enough. */
function tell(tale: Tale, run: Run): boolean {
  const told: Told = tale.hear(run);
  if (told.progress !== null) console.error(told.progress);
  if (told.failure !== null) console.log(told.failure);
  return !tale.over;
}
