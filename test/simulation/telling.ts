/** The commands of tests to tallies, and the tallies' contents. Boundary: one command at a time, through any node. */
import type { Address } from '../../src/runtime/model/address.ts';
import type { AskResult, Identity } from '../../src/runtime/model/envelope.ts';
import type { DurationMs } from '../../src/kernel/time.ts';
import { insist } from './client.ts';
import { tallyAt, type TallyCommands } from './tally.ts';
import { tallyScope } from './tally-work.ts';
import type { World } from './world.ts';

export const keyed = (name: string): Identity => ({ from: `k:${name}`, seq: 1, done: 0 });

/** One command to a tally, once. */
export const tell = <K extends keyof TallyCommands>(
  world: World,
  id: string,
  command: K,
  data: TallyCommands[K],
  more: { identity?: Identity; waitMs?: DurationMs } = {},
): Promise<AskResult> =>
  world.ask(tallyAt(id) as Address, command, data as never, { by: 'merchant', scope: tallyScope, ...more });

/** The same, until the outcome is known. */
export const tellUntilKnown = <K extends keyof TallyCommands>(
  world: World,
  id: string,
  command: K,
  data: TallyCommands[K],
  name: string,
): Promise<AskResult> =>
  insist(world, {
    to: tallyAt(id) as Address,
    command,
    data: data as never,
    by: 'merchant',
    scope: tallyScope,
    identity: keyed(name),
  });

export const opened = async (world: World, ...ids: readonly string[]): Promise<void> => {
  for (const id of ids) await tellUntilKnown(world, id, 'open', {}, `open.${id}`);
};

export const entriesOf = (world: World, id: string): readonly string[] =>
  (world.store.disk.doc('tally', id)?.body?.['entries'] ?? []) as readonly string[];
