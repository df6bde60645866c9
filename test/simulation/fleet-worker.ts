/** One worker of a fleet (fleet.ts): runs the seeds it is given and says what came of each. It ends with its parent. */
import type { Break } from './breaks.ts';
import { simulate, type Run } from './simulation.ts';

/** Seeds to run, one after the other. */
export interface Stint {
  readonly first: number;
  readonly count: number;
  readonly broken: Break | null;
}

export type FromWorker = { readonly is: 'ready' } | { readonly is: 'run'; readonly run: Run };

const say = (message: FromWorker): void => void process.send?.(message);

async function work({ first, count, broken }: Stint): Promise<void> {
  for (let seed = first; seed < first + count; seed++) {
    say({ is: 'run', run: await simulate({ seed, broken }) });
  }
}

process.on('message', (stint: Stint) => void work(stint));
// Ctrl-C is for the parent, who ends its workers
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit());
say({ is: 'ready' });
