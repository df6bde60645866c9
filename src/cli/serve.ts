/** What `npm start` runs: starts the service, prints its address and what to do next, stops it on a signal, and when
 *  `galla move` asks it to. */
import { isCluster } from '../config.ts';
import { BadSettings } from '../compose/settings.ts';
import type { Cancel } from '../kernel/time.ts';
import { start, type Galla } from '../main.ts';
import { banner } from './banner.ts';
import { dieAt } from './failpoint.ts';
import { untilMoveEnds, WaitingDoor, whenMoveAsks } from './hand-over.ts';

if (process.argv.length > 2) {
  process.stderr.write(
    `galla: ${process.argv[2]}: no arguments are accepted; settings are environment variables, for example PORT=9000\n`,
  );
  process.exit(2);
}

const { GALLA_FAILPOINT: failpointName, GALLA_FAILPOINT_AFTER: failpointAfter, ...env } = process.env;
let isLeaving = false;

try {
  let galla = await started(env);
  process.stdout.write(banner(galla, Number(process.versions.node.split('.')[0])));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void leave(galla));
  follow(galla, (again) => (galla = again));
} catch (thrown) {
  fail(thrown);
}

function started(settings: typeof env): Promise<Galla> {
  const failpoint = failpointName === undefined ? {} : { failpoint: dieAt(failpointName, failpointAfter) };
  return start({ env: settings, onFatal, ...failpoint });
}

/** Leaves the folder to a move that asks for it, and serves again, on the same port, when that is taken back. */
function follow(galla: Galla, onAgain: (again: Galla) => void): void {
  if (isCluster(galla.settings)) return;
  const unreadable = (err: unknown): void =>
    galla.log.error({ err }, 'the note of a move in the data folder cannot be read');
  const cancel: Cancel = whenMoveAsks(
    galla.settings.dataDir,
    () => void handOver(galla, onAgain),
    unreadable,
  );
  process.once('exit', cancel);
}

async function handOver(galla: Galla, onAgain: (again: Galla) => void): Promise<void> {
  try {
    const { dataDir, host } = galla.settings;
    const { port } = new URL(galla.url);
    galla.log.warn('a move asks this service to stop: until it ends requests are answered 503');
    const door = new WaitingDoor(host, Number(port));
    await galla.stop();
    const to = await untilMoveEnds(dataDir);
    await door.close();
    if (isLeaving) return;
    if (to !== null) {
      process.stdout.write(`galla: this service has moved to ${to}\n`);
      process.exit(0);
    }
    const again = await started({ ...env, PORT: port });
    again.log.warn('the move was given up: this service serves again');
    onAgain(again);
    follow(again, onAgain);
  } catch (thrown) {
    fail(thrown);
  }
}

/** The disk failed: acknowledged writes are safe; the outcome of writes in doubt must not be reported. */
function onFatal(line: string): void {
  process.stderr.write(`galla: ${line}\n`);
  process.exit(1);
}

async function leave(galla: Galla): Promise<void> {
  isLeaving = true;
  await galla.stop();
  process.exit(0);
}

function fail(thrown: unknown): never {
  for (const line of linesOf(thrown)) process.stderr.write(`galla: ${line}\n`);
  process.exit(1);
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
