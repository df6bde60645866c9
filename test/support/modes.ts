/** One test in both modes: against a service of one node, and against a cluster of three.
 *  1. The test does not know which of the two it runs against.
 *  2. Without servers the cluster's part is skipped, loudly. */
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { clusterMsMax, missingCluster, startCluster } from './cluster.ts';
import { startGalla, type House } from './galla.ts';

export type Mode = 'embedded' | 'cluster';

const nodes = 3;
const startMsMax = 20_000;
/** Three nodes and two servers share what one process has elsewhere; a clock walks over the network. */
const storyMsMax = 90_000;

/** One service per mode and file, there while the stories run; `env` overrides settings of every node. */
export function describeModes(
  suite: string,
  stories: (house: () => House, mode: Mode) => void,
  env: { readonly [name: string]: string } = {},
): void {
  const run = (mode: Mode, open: () => Promise<House>, msMax: number): void => {
    let house: House | null = null;
    beforeAll(async () => void (house = await open()), msMax);
    afterAll(() => house?.stop(), msMax);
    afterEach(({ task }) => {
      if (task.result?.state === 'fail' && house !== null) process.stdout.write(house.output());
    });
    stories(() => {
      if (house === null) throw new Error('the service is not there yet');
      return house;
    }, mode);
  };
  describe('embedded', () => run('embedded', () => startGalla(env), startMsMax));
  describe.skipIf(missingCluster(`${suite}, in a cluster`))(
    `a cluster of ${nodes} nodes`,
    { timeout: storyMsMax },
    () => run('cluster', () => startCluster({ nodes, env }), clusterMsMax),
  );
}
