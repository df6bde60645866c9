/** For the fault tests: a process kills itself when it passes a named point for the n-th time. */

/** `name` as in GALLA_FAILPOINT, `after` as in GALLA_FAILPOINT_AFTER: `after_commit` of any actor,
 *  `after_commit/subscription` of those of one kind. */
export function dieAt(name: string, after: string | undefined): (passed: string, kind?: string) => void {
  let left = Number(after ?? 1);
  return (passed, kind) => {
    if ((passed === name || `${passed}/${kind}` === name) && --left === 0)
      process.kill(process.pid, 'SIGKILL');
  };
}
