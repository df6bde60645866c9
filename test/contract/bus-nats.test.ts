/** The bus of a cluster keeps the contract of the bus on a real nats-server. */
import { describe } from 'vitest';
import { openNatsBus } from '../../src/bus/bus-nats.ts';
import { find, missing } from '../support/server-parts.ts';
import { startNats } from '../support/servers.ts';
import { busContract } from './bus.contract.ts';

const silentLog = { warn: () => undefined, error: () => undefined };

describe.skipIf(missing('nats-server', 'the contract of the bus'))('on nats-server', () => {
  busContract('NATS', async () => {
    const found = find('nats-server');
    const server =
      found.is === 'given' ? { url: found.url, stop: () => Promise.resolve() } : await startNats();
    return {
      connect: (name) => openNatsBus({ url: server.url, name, partitions: 256, log: silentLog }),
      close: () => server.stop(),
    };
  });
});
