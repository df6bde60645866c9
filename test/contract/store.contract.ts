/** What every implementation of the store port must do, written once and run on each of them.
 *  `makeStore` opens an empty store that knows `collections`; the suite closes it. One store serves a whole
 *  group of tests, so each test works in scopes, clocks and ids of its own. */
import { describe } from 'vitest';
import { storeDueContract } from './store-due.contract.ts';
import { storeListContract } from './store-list.contract.ts';
import { storePurgeContract } from './store-purge.contract.ts';
import { storeTaggedContract } from './store-tagged.contract.ts';
import { storeWriteContract } from './store-write.contract.ts';
import type { Collection, Store } from '../../src/store/store.ts';

export type MakeStore = (collections: readonly Collection[]) => Promise<Store>;

export function storeContract(name: string, makeStore: MakeStore): void {
  describe(`store contract: ${name}`, () => {
    storeWriteContract(makeStore);
    storeListContract(makeStore);
    storeDueContract(makeStore);
    storeTaggedContract(makeStore);
    storePurgeContract(makeStore);
  });
}
