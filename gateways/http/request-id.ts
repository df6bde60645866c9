/** Ids of requests: random bytes are drawn for many at once, because every answer needs one. */
import { randomFillSync } from 'node:crypto';
import { mintId } from '../../src/kernel/id.ts';

const poolBytes = 4096;

/** A source of `req_...` ids. */
export function requestIds(): () => string {
  const pool = new Uint8Array(poolBytes);
  let used = poolBytes;
  const take = (count: number): Uint8Array => {
    if (used + count > poolBytes) {
      randomFillSync(pool);
      used = 0;
    }
    used += count;
    return pool.subarray(used - count, used);
  };
  return () => mintId('req', undefined, take);
}
