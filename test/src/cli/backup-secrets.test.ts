import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { sealedSecrets, unsealSecrets } from '../../../src/cli/backup/secrets.ts';
import { readText } from '../../../src/compose/data-dir.ts';
import { BackupRefused } from '../../../src/store/sqlite-backup.ts';

const folder = mkdtempSync(join(tmpdir(), 'galla-secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));
const passphrase = 'correct horse battery';

test('a backup that is to hold the secrets key is refused where there is none: neither a file nor a setting', () => {
  writeFileSync(join(folder, 'admin-token'), 'token');
  for (const setting of [undefined, ''])
    expect(() => sealedSecrets(folder, passphrase, setting)).toThrow(BackupRefused);
  unsealSecrets(sealedSecrets(folder, passphrase, 'of the setting'), passphrase, folder);
  expect(readText(folder, 'secrets-key')).toBe('of the setting');
});
