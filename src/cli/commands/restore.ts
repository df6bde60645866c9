/** `galla restore <file> [folder]` */
import { secretFiles } from '../../compose/data-dir.ts';
import { passphraseIn } from '../backup/passphrase.ts';
import { checkBackup, restore } from '../backup/restore.ts';
import { exitCodes, print, progress, progressEnd, say } from '../output.ts';

export interface RestoreOptions {
  readonly check?: boolean;
  readonly passphraseFile?: string;
  readonly invoicesFrom?: number;
  readonly era?: number;
  readonly json?: boolean;
}

/** What an operator keeps in mind of it. */
export const eraLine = (era: number, invoicesFrom: number | null): string =>
  `era ${era} begins: sequences go on ${era > 1 ? 'another ' : ''}1,000,000 higher, invoices ` +
  (invoicesFrom === null ? 'after a gap of 1,000 numbers' : `after number ${invoicesFrom}`) +
  `; keep the number of the era: restoring a backup from before it again needs --era ${era + 1}`;

/** Rejects with BackupRefused or EraRefused. */
export async function restoreCommand(
  file: string,
  folder: string | undefined,
  { check, passphraseFile, invoicesFrom, era, json }: RestoreOptions,
): Promise<void> {
  if (check === true) {
    const { begunAt, version, secrets } = await checkBackup(file, progress).finally(progressEnd);
    const lines = [`${file} is whole: made ${begunAt} by version ${version}`];
    return print({ file, begunAt, madeBy: version, hasSecrets: secrets !== null }, lines, json);
  }
  if (folder === undefined) {
    say('name the folder to restore into, or --check to only read the backup');
    process.exitCode = exitCodes.usage;
    return;
  }
  const passphrase = passphraseFile === undefined ? null : passphraseIn(passphraseFile);
  const begins = { era: era ?? null, invoicesFrom: invoicesFrom ?? null };
  const restored = await restore({
    file,
    dataDir: folder,
    passphrase,
    begins,
    onProgress: progress,
  }).finally(progressEnd);
  const lines = [
    `${folder} is the service as of ${restored.begunAt}`,
    eraLine(restored.era, begins.invoicesFrom),
    restored.hasSecrets
      ? `start it: GALLA_DATA_DIR=${folder} npm start`
      : `put the secrets key of that service into ${folder}/${secretFiles.secretsKey}, or set GALLA_SECRETS_KEY; ` +
        `then start it: GALLA_DATA_DIR=${folder} npm start`,
  ];
  print(restored, lines, json);
}
