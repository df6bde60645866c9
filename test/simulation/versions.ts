/** Which version of the service each process of a run is. In some clusters two live side by side until all is healed:
 *  each process that starts is of one or the other, forward and back.
 *  Boundary: draws from a chance of its own, so that a run without it is the same as ever. */
import { parts } from './parts.ts';
import type { Parts } from './process.ts';
import { chanceOf } from './random.ts';
import { tally } from './tally.ts';
import { nextTally } from './tally-next.ts';
import type { World } from './world.ts';

export const nextParts: Parts = {
  ...parts,
  actors: parts.actors.map((actor) => (actor.kind === tally.kind ? nextTally : actor)),
};

/** One cluster in five. */
const isMixed = (seed: number): boolean => seed % 10 === 3;

export class Versions {
  /** Two versions live side by side. */
  readonly mixed: boolean;
  private readonly chance: () => number;
  private readonly older = new Set<string>();
  private over = false;

  constructor(seed: number, clustered: boolean) {
    this.chance = chanceOf(seed, 'versions');
    this.mixed = clustered && isMixed(seed);
  }

  readonly partsOf = (boot: number): Parts => {
    if (!this.mixed) return parts;
    if (this.over || this.chance() < 0.5) return nextParts;
    this.older.add(`n:${boot}`);
    return parts;
  };

  /** Was on its way when everybody else gave way. */
  readonly outdated = (name: string): boolean => this.over && this.older.has(name);

  /** Whoever is of the older version gives way to the newer one. */
  upgrade(world: World): void {
    this.over = true;
    for (const process of world.processes.slice())
      if (this.older.has(process.incarnation)) world.kill(0, process);
  }
}
