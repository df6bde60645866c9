/** The files an embedded service keeps beside its store: generated secrets and the demo's keys, readable by
 *  their owner only. */
import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolders } from '../kernel/folders.ts';

const ownerOnly = 0o600;

/** Without the first one nothing that is sealed in the database can be read. */
export const secretFiles = { secretsKey: 'secrets-key', adminToken: 'admin-token' } as const;

/** Creates the folder, accessible by its owner only. Throws one clear error when it cannot be created or
 *  written. */
export function openDataDir(dataDir: string): void {
  try {
    makeFolders(dataDir, 0o700);
    chmodSync(dataDir, 0o700);
  } catch (cause) {
    throw new Error(
      `the data folder ${dataDir} cannot be created or written: set GALLA_DATA_DIR to a writable folder`,
      { cause },
    );
  }
}

/** What an operator reads where a store is there and the key of its secrets is not. */
export const secretsKeyMissing = (dataDir: string): string =>
  `${join(dataDir, secretFiles.secretsKey)} is missing: put back the one that this store was written with, ` +
  'or set GALLA_SECRETS_KEY';

/** The secret of this name, generated and written once. Text of `bytes` random bytes in base64. */
export function generatedSecret(dataDir: string, name: string, bytes: number): string {
  const known = readText(dataDir, name);
  if (known !== null) return known.trim();
  const fresh = randomBytes(bytes).toString('base64');
  writeText(dataDir, name, `${fresh}\n`);
  return fresh;
}

/** null when there is no such file. */
export function readText(dataDir: string, name: string): string | null {
  try {
    return readFileSync(join(dataDir, name), 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw thrown;
  }
}

/** Written atomically, readable by its owner only. */
export function writeText(dataDir: string, name: string, text: string): void {
  const path = join(dataDir, name);
  writeFileSync(`${path}.new`, text, { mode: ownerOnly, flush: true });
  renameSync(`${path}.new`, path);
}
