/** Blocks as version 0.2.0 wrote them; they are kept for 30 days. */
import type { Instant } from '../../src/kernel/time.ts';
import type { Row } from '../../src/store/store.ts';
import { filled, type Entry } from './entry.ts';

interface OlderBody {
  readonly from: Instant;
  /** All of one length. */
  readonly ids: string;
  readonly keys: readonly string[];
  readonly routes: readonly (readonly [method: string, path: string])[];
  /** A line for each entry. */
  readonly paths: string;
  /** Columns of 32 bits, in base64. */
  readonly numbers: string;
  /** A line for each entry. Absent when none has a code. */
  readonly codes?: string;
}

const columns = ['at', 'status', 'took', 'key', 'route'] as const;
const idLength = 24;

export function olderEntriesOf(stored: Row['body']): readonly Entry[] {
  // a row of this kind has this body
  const { from, ids, keys, routes, paths, numbers: packed, codes = '' } = stored as unknown as OlderBody;
  const bytes = new Uint8Array(Buffer.from(packed, 'base64'));
  const numbers = new Int32Array(bytes.buffer);
  const length = numbers.length / columns.length;
  const [lines, refused] = [paths.split('\n'), codes.split('\n')];
  return Array.from({ length }, (_, place): Entry => {
    const [at = 0, status = 0, took = 0, key = 0, route = 0] = columns.map(
      (_name, of) => numbers[of * length + place],
    );
    const [method, path] = routes[route] ?? ['', ''];
    return {
      id: `req_${ids.slice(place * idLength, (place + 1) * idLength)}`,
      at: from + at,
      method,
      path: filled(path, lines[place] ?? ''),
      status,
      keyId: keys[key] ?? '',
      tookMs: took,
      code: refused[place] || null,
    };
  });
}
