/** A violated invariant of our own code: never caused by input, always a bug. */
export class BrokenInvariant extends Error {
  override readonly name = 'BrokenInvariant';
}

/** Throws BrokenInvariant when `held` is false. For invariants, never for input. */
export function assert(held: boolean, promise: string): asserts held {
  if (!held) throw new BrokenInvariant(promise);
}
