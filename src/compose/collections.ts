/** The collections of the store, with the indexes each kind requires. */
import { requestLogKind } from '../../gateways/requests/blocks.ts';
import { cast, rowKinds } from '../../actors/cast.ts';
import { clusterFactKind } from '../runtime/cluster/cluster-fact.ts';
import type { Collection } from '../store/store.ts';

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
