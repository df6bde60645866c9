/** What a run of all tests leaves for a second attempt of the files that failed: `GALLA_TESTS_AGAIN=1 npm test`. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const recordedAt = 'node_modules/.cache/galla/first-attempt.json';
/** More files than this are no accident of a busy machine: there is no second attempt. */
export const failedFilesMax = 5;

export interface FirstAttempt {
  /** Paths of the files that failed. */
  readonly failed: string[];
  /** Of all other files. */
  readonly passed: number;
  readonly skipped: number;
}

/** Null: this is not a second attempt.
 *  @throws Error when there is nothing that a second attempt could run. */
export function firstAttempt(file = recordedAt): FirstAttempt | null {
  if (process.env['GALLA_TESTS_AGAIN'] !== '1') return null;
  if (!existsSync(file))
    throw new Error(`no second attempt: the first left no list of 1 to ${failedFilesMax} failed files`);
  // written by `leave`
  return JSON.parse(readFileSync(file, 'utf8')) as FirstAttempt;
}

/** Replaces what an earlier run has left. */
export function leave(attempt: FirstAttempt, file = recordedAt): void {
  rmSync(file, { force: true });
  if (attempt.failed.length === 0 || attempt.failed.length > failedFilesMax) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(attempt));
}
