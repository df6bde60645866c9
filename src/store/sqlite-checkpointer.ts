/** The thread that checkpoints the WAL: its syncs of the disk take far longer than those of a commit, and no commit
 *  waits for them.
 *  Boundary: started by the writer's thread, with a connection of its own that writes nothing else. */
import { parentPort } from 'node:worker_threads';
import { openConnection, type Connection } from './sqlite-bind.ts';
import { answerCalls } from './sqlite-calls.ts';
import { copyWal, type CheckpointerOperations } from './sqlite-checkpoints.ts';

function serve(port: NonNullable<typeof parentPort>): void {
  let opened: { readonly connection: Connection; readonly running: Int32Array } | null = null;
  answerCalls<CheckpointerOperations>(
    port,
    {
      open({ path, running }) {
        const connection = openConnection(path);
        connection.exec('PRAGMA synchronous = FULL');
        connection.pragma('wal_autocheckpoint = 0');
        opened = { connection, running };
        return null;
      },
      checkpoint() {
        if (opened === null) throw new Error('the database is not open');
        try {
          return copyWal(opened.connection, 'PASSIVE');
        } finally {
          Atomics.store(opened.running, 0, 0);
          Atomics.notify(opened.running, 0);
        }
      },
    },
    () => opened?.connection.close(),
  );
}

if (parentPort !== null) serve(parentPort);
