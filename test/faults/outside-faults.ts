/** Everything that misbehaves around the service, in the order of the table. */
import { endpointFaults } from './endpoint-faults.ts';
import type { OutsideFault } from './outside.ts';
import { providerFaults } from './provider-faults.ts';
import { slowClientFaults } from './slow-clients.ts';
import { streamFaults } from './stream-faults.ts';

export const outsideFaults: readonly OutsideFault[] = [
  ...providerFaults,
  ...endpointFaults,
  ...streamFaults,
  ...slowClientFaults,
];
