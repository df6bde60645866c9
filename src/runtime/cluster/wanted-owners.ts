/** The wanted assignment of partitions, which every node computes from the same rows. Only nodes
 *  with a bus connection are candidates; when no node has one, all of them are. */
import type { NodeRow } from '../../store/directory.ts';
import { placement, type Candidate } from './rendezvous.ts';

export class WantedOwners {
  private readonly count: number;
  private key = '';
  private owners: readonly (string | null)[] = [];

  /** `count`: partitions of the cluster. */
  constructor(count: number) {
    this.count = count;
  }

  /** The incarnation for each partition, null where no node can own it; computed again only when the nodes
   *  have changed. */
  of(nodes: readonly NodeRow[]): readonly (string | null)[] {
    const able = nodes.filter(({ state, info }) => state === 'live' && info.actors && !info.leaving);
    const onBus = able.filter(({ info }) => info.bus);
    const candidates: Candidate[] = (onBus.length > 0 ? onBus : able).map(({ inc, info }) => ({
      inc,
      refuses: info.refuses,
    }));
    const key = JSON.stringify(candidates);
    if (key !== this.key) [this.key, this.owners] = [key, placement(candidates, this.count)];
    return this.owners;
  }
}
