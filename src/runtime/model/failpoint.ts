/** Named points of a commit: fault tests stop the process there, benchmarks measure time there. */
export type Failpoint = 'before_commit' | 'after_commit' | 'before_result';

/** Resolves at once in production. */
export type AtFailpoint = (name: Failpoint, kind: string, id: string) => Promise<void>;
