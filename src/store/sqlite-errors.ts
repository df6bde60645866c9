/** Why the embedded store refuses or stops; each error is one line an operator can act on.
 *  Boundary: only name and message cross threads, so errors are distinguished by name. */

/** The folder belongs to another running process. */
export class DataDirInUse extends Error {
  override readonly name = 'DataDirInUse';
  constructor(dataDir: string) {
    super(
      `${dataDir} is in use by another running process: stop it, or set GALLA_DATA_DIR to another folder`,
    );
  }
}

/** What was in the folder is served from somewhere else. */
export class FolderMoved extends Error {
  override readonly name = 'FolderMoved';
  constructor(dataDir: string, to: string) {
    super(
      `${dataDir} was moved to ${to}: start nodes with that MONGODB_URL and a NATS_URL, ` +
        'the folder is not used any more',
    );
  }
}

/** The database was written by a newer build; this one must not touch it. */
export class DatabaseFromTheFuture extends Error {
  override readonly name = 'DatabaseFromTheFuture';
  constructor(path: string, version: number, known: number) {
    super(
      `${path} was written by a newer version of this service (schema ${version}, this one knows ${known})`,
    );
  }
}

/** The disk failed: writes in progress are in doubt, and none may follow. */
export class DiskFailed extends Error {
  override readonly name = 'DiskFailed';
}

export const diskFailed = (error: unknown): DiskFailed =>
  new DiskFailed(error instanceof Error ? error.message : String(error), { cause: error });

/** Refused, because the disk failed earlier: certainly not executed. */
export class StoreStopped extends Error {
  override readonly name = 'StoreStopped';
}

/** The log of commits cannot be read as it was written: what was acknowledged may be lost, so nothing is opened. */
export class LogDamaged extends Error {
  override readonly name = 'LogDamaged';
}
