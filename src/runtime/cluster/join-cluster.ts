/** The checks a node must pass before it joins a cluster, and the ownership it starts with. Each failed
 *  check stops the start with one line that says how to fix it. */
import type { Scheduler } from '../../kernel/time.ts';
import type { Bus } from '../../bus/bus.ts';
import type { Directory } from '../../store/directory.ts';
import type { AnyActor } from '../model/actor.ts';
import { formats } from '../model/formats.ts';
import { clockSkewMs, clockSkewMsMax } from './clock-check.ts';
import { partitionsOfCluster } from './ownership.ts';
import { Partitions } from './partitions.ts';
import type { RuntimeLog } from '../model/runtime-log.ts';

export interface JoinOptions {
  readonly directory: Directory;
  readonly bus: Bus;
  readonly scheduler: Scheduler;
  readonly log: RuntimeLog;
  readonly actors: readonly AnyActor[];
  /** Whether this node hosts actors; without, it only runs gateways. */
  readonly hostsActors: boolean;
  /** For people: host and process. */
  readonly name: string;
  readonly version: string;
  /** BASE_URL; null: it is not set. */
  readonly baseUrl: string | null;
  /** A new incarnation. */
  readonly mint: () => string;
  readonly partitions?: number;
}

/** Joining this cluster would be unsafe; the message says what to do. */
export class CannotJoin extends Error {
  override readonly name = 'CannotJoin';
}

/** Checks clock and layout, and returns the ownership a node starts with. Rejects with CannotJoin, or when
 *  the directory does not answer. */
export async function joinCluster(options: JoinOptions): Promise<Partitions> {
  const { directory, scheduler, partitions = partitionsOfCluster } = options;
  await checkClock(directory, scheduler);
  const agreed = await directory.agreeOnPartitions(partitions);
  if (agreed !== partitions)
    throw new CannotJoin(
      `this cluster was created with ${agreed} partitions and this version has ${partitions}: ` +
        'start the version that created it',
    );
  const { bus, log, actors, hostsActors, name, version, baseUrl, mint } = options;
  const schemas = { ...formats, ...Object.fromEntries(actors.map(({ kind, schema }) => [kind, schema])) };
  return new Partitions({
    directory,
    bus,
    log,
    count: partitions,
    schemas,
    membership: {
      scheduler,
      mint,
      info: (state) => ({ name, version, baseUrl, actors: hostsActors, ...state }),
    },
  });
}

async function checkClock(directory: Directory, scheduler: Scheduler): Promise<void> {
  const apart = await clockSkewMs(directory, scheduler);
  if (apart <= clockSkewMsMax) return;
  const [far, allowed] = [Math.round(apart / 1000), clockSkewMsMax / 1000];
  throw new CannotJoin(
    `this machine's clock and the database's are ${far} s apart (at most ${allowed} s): set the clock, e.g. by NTP`,
  );
}
