/** What `galla doctor` finds in the folders of an embedded service: its store, its secrets, its backups. */
import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { begunAt } from '../../compose/backups.ts';
import { secretFiles, secretsKeyMissing } from '../../compose/data-dir.ts';
import type { Settings } from '../../config.ts';
import { findingsOf, type Finding } from '../../kernel/finding.ts';
import { hours, realScheduler } from '../../kernel/time.ts';
import { diskFinding } from './machine.ts';

/** As the service alerts: two in a row are missing. */
const everyMax = 2;

export function dataFolderFindings(settings: Settings): readonly Finding[] {
  return [
    storeFinding(settings.dataDir),
    diskFinding('disk', settings.dataDir),
    ...secretFindings(settings),
    ...backupFindings(settings),
  ];
}

function storeFinding(dataDir: string): Finding {
  const { ok, problem } = findingsOf('store');
  if (!existsSync(dataDir)) return ok(`${dataDir} is not there yet: the first start creates it`);
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    for (const name of readdirSync(dataDir).filter((one) => one.startsWith('galla.db')))
      accessSync(join(dataDir, name), constants.R_OK | constants.W_OK);
  } catch (thrown) {
    const path = (thrown as NodeJS.ErrnoException).path ?? dataDir;
    return problem(
      `${path} cannot be read and written by this user: run as the service's user, or set GALLA_DATA_DIR`,
    );
  }
  if (existsSync(join(dataDir, 'galla.db.partial')))
    return problem(`a restore into ${dataDir} was not finished: empty the folder and restore again`);
  const database = join(dataDir, 'galla.db');
  return existsSync(database)
    ? ok(`${database}, ${(statSync(database).size / 2 ** 20).toFixed(1)} MiB`)
    : ok(`${dataDir} is empty: the first start fills it`);
}

function secretFindings({ dataDir, secretsKey }: Settings): readonly Finding[] {
  const { ok, problem } = findingsOf('secrets');
  const hasStore = existsSync(join(dataDir, 'galla.db'));
  if (hasStore && secretsKey === null && !existsSync(join(dataDir, secretFiles.secretsKey)))
    return [problem(secretsKeyMissing(dataDir))];
  const open = [...Object.values(secretFiles), 'demo.json']
    .map((name) => join(dataDir, name))
    .filter((path) => existsSync(path) && (statSync(path).mode & 0o077) !== 0);
  if (open.length > 0) return open.map((path) => problem(`others can read ${path}: chmod 600 ${path}`));
  return [ok('the secrets are readable by their owner alone')];
}

function backupFindings({ dataDir, backupDir, backupEveryMs }: Settings): readonly Finding[] {
  const { ok, warning, problem } = findingsOf('backup');
  if (backupDir === null)
    return [
      warning('the service makes no backups of itself: set GALLA_BACKUP_DIR, or run galla backup from cron'),
    ];
  let names: readonly string[];
  try {
    names = existsSync(backupDir) ? readdirSync(backupDir) : [];
  } catch (thrown) {
    return [
      problem(
        `GALLA_BACKUP_DIR=${backupDir} cannot be read (${(thrown as NodeJS.ErrnoException).code ?? ''})`,
      ),
    ];
  }
  const newest = Math.max(...names.map((name) => begunAt(name) ?? 0));
  const ageMs = realScheduler.now() - newest;
  const text = `the newest backup in ${backupDir} is ${(ageMs / hours(1)).toFixed(1)} h old`;
  const age =
    newest <= 0
      ? warning(`there is no backup in ${backupDir} yet: the service makes one when it has run for a minute`)
      : ageMs > everyMax * backupEveryMs
        ? problem(
            `${text}, and one is due every ${backupEveryMs / hours(1)} h: the log of the service says why`,
          )
        : ok(text);
  const isBeside =
    existsSync(backupDir) &&
    existsSync(dataDir) &&
    statSync(resolve(backupDir)).dev === statSync(resolve(dataDir)).dev;
  return [
    age,
    ...(isBeside ? [warning('backups are on the disk of the store: copy them to another machine')] : []),
    diskFinding('backup', backupDir),
  ];
}
