/** Named instants of a commit: the fault tests stop the process there, a bench looks at its watch. */
export type Failpoint = 'before_commit' | 'after_commit' | 'before_result';

/** Resolves at once in production. */
export type AtFailpoint = (name: Failpoint, kind: string, id: string) => Promise<void>;
