/** Which doors a node opens, by what it runs (GALLA_ROLES).
 *  1. A node of actors alone opens none to merchants: what ops ask of it, and what its own simulated calls go to. */
import type { Door } from './server/door.ts';

export interface DoorGroups {
  readonly api: readonly Door[];
  /** Event streams, and the way to the sockets. */
  readonly live: readonly Door[];
  readonly buyers: readonly Door[];
  /** What pages refer to. */
  readonly assets: readonly Door[];
  /** Empty when it is off. */
  readonly simulator: readonly Door[];
}

/** Where one looks at a node, whatever it runs. */
const ofEveryNode: ReadonlySet<string> = new Set(['/health', '/metrics', '/admin/v1/nodes']);

export function doorsOfNode(
  runs: { readonly gateways: boolean },
  { api, live, buyers, assets, simulator }: DoorGroups,
): readonly Door[] {
  if (runs.gateways) return [...api, ...live, ...buyers, ...assets, ...simulator];
  const watched = api.filter(({ path }) => ofEveryNode.has(path));
  // a node reaches the simulator, and its simulated buyers our pages, at its own listener
  return simulator.length === 0 ? watched : [...watched, ...buyers, ...simulator];
}
