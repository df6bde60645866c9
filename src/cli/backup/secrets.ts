/** The generated secrets of a data folder, sealed with a passphrase for a backup. */
import { randomBytes, scryptSync } from 'node:crypto';
import { secretFiles } from '../../compose/data-dir.ts';
import { readText, writeText } from '../../compose/data-dir.ts';
import { SealBroken, sealWith } from '../../kernel/seal.ts';
import { BackupRefused } from '../../store/sqlite-backup.ts';

export interface SealedSecrets {
  /** base64 */
  readonly salt: string;
  readonly sealed: string;
}

export const secretNames = Object.values(secretFiles);
const about = 'backup';
/** 128 MiB and some tenths of a second for each guess. */
const cost = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 };
export const passphraseCharsMin = 12;

/** Throws BackupRefused for a short passphrase, and where there is no secrets key. `secretsKey`: of the environment, in
 *  place of the file's. */
export function sealedSecrets(
  dataDir: string,
  passphrase: string,
  secretsKey: string | undefined,
): SealedSecrets {
  if (passphrase.length < passphraseCharsMin)
    throw new BackupRefused(`the passphrase must have at least ${passphraseCharsMin} characters`);
  const isSet = secretsKey !== undefined && secretsKey !== '';
  const texts = secretNames.flatMap((name) => {
    const text = name === secretFiles.secretsKey && isSet ? secretsKey : readText(dataDir, name);
    return text === null ? [] : [[name, text] as const];
  });
  if (!texts.some(([name]) => name === secretFiles.secretsKey))
    throw new BackupRefused(
      `there is no secrets key to seal: ${dataDir}/${secretFiles.secretsKey} is not there, and ` +
        'GALLA_SECRETS_KEY is not set here',
    );
  const salt = randomBytes(16);
  const sealed = sealWith(keyOf(passphrase, salt)).seal(JSON.stringify(Object.fromEntries(texts)), about);
  return { salt: salt.toString('base64'), sealed };
}

/** Writes them into a data folder. Throws BackupRefused for another passphrase. */
export function unsealSecrets({ salt, sealed }: SealedSecrets, passphrase: string, dataDir: string): void {
  const texts = opened(sealed, keyOf(passphrase, Buffer.from(salt, 'base64')));
  for (const name of secretNames) {
    const text = texts[name];
    if (text !== undefined) writeText(dataDir, name, text);
  }
}

function opened(sealed: string, key: Uint8Array): { readonly [name: string]: string | undefined } {
  try {
    // written by `sealedSecrets`
    return JSON.parse(sealWith(key).open(sealed, about)) as { readonly [name: string]: string | undefined };
  } catch (error) {
    if (error instanceof SealBroken)
      throw new BackupRefused('the passphrase does not open the secrets of this backup');
    throw error;
  }
}

const keyOf = (passphrase: string, salt: Uint8Array): Uint8Array => scryptSync(passphrase, salt, 32, cost);
