/** The eras of a service (src/runtime/model/era.ts): a fact for each, which stays as it was written.
 *  1. A node reads them once, at its start. They are written while no node runs: with a restore. */
import { assert } from '../../kernel/assert.ts';
import type { EraBegun, Eras } from '../model/era.ts';
import { erasMax } from '../model/era.ts';
import { ClusterFact, type ClusterFactParts } from './cluster-fact.ts';

const factOf = (era: number, parts: ClusterFactParts): ClusterFact => new ClusterFact(`era ${era}`, parts);

/** Those that have begun, the oldest first. Rejects when the store does not answer. */
export async function erasIn(parts: ClusterFactParts): Promise<Eras> {
  const eras: EraBegun[] = [];
  while (eras.length < erasMax) {
    const known = await factOf(eras.length + 1, parts).look();
    if (known === null) break;
    // `beginEra` wrote it
    eras.push(known.body as unknown as EraBegun);
  }
  return eras;
}

export interface NewEra extends Pick<EraBegun, 'backupAt' | 'highest'> {
  /** null: the one after the last that the store knows. */
  readonly era: number | null;
}

/** No era with this number can begin. */
export class EraRefused extends Error {
  override readonly name = 'EraRefused';
}

/** Begins it, and with it all before that have not begun here. Rejects with EraRefused, or when the store does not
 *  answer; then it may be repeated with the same number. */
export async function beginEra(
  parts: ClusterFactParts,
  { era, backupAt, highest }: NewEra,
): Promise<EraBegun> {
  const before = await erasIn(parts);
  const wanted = era ?? before.length + 1;
  if (wanted <= before.length)
    throw new EraRefused(
      `era ${wanted} has begun already: name a higher one than the service has been in, at least ${before.length + 1}`,
    );
  if (wanted > erasMax) throw new EraRefused(`a service has ${erasMax} eras at most: name a lower one`);
  const restoredAt = parts.scheduler.now();
  let begun: EraBegun | null = null;
  for (let next = before.length + 1; next <= wanted; next++) {
    begun = { era: next, backupAt, restoredAt, highest };
    await factOf(next, parts).establish({ id: `era ${next}`, ...begun });
  }
  assert(begun !== null, 'an era has begun');
  return begun;
}
