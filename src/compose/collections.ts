/** What the store keeps, with the indexes each kind asks for. */
import { cast, rowKinds } from '../../actors/cast.ts';
import type { Collection } from '../store/store.ts';

export const collections = (): readonly Collection[] => [
  ...cast.map(({ kind, indexes = [] }): Collection => ({ kind, of: 'doc', indexes })),
  ...rowKinds.map(({ kind, indexes }): Collection => ({ kind, of: 'row', indexes })),
];
