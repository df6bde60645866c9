/** Options of a single node, in place of the partitions, the bus and the store breaker of a cluster's node;
 *  it has no meters. */
import { createLoneBus } from '../../src/bus/bus-lone.ts';
import type { NodeOptions } from '../../src/runtime/node/node-options.ts';
import { OwnsEverything } from '../../src/runtime/cluster/ownership.ts';
import { neverOpens } from '../../src/runtime/activation/store-breaker.ts';
import { noMeters } from './no-meters.ts';

/** `incarnation`: random per process start, `n:` + text. */
export const embedded = (
  incarnation: string,
): Pick<NodeOptions, 'ownership' | 'bus' | 'publish' | 'breaker' | 'meters' | 'actorBytesMax'> => ({
  ownership: new OwnsEverything(incarnation),
  bus: createLoneBus(),
  publish: null,
  breaker: neverOpens,
  meters: noMeters,
  actorBytesMax: 64 * 2 ** 20,
});
