/** Who owns what in a simulated cluster, as the directory has it. */
import { slotCount } from '../../src/kernel/id.ts';
import { slotOfActor } from '../../src/runtime/model/address.ts';
import { simPartitions, type Process } from './process.ts';
import type { World } from './world.ts';

/** Whether every partition has an owner that lives and serves, and none is on its way. */
export function atHome(world: World): boolean {
  const owned = world.processes.reduce((sum, { node }) => sum + slotsIn(node.slots), 0);
  return owned === slotCount && partitionsOwned(world).every((owner) => owner !== null);
}

const slotsIn = (slots: Process['node']['slots']): number =>
  (slots ?? []).reduce((sum, { from, to }) => sum + to - from, 0);

/** The process that owns each partition as the directory has it; null when none that lives does. */
export const partitionsOwned = (world: World): readonly (Process | null)[] =>
  Array.from({ length: simPartitions }, (_, p) => {
    const { owner } = world.store.directory.owner(p);
    return world.processes.find(({ incarnation }) => owner?.startsWith(`${incarnation}-`)) ?? null;
  });

/** The process that owns an actor. */
export function ownerOf(world: World, actorId: string): Process {
  const owner = partitionsOwned(world)[Math.floor((slotOfActor(actorId) * simPartitions) / slotCount)];
  if (owner === null || owner === undefined) throw new Error(`nobody owns ${actorId}`);
  return owner;
}

/** One that does not own it. */
export function otherThan(world: World, owner: Process): Process {
  const other = world.processes.find((one) => one !== owner);
  if (other === undefined) throw new Error('nobody else is there');
  return other;
}
