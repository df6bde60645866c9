/** What `npm start` and `galla start` run: starts the service, prints its address and what to do next, stops it on a
 *  signal, and when `galla move` asks it to. */
import { isCluster } from '../config.ts';
import { BadSettings } from '../compose/settings.ts';
import { start, type Galla } from '../main.ts';
import { banner } from './banner.ts';
import { dieAt } from './failpoint.ts';
import { untilMoveEnds, WaitingDoor, whenMoveAsks } from './hand-over.ts';

const { GALLA_FAILPOINT: failpointName, GALLA_FAILPOINT_AFTER: failpointAfter, ...env } = process.env;

/** The service, and the one that follows it where a move was given up. */
class Serving {
  #galla: Galla;
  #isLeaving = false;

  constructor(galla: Galla) {
    this.#galla = galla;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void this.#leave());
    this.#follow();
  }

  async #leave(): Promise<void> {
    this.#isLeaving = true;
    await this.#galla.stop();
    process.exit(0);
  }

  /** Leaves the folder to a move that asks for it, and serves again, on the same port, when that is taken back. */
  #follow(): void {
    const { settings, log } = this.#galla;
    if (isCluster(settings)) return;
    const unreadable = (err: unknown): void =>
      log.error({ err }, 'the note of a move in the data folder cannot be read');
    whenMoveAsks(settings.dataDir, () => void this.#handOver().catch(fail), unreadable);
  }

  async #handOver(): Promise<void> {
    const { settings, url, log } = this.#galla;
    const { port } = new URL(url);
    log.warn('a move asks this service to stop: until it ends requests are answered 503');
    const door = new WaitingDoor(settings.host, Number(port));
    await this.#galla.stop();
    const to = await untilMoveEnds(settings.dataDir);
    await door.close();
    if (this.#isLeaving) return;
    if (to !== null) {
      process.stdout.write(`galla: this service has moved to ${to}\n`);
      process.exit(0);
    }
    this.#galla = await started({ ...env, PORT: port });
    this.#galla.log.warn('the move was given up: this service serves again');
    this.#follow();
  }
}

/** Resolves once the service serves; ends the process when it cannot, and when it has stopped. */
export async function serve(): Promise<void> {
  try {
    const galla = await started(env);
    process.stdout.write(banner(galla, Number(process.versions.node.split('.')[0])));
    new Serving(galla);
  } catch (thrown) {
    fail(thrown);
  }
}

function started(settings: typeof env): Promise<Galla> {
  const failpoint = failpointName === undefined ? {} : { failpoint: dieAt(failpointName, failpointAfter) };
  return start({ env: settings, onFatal, ...failpoint });
}

/** The disk failed: acknowledged writes are safe; the outcome of writes in doubt must not be reported. */
function onFatal(line: string): void {
  process.stderr.write(`galla: ${line}\n`);
  process.exit(1);
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
