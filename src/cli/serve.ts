/** What `npm start` and `galla start` run: starts the service, prints its address and what to do next, stops it on a
 *  signal. */
import type { OnFailpoint } from '../compose/node.ts';
import { BadSettings } from '../compose/settings.ts';
import { start, type Galla } from '../main.ts';
import { banner } from './banner.ts';

/** Resolves once the service serves; ends the process when it cannot, and when it has stopped. */
export async function serve(): Promise<void> {
  const { GALLA_FAILPOINT: failpointName, GALLA_FAILPOINT_AFTER: failpointAfter, ...env } = process.env;
  try {
    const galla = await start({
      env,
      onFatal,
      ...(failpointName === undefined ? {} : { failpoint: dieAt(failpointName, failpointAfter) }),
    });
    process.stdout.write(banner(galla, Number(process.versions.node.split('.')[0])));
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void leave(galla));
  } catch (thrown) {
    for (const line of linesOf(thrown)) process.stderr.write(`galla: ${line}\n`);
    process.exit(1);
  }
}

/** The disk failed: acknowledged writes are safe; the outcome of writes in doubt must not be reported. */
function onFatal(line: string): void {
  process.stderr.write(`galla: ${line}\n`);
  process.exit(1);
}

async function leave(galla: Galla): Promise<void> {
  await galla.stop();
  process.exit(0);
}

/** An expected error is printed as one line; any other keeps its stack. */
function linesOf(thrown: unknown): readonly string[] {
  if (thrown instanceof BadSettings) return thrown.problems;
  if (!(thrown instanceof Error)) return [String(thrown)];
  const expected =
    [
      'ListenerUnusable',
      'DataDirInUse',
      'PortUnavailable',
      'BusUnusable',
      'StoreUnusable',
      'CannotJoin',
    ].includes(thrown.name) || thrown.cause !== undefined;
  return [expected ? thrown.message : (thrown.stack ?? thrown.message)];
}

/** For the fault tests: the process kills itself when it passes a named point for the n-th time: `after_commit` of any
 *  actor, `after_commit/subscription` of those of one kind. */
function dieAt(name: string, after: string | undefined): OnFailpoint {
  let left = Number(after ?? 1);
  return (passed, kind) => {
    if ((passed === name || `${passed}/${kind}` === name) && --left === 0)
      process.kill(process.pid, 'SIGKILL');
  };
}
