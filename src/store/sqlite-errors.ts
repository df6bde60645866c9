/** Why the embedded store refuses or stops; each is one line a person can act on.
 *  Boundary: between threads only name and message travel, so names are what is told apart. */

/** The folder belongs to a process that is running. */
export class DataDirInUse extends Error {
  override readonly name = 'DataDirInUse';
  constructor(dataDir: string) {
    super(`${dataDir} is in use by another running process: end it, or set GALLA_DATA_DIR to another folder`);
  }
}

/** The database was written by a newer build; this one must not touch it. */
export class DatabaseFromTheFuture extends Error {
  override readonly name = 'DatabaseFromTheFuture';
  constructor(path: string, version: number, known: number) {
    super(`${path} was written by a newer version (schema ${version}, this one knows ${known})`);
  }
}

/** The disk failed: what was under way is in doubt, and nothing may follow. */
export class DiskFailed extends Error {
  override readonly name = 'DiskFailed';
}

/** Refused, because the disk failed before: certainly not executed. */
export class StoreStopped extends Error {
  override readonly name = 'StoreStopped';
}
