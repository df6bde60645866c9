/** Everything around the service misbehaves, in a short run; `npm run faults -- --outside` does it at length. */
import { expect, test } from 'vitest';
import { missingCluster } from '../support/cluster.ts';
import { outsideFaults } from './outside-faults.ts';
import { runOutside, type OutsideReport } from './outside-run.ts';

/** Half a minute on a quiet machine; a run that is cut short would leave its process behind. */
const runMsMax = 600_000;
/** It kills the process under the others. */
const herd = 'F27';

async function survived(faults: readonly string[], seed: number): Promise<OutsideReport> {
  const report = await runOutside({
    seed,
    faults,
    long: false,
    atOnce: true,
    buyers: 2,
    say: (text) => void process.stdout.write(`  ${text}\n`),
  });
  expect(report.problems).toEqual([]);
  expect(report).toMatchObject({ lost: 0, outwardDuplicates: 0, paid: report.accepted });
  expect(report.accepted).toBeGreaterThan(0);
  expect(report.faults.map(({ id }) => id).toSorted()).toEqual([...faults].toSorted());
  return report;
}

test.concurrent(
  'row 108: providers hang, lie and repeat, endpoints and readers never finish, clients send a byte a second, all at once: nothing is lost, nothing happens twice',
  async () => {
    await survived(
      outsideFaults.flatMap(({ id }) => (id === herd ? [] : [id])),
      108,
    );
  },
  runMsMax,
);

test.concurrent(
  'row 76: the service dies with five hundred readers, who all reconnect at once: each receives one end',
  async () => {
    await survived([herd], 76);
  },
  runMsMax,
);

test.skipIf(missingCluster('a gateway that stands still'))(
  'row 75: a node that only speaks stands still with streams in its hands and goes on: each hears one end',
  { concurrent: true, timeout: runMsMax },
  async () => {
    await survived(['F5'], 75);
  },
);
