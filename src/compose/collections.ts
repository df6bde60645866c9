/** What the store keeps, derived from the descriptors of the kinds: its collections with their indexes, and what is
 *  removed when. */
import { requestLogKind, requestsKeptMs } from '../../gateways/requests/blocks.ts';
import { cast, rowKinds, every } from '../../actors/cast.ts';
import { clusterFactKind } from '../runtime/cluster/cluster-fact.ts';
import type { Collection } from '../store/store.ts';
import type { RowCollection } from '../../actors/kind.ts';
import { hours } from '../kernel/time.ts';
import type { PurgeRule } from '../runtime/node/purger.ts';

export const collections = (): readonly Collection[] => [
  ...cast.map(({ kind, indexes = [] }): Collection => ({ kind, of: 'doc', indexes })),
  { kind: requestLogKind, of: 'row', indexes: [] },
  { kind: clusterFactKind, of: 'row', indexes: [] },
  ...rowKinds.map(({ kind, indexes, orders = [], listed }): Collection => ({
    kind,
    of: 'row',
    indexes,
    orders,
    ...(listed === undefined ? {} : { listed }),
  })),
];

/** How long the tombstone of a removed actor is kept: longer than a repeated command may come, or a creation
 *  that was sent before its removal. */
const tombstonesKeptMs = hours(26);

/** In this order: deliveries go before the events they carry. */
export const retention: readonly PurgeRule[] = [
  ...every.flatMap(({ actor: { kind }, keptMs }) => (keptMs === undefined ? [] : [{ kind, keptMs }])),
  ...rowKinds.flatMap(rulesOf),
  { kind: requestLogKind, keptMs: requestsKeptMs, realTime: true },
  ...every.map(({ actor: { kind } }): PurgeRule => ({ kind, keptMs: tombstonesKeptMs, gone: true })),
];

function rulesOf({ kind, kept }: RowCollection): readonly PurgeRule[] {
  if (kept === undefined) return [];
  const { ms: keptMs, only, realTime } = kept;
  const rule = { kind, keptMs, ...(realTime === undefined ? {} : { realTime }) };
  return only === undefined
    ? [rule]
    : only.values.map((value) => ({ ...rule, only: { field: only.field, value } }));
}
