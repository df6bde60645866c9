/** How much `bench -- paid` does. The environment names less, for a quick look. */

const number = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

const numbers = (name: string, otherwise: string): readonly number[] =>
  (process.env[name] ?? otherwise)
    .split(',')
    .filter((text) => text !== '')
    .map(Number);

export const lanes = numbers('BENCH_LANES', '1,8,32,64');
export const rounds = number('BENCH_ROUNDS', 3);
export const seconds = number('BENCH_SECONDS', 8);
/** A committed event is cleared from its session's outbox some seconds later. */
export const restMs = 6000;
export const rivalRestMs = 1000;
/** Checkouts of one service after which its memory is read. */
export const memoryAfter: readonly number[] = numbers('BENCH_MEMORY', '2000,20000');
