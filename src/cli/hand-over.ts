/** The service's part of `galla move`: it stops when the command asks it to, answers 503 while the command writes what
 *  is left, and ends when its folder is sealed, or serves again.
 *  1. Who can write into the data folder can ask; there is no door for it.
 *  2. It serves again only with the folder's lock, so never beside a command that still writes. */
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { errorBody, errors } from '../errors.ts';
import { mintId } from '../kernel/id.ts';
import { minutes, seconds, type DurationMs } from '../kernel/time.ts';
import { moveLockName, moveNoteIn, type MoveNote } from '../store/move-note.ts';
import { lockFile, lockName } from '../store/sqlite-lock.ts';

const lookEveryMs: DurationMs = 200;
const waitEveryMs: DurationMs = 50;
/** The port is closed within this time after the service was told to stop. */
const portMsMax: DurationMs = seconds(20);
/** A command holds the lock for a minute at most, and dies with it otherwise. */
const heldMsMax: DurationMs = minutes(3);

/** A command that was killed asks for nothing. */
const asksToStop = (dataDir: string, note: MoveNote | null): boolean =>
  note?.state === 'stop' && !isFree(dataDir, moveLockName);

/** Calls `stop` once when a move asks for it. A note that cannot be read asks for nothing, and is told of once. */
export function whenMoveAsks(
  dataDir: string,
  stop: () => void,
  onUnreadable: (thrown: unknown) => void,
): void {
  let isTold = false;
  const timer = setInterval(() => {
    try {
      if (!asksToStop(dataDir, moveNoteIn(dataDir))) return;
      clearInterval(timer);
      stop();
    } catch (thrown) {
      if (!isTold) onUnreadable(thrown);
      isTold = true;
    }
  }, lookEveryMs);
  timer.unref();
}

/** Resolves when the command has sealed the folder, with where the service is now; or with null when it has taken its
 *  request back, or has ended without a word. Rejects when it holds the folder for too long. */
export async function untilMoveEnds(dataDir: string): Promise<string | null> {
  const givenUpAt = Date.now() + heldMsMax;
  while (Date.now() < givenUpAt) {
    const note = moveNoteIn(dataDir);
    if (note?.state === 'moved') return note.to;
    if (!asksToStop(dataDir, note) && isFree(dataDir, lockName)) return null;
    await pause(waitEveryMs);
  }
  throw new Error(
    `${dataDir} is held by a move that does not end: end that process, then start the service again`,
  );
}

function isFree(dataDir: string, name: string): boolean {
  const lock = lockFile(join(dataDir, name));
  lock?.close();
  return lock !== null;
}

/** Like any other 503 of the API. */
const refusedHeaders = {
  'Content-Type': 'application/json; charset=utf-8',
  'Retry-After': '1',
  Connection: 'close',
} as const;

/** Takes the port over from the listener of the service as soon as that has closed it, and answers 503 on it. */
export class WaitingDoor {
  readonly #opened: Promise<Server | null>;
  #isOver = false;

  constructor(host: string, port: number) {
    this.#opened = this.#open(host, port);
  }

  async close(): Promise<void> {
    this.#isOver = true;
    const server = await this.#opened;
    if (server === null) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }

  async #open(host: string, port: number): Promise<Server | null> {
    const givenUpAt = Date.now() + portMsMax;
    while (!this.#isOver && Date.now() < givenUpAt) {
      const server = await listening(host, port);
      if (server !== null) return server;
      await pause(waitEveryMs);
    }
    return null;
  }
}

/** null: the port is in use. */
function listening(host: string, port: number): Promise<Server | null> {
  const server = createServer((request, response) => {
    const { status } = errors.service_unavailable;
    response.writeHead(status, refusedHeaders);
    response.end(errorBody('service_unavailable', mintId('req')));
    request.resume();
  });
  return new Promise((resolve) => {
    server.once('error', () => resolve(null));
    server.listen(port, host, () => resolve(server));
  });
}
