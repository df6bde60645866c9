/** What a node of its own is handed where a cluster's would get its partitions and its bus. */
import { createLoneBus } from '../../src/bus/bus-lone.ts';
import type { NodeOptions } from '../../src/runtime/node-options.ts';
import { OwnsEverything } from '../../src/runtime/ownership.ts';

/** `incarnation`: random per process start, `n:` + text. */
export const embedded = (incarnation: string): Pick<NodeOptions, 'ownership' | 'bus' | 'publish'> => ({
  ownership: new OwnsEverything(incarnation),
  bus: createLoneBus(),
  publish: null,
});
