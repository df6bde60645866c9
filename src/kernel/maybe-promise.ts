/** Values that are there at once or later. A promise costs a turn of the microtask queue and several allocations, and
 *  what memory holds needs none. */
export type MaybePromise<T> = T | Promise<T>;

/** What is made of the value: at once where it is there, else later. What `make` throws at once is thrown. */
export const whenThere = <T, Made>(value: MaybePromise<T>, make: (value: T) => Made): MaybePromise<Made> =>
  value instanceof Promise ? value.then(make) : make(value);
