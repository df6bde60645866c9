/** A broken promise of our own code: never caused by input, always a bug. */
export class BrokenInvariant extends Error {
  override readonly name = 'BrokenInvariant';
}

/** Throws BrokenInvariant when `held` is false. For what must be true, never for input. */
export function assert(held: boolean, promise: string): asserts held {
  if (!held) throw new BrokenInvariant(promise);
}

/** Closes a switch: does not compile while a case is missing, throws if an untyped value gets here. */
export function never(value: never): never {
  throw new BrokenInvariant(`unexpected case: ${JSON.stringify(value)}`);
}
