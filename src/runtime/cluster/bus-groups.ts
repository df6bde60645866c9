/** Which nodes reach one another over the bus, by what all of them report in the directory. Every node sees the same
 *  rows and comes to the same result, without a leader.
 *  1. A node counts as without bus while others that hear one another do not hear it, or it does not hear them. Of two
 *     groups that do not hear each other the smaller one counts as without.
 *  2. Where no two nodes hear each other, none is singled out: then nothing tells who has lost the bus.
 *  3. A node of an older version sends no beats: it has the bus that it reports. */
import type { NodeRow } from '../../store/directory.ts';

/** The rows with `bus: false` for nodes that the others cannot reach, whatever these report themselves. */
export function withReach(nodes: readonly NodeRow[]): readonly NodeRow[] {
  const off = unreachable(nodes);
  if (off.size === 0) return nodes;
  return nodes.map((row) => (off.has(row.inc) ? { ...row, info: { ...row.info, bus: false } } : row));
}

/** Removes the node with the most pairs that do not hear each other until no such pair is left. */
function unreachable(nodes: readonly NodeRow[]): ReadonlySet<string> {
  const beating = nodes.filter(
    ({ state, info }) => state === 'live' && info.bus && info.unheard !== undefined,
  );
  const left = new Map(beating.map((row) => [row.inc, row]));
  const off = new Set<string>();
  for (;;) {
    let worst: { readonly row: NodeRow; readonly broken: number } | null = null;
    for (const row of left.values()) {
      const broken = [...left.values()].filter((other) => isBroken(row, other)).length;
      if (broken === 0) continue;
      if (worst === null || broken > worst.broken || (broken === worst.broken && yields(row, worst.row)))
        worst = { row, broken };
    }
    if (worst === null) break;
    left.delete(worst.row.inc);
    off.add(worst.row.inc);
  }
  return left.size > 1 ? off : new Set();
}

const isBroken = (a: NodeRow, b: NodeRow): boolean =>
  a.info.unheard?.includes(b.inc) === true || b.info.unheard?.includes(a.inc) === true;

/** Of two that are alike, one without actors counts as without bus first. */
const yields = (one: NodeRow, other: NodeRow): boolean =>
  one.info.actors === other.info.actors ? one.inc > other.inc : !one.info.actors;
