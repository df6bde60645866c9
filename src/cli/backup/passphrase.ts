/** A passphrase comes from a file: the command line is visible to every user of the machine. */
import { readFileSync } from 'node:fs';
import { BackupRefused } from '../../store/sqlite-backup.ts';

/** The first line. Throws BackupRefused. */
export function passphraseIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/)[0] ?? '';
  } catch (cause) {
    throw new BackupRefused(`the passphrase cannot be read from ${file}: ${(cause as Error).message}`, {
      cause,
    });
  }
}
