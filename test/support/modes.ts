/** One test in both modes: against a service of one node, and against a cluster of three.
 *  1. The test does not know which of the two it runs against.
 *  2. Without servers the cluster's part is skipped, loudly. */
import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest';
import { borrowCluster } from './cluster-of-run.ts';
import { clusterMsMax, missingCluster, startCluster } from './cluster.ts';
import { startGalla, type House } from './galla.ts';

export type Mode = 'embedded' | 'cluster';

const nodes = 3;
const startMsMax = 20_000;
/** The cluster starts beside the first of them. */
const embeddedMsMax = 30_000;
/** Three nodes and two servers share what one process has elsewhere; a clock walks over the network. */
const storyMsMax = 90_000;

type Stories = (house: () => House, mode: Mode) => void;

/** Stories against a service of this file alone, and against the cluster of the run, which other files use at the same
 *  time. */
export const describeModes = (suite: string, stories: Stories): void =>
  inBoth(suite, stories, startGalla, borrowCluster);

/** The same, against a cluster of this file alone: its stories look at the whole service, harm a node or need settings,
 *  which `env` overrides at every node. */
export const describeModesAlone = (
  suite: string,
  stories: Stories,
  env: { readonly [name: string]: string } = {},
): void =>
  inBoth(
    suite,
    stories,
    () => startGalla(env),
    () => startCluster({ nodes, env }),
  );

/** The cluster starts while the embedded stories run: that is mostly waiting. */
function inBoth(
  suite: string,
  stories: Stories,
  openOne: () => Promise<House>,
  openCluster: () => Promise<House>,
): void {
  const name = `a cluster of ${nodes} nodes`;
  let starting: Promise<House> | null = null;
  const cluster = (): Promise<House> => (starting ??= openCluster());
  const run = (mode: Mode, open: () => Promise<House>, msMax: number): void => {
    let house: House | null = null;
    beforeAll(async () => void (house = await open()), msMax);
    afterAll(() => house?.stop(), msMax);
    afterEach(async ({ task }) => {
      if (task.result?.state === 'fail' && house !== null) process.stdout.write(await house.output());
    });
    stories(() => {
      if (house === null) throw new Error('the service is not there yet');
      return house;
    }, mode);
  };
  describe('embedded', { timeout: embeddedMsMax }, () => {
    beforeEach(({ task: { file } }) => {
      const isNext = file.tasks.some((suite) => suite.name === name && suite.mode === 'run');
      // a start that fails is told by the suite of the cluster, which waits for it and stops it
      if (isNext) void cluster().catch(() => undefined);
    });
    run('embedded', openOne, startMsMax);
  });
  describe.skipIf(missingCluster(`${suite}, in a cluster`))(name, { timeout: storyMsMax }, () =>
    run('cluster', cluster, clusterMsMax),
  );
}
