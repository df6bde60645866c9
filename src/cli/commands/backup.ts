/** `galla backup <to>` */
import { existsSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { secretFiles } from '../../compose/data-dir.ts';
import { makeBackup } from '../backup/archive.ts';
import { passphraseIn } from '../backup/passphrase.ts';
import { sealedSecrets } from '../backup/secrets.ts';
import { print, progress, progressEnd } from '../output.ts';

export interface BackupOptions {
  readonly dataDir: string;
  readonly passphraseFile?: string;
  readonly json?: boolean;
}

/** The lowest: whoever serves payments goes first. */
const niceness = 19;

/** Rejects with BackupRefused. */
export async function backup(to: string, { dataDir, passphraseFile, json }: BackupOptions): Promise<void> {
  setPriority(niceness);
  const secretsKey = process.env['GALLA_SECRETS_KEY'];
  const secrets =
    passphraseFile === undefined ? null : sealedSecrets(dataDir, passphraseIn(passphraseFile), secretsKey);
  const made = await makeBackup({ dataDir, to, secrets, onProgress: progress }).finally(progressEnd);
  const keyFile = join(dataDir, secretFiles.secretsKey);
  const key = existsSync(keyFile) ? keyFile : 'GALLA_SECRETS_KEY of the service';
  const lines = [
    made.file,
    `everything acknowledged before ${made.begunAt} is in it: ${mib(made.databaseBytes)} MiB of database in ` +
      `${mib(made.bytes)} MiB, read back and compared, in ${(made.tookMs / 1000).toFixed(1)} s`,
    secrets === null
      ? `the secrets key is NOT in it: keep ${key} somewhere else, without it no login, provider ` +
        'credential or webhook secret can be read'
      : 'the secrets key is in it, sealed with your passphrase',
  ];
  print({ ...made, hasSecrets: secrets !== null }, lines, json);
}

const mib = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);
