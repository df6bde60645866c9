/** Values that are available at once or later. A promise costs a turn of the microtask queue and several
 *  allocations, which a value in memory does not need. */
export type MaybePromise<T> = T | Promise<T>;

/** Applies `make` to the value: synchronously if the value is available, otherwise later. A synchronous
 *  error of `make` is thrown. */
export const whenThere = <T, Made>(value: MaybePromise<T>, make: (value: T) => Made): MaybePromise<Made> =>
  value instanceof Promise ? value.then(make) : make(value);
