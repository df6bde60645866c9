/** Selects the doors that a node opens, by its roles (GALLA_ROLES).
 *  1. A node that runs only actors opens none to merchants: only the operator's endpoints, and those that
 *     its own simulated calls need. */
import type { Door } from './server/door.ts';

export interface DoorGroups {
  readonly api: readonly Door[];
  /** Event streams, and the endpoint that leads to the sockets. */
  readonly live: readonly Door[];
  readonly buyers: readonly Door[];
  /** Files that the pages refer to. */
  readonly assets: readonly Door[];
  /** Empty when it is off. */
  readonly simulator: readonly Door[];
}

/** Endpoints to inspect a node, whatever its roles. */
const ofEveryNode: ReadonlySet<string> = new Set(['/health', '/live', '/metrics', '/admin/v1/nodes']);

export function doorsOfNode(
  runs: { readonly gateways: boolean },
  { api, live, buyers, assets, simulator }: DoorGroups,
): readonly Door[] {
  if (runs.gateways) return [...api, ...live, ...buyers, ...assets, ...simulator];
  const watched = api.filter(({ path }) => ofEveryNode.has(path));
  // a node reaches the simulator, and its simulated buyers reach our pages, at its own listener
  return simulator.length === 0 ? watched : [...watched, ...buyers, ...simulator];
}
