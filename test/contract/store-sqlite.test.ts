import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { storeContract } from './store.contract.ts';
import { openSqliteStore } from '../../src/store/store-sqlite.ts';

const folder = mkdtempSync(join(tmpdir(), 'galla-store-'));
let opened = 0;

// Whether a commit is still in the log or in the tables already: no caller can tell.
for (const [name, applyAfterMs] of [
  ['SQLite', undefined],
  ['SQLite, every commit applied at once', 0],
  ['SQLite, nothing applied before it has to be', Infinity],
] as const)
  storeContract(name, (collections) =>
    openSqliteStore({
      dataDir: join(folder, String(++opened)),
      collections,
      ...(applyAfterMs === undefined ? {} : { applyAfterMs }),
      onFatal: (line) => {
        throw new Error(line);
      },
    }),
  );

afterAll(() => rmSync(folder, { recursive: true, force: true }));
