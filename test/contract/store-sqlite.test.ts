import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { storeContract } from './store.contract.ts';
import { openSqliteStore } from '../../src/store/store-sqlite.ts';

const folder = mkdtempSync(join(tmpdir(), 'galla-store-'));
let opened = 0;

storeContract('SQLite', (collections) =>
  openSqliteStore({
    dataDir: join(folder, String(++opened)),
    collections,
    onFatal: (line) => {
      throw new Error(line);
    },
  }),
);

afterAll(() => rmSync(folder, { recursive: true, force: true }));
