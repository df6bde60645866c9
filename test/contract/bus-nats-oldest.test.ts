/** The bus of a cluster keeps its contract on the oldest nats-server that it accepts: 2.9, which is Debian 12's. */
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { openNatsBus } from '../../src/bus/bus-nats.ts';
import { startNats } from '../support/servers.ts';
import { busContract } from './bus.contract.ts';

/** Where Debian installs it; a newer one may be first on PATH. */
const binary = process.env['NATS_SERVER_2_9'] ?? '/usr/sbin/nats-server';

const version = ((): string => {
  try {
    return execFileSync(binary, ['--version'], { encoding: 'utf8' });
  } catch {
    return 'none';
  }
})();
const isThere = /v2\.9\./.test(version);
if (!isThere)
  process.stdout.write(
    `\nSKIPPED: the contract of the bus on nats-server 2.9: NO SUCH ${binary} (Debian 12: apt-get install nats-server)\n`,
  );

describe.skipIf(!isThere)('on nats-server 2.9', () => {
  const lines: string[] = [];
  const log = { warn: (_fields: object, line: string) => void lines.push(line), error: () => undefined };

  busContract('NATS 2.9', async () => {
    const server = await startNats({ binary });
    return {
      connect: (name) => openNatsBus({ url: server.url, name, partitions: 256, log }),
      close: () => server.stop(),
    };
  });

  test('a node warns that this one cannot sync each write', () => {
    expect(lines).toContain(
      'this NATS cannot sync each write to its disk: use nats-server 2.10 or newer, with sync_interval: always',
    );
  });
});
