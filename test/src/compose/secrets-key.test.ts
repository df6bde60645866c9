/** The key of an embedded service's secrets: generated once, and never a second one for a store that was written. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startGalla } from '../../support/galla.ts';

const dataDir = await mkdtemp(join(tmpdir(), 'galla-test-'));
afterAll(() => rm(dataDir, { recursive: true, force: true }));

test(
  'a store whose key is gone, as after a restore, does not start, and no other key takes its place',
  {
    timeout: 120_000,
  },
  async () => {
    const file = join(dataDir, 'secrets-key');
    await (await startGalla({ GALLA_DATA_DIR: dataDir })).stop();
    const key = readFileSync(file);
    rmSync(file);
    await expect(startGalla({ GALLA_DATA_DIR: dataDir })).rejects.toThrow(
      `${file} is missing: put back the one that this store was written with, or set GALLA_SECRETS_KEY`,
    );
    expect(existsSync(file)).toBe(false);
    writeFileSync(file, key);
    await (await startGalla({ GALLA_DATA_DIR: dataDir })).stop();
  },
);
