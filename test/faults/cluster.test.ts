/** A short selection of the faults on real processes; `npm run faults -- --cluster` has them all. */
import { expect, test } from 'vitest';
import { missingClusterToHurt } from '../support/cluster.ts';
import { clusterFaults } from './cluster-faults.ts';
import { runCluster } from './cluster-run.ts';
import { Proxy } from './proxy.ts';
import { connect, createServer, type AddressInfo } from 'node:net';

/** Ninety seconds on a quiet machine; a run that is cut short would leave its processes behind. */
const runMsMax = 900_000;

test.skipIf(missingClusterToHurt('faults of a cluster'))(
  'row 108: nodes and servers die, stand still and are cut off, and nothing is lost and nothing happens twice',
  async () => {
    const report = await runCluster({
      seed: 108,
      faults: 'short',
      long: false,
      buyers: 6,
      historyFile: null,
      say: (text) => void process.stdout.write(`  ${text}\n`),
    });
    expect(report.problems).toEqual([]);
    expect(report).toMatchObject({ lost: 0, outwardDuplicates: 0 });
    expect(report.accepted).toBeGreaterThan(20);
    expect(report.faults.map(({ id }) => id).toSorted()).toEqual(
      clusterFaults.flatMap(({ id, short }) => (short === true ? [id] : [])).toSorted(),
    );
  },
  runMsMax,
);

test('a broken connection loses messages in one direction, and recovers', async () => {
  const echo = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  const proxy = await Proxy.open(`tcp://127.0.0.1:${(echo.address() as AddressInfo).port}`);
  const asked = (): Promise<string> =>
    new Promise((resolve) => {
      const { hostname, port } = new URL(proxy.through('tcp://127.0.0.1:1'));
      const socket = connect(Number(port), hostname, () => socket.write('hello'));
      const end = (said: string) => (): void => {
        socket.destroy();
        resolve(said);
      };
      socket.setTimeout(300, end('silence'));
      socket.once('data', (chunk: Buffer) => end(chunk.toString())());
      socket.once('close', end('closed'));
      socket.once('error', end('closed'));
    });
  try {
    expect(await asked()).toBe('hello');
    proxy.hurt('in');
    expect(await asked()).toBe('silence');
    proxy.hurt('out');
    expect(await asked()).toBe('silence');
    proxy.hurt('cut');
    expect(await asked()).toBe('closed');
    proxy.heal();
    expect(await asked()).toBe('hello');
    proxy.falsify((answer) => Buffer.from(answer.toString().toUpperCase()));
    expect(await asked()).toBe('HELLO');
  } finally {
    await proxy.close();
    await new Promise((resolve) => echo.close(resolve));
  }
});
