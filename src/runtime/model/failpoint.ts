/** Named points of a commit and of an effect: fault tests stop the process there, benchmarks measure time
 *  there. */
export type Failpoint =
  | 'before_commit'
  | 'after_commit'
  | 'before_result'
  /** An effect that may run only once is claimed, and not called yet. */
  | 'before_once_call'
  /** It was called, and its result is not recorded yet. */
  | 'before_once_result';

/** Resolves at once in production. */
export type AtFailpoint = (name: Failpoint, kind: string, id: string) => Promise<void>;
