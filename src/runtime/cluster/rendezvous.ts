/** Rendezvous hashing: the node with the highest hash of (partition, node) should own the partition. A node
 *  that joins or leaves moves only its own share, and all nodes that see the same members compute the same
 *  assignment without a leader. */

/** A node that could own partitions. */
export interface Candidate {
  readonly inc: string;
  readonly refuses: readonly number[];
}

/** The winner for each of `count` partitions; null where no node can own it. */
export function placement(candidates: readonly Candidate[], count: number): readonly (string | null)[] {
  const refusing = candidates.map(({ refuses }) => new Set(refuses));
  return Array.from({ length: count }, (_, partition) => {
    let best: { readonly inc: string; readonly weight: number } | null = null;
    for (const [at, { inc }] of candidates.entries()) {
      if (refusing[at]?.has(partition) === true) continue;
      const weight = weightOf(inc, partition);
      if (best === null || weight > best.weight || (weight === best.weight && inc > best.inc))
        best = { inc, weight };
    }
    return best?.inc ?? null;
  });
}

/** 32 well mixed bits: FNV-1a over the name, then the finaliser of murmur3 over both. */
function weightOf(inc: string, partition: number): number {
  let bits = 0x811c9dc5;
  for (let at = 0; at < inc.length; at++) bits = Math.imul(bits ^ inc.charCodeAt(at), 0x01000193);
  bits = Math.imul(bits ^ (partition + 1), 0x9e3779b1);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
