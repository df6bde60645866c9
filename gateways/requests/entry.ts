/** An entry of the log of requests as it is found. */
import type { Instant } from '../../src/kernel/time.ts';

export interface Entry {
  readonly id: string;
  readonly at: Instant;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly keyId: string;
  readonly tookMs: number;
  /** Of the error it was answered with. */
  readonly code: string | null;
}

/** A path with its values, which are separated by spaces, in place of `{name}`. */
export function filled(path: string, values: string): string {
  const each = values.split(' ');
  let next = 0;
  return path.replace(/\{\w+\}/g, () => each[next++] ?? '');
}
