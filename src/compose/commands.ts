/** Commands of other programs, where there is NATS. */
import { Commands } from '../../gateways/commands/commands.ts';
import { RefusedCommands } from '../../gateways/commands/refused-commands.ts';
import type { ApiParts } from '../../gateways/http/api-parts.ts';
import { askedOfStore } from '../../gateways/http/route/reading.ts';
import { routesOf } from '../../gateways/http/routes.ts';
import { minutes, realScheduler, type DurationMs, type Instant, type Scheduler } from '../kernel/time.ts';
import type { Node } from '../runtime/node/node.ts';
import type { Directory } from '../store/directory.ts';
import type { Carriers } from './carriers.ts';
import type { Closing } from './closing.ts';

interface Parts {
  readonly parts: ApiParts;
  readonly node: Node;
}

/** Receives them until the service closes. */
export function receiveCommands(
  { commands, cluster }: Pick<Carriers, 'commands' | 'cluster'>,
  { parts, node: { committer } }: Parts,
  closing: Closing,
): void {
  if (commands === null || cluster === null) return;
  const refusals = new RefusedCommands({ ...parts, committer });
  const storeNow = storeClock(cluster.directory, realScheduler);
  const stop = new Commands({ ...parts, refusals, storeNow }, routesOf(parts)).from(commands);
  closing.later(async () => stop());
}

/** How long one reading of the store's clock is counted on. */
const readingMsMax: DurationMs = minutes(1);

/** The store's clock: read once a minute at most, and counted on by a clock that never jumps. A reading is late by its
 *  way back at most. */
function storeClock(
  directory: Pick<Directory, 'time'>,
  scheduler: Pick<Scheduler, 'steady'>,
): () => Promise<Instant> {
  let reading: { readonly there: Instant; readonly steady: DurationMs } | null = null;
  return async () => {
    if (reading === null || scheduler.steady() - reading.steady > readingMsMax)
      reading = { there: await askedOfStore(directory.time()), steady: scheduler.steady() };
    return reading.there + scheduler.steady() - reading.steady;
  };
}
