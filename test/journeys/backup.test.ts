/** A real service under load, and the built command: `galla backup` beside it, `galla restore` afterwards. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Api } from '../../src/cli/demo/api.ts';
import { runToEnd, Service } from '../../src/cli/demo/service.ts';
import { begunAt as begunAtOf } from '../../src/compose/backups.ts';
import { packageRoot } from '../../src/kernel/package-root.ts';
import { openConnection } from '../../src/store/sqlite-bind.ts';
import { databaseFile } from '../../src/store/sqlite-schema.ts';

const dist = (name: string): string => join(packageRoot(), 'dist', 'src', 'cli', `${name}.js`);
const order = { amount: 125_050, returnUrl: 'http://127.0.0.1/return' };
/** BACKUP_INSTANTS=200 is for a run by hand. */
const instants = Number(process.env['BACKUP_INSTANTS'] ?? 6);
const passphrase = 'correct horse battery';

const dir = await mkdtemp(join(tmpdir(), 'galla-backup-'));
afterAll(() => rm(dir, { force: true, recursive: true }));
const at = (name: string): string => join(dir, name);
const dataDir = at('data');

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const galla = (...args: readonly string[]): Promise<Run> =>
  new Promise((done) =>
    execFile(process.execPath, [dist('galla'), ...args], (failure, stdout, stderr) =>
      done({ code: failure === null ? 0 : Number(failure.code), stdout, stderr }),
    ),
  );

const start = (folder: string): Promise<Service> =>
  Service.start({
    dataDir: folder,
    entry: dist('start'),
    env: { GALLA_RATE_LIMITS: 'off', GALLA_BACKUP_DIR: at(`own-of-${basename(folder)}`) },
    readyMsMax: 60_000,
  });

interface Acknowledged {
  readonly id: string;
  readonly at: number;
}

/** Creates and pays checkouts until it is stopped. */
function load(api: Api): { readonly all: readonly Acknowledged[]; stop(): Promise<void> } {
  const all: Acknowledged[] = [];
  let isOver = false;
  const buyers = Array.from({ length: 6 }, async () => {
    while (!isOver) {
      const { body } = await api.must('POST', '/v1/checkout', order);
      const id = body.text('id');
      all.push({ id, at: Date.now() });
      await api.must('POST', `/v1/test/checkout/${id}/simulate`, {
        outcome: 'success',
        provider: 'wallet_b',
      });
    }
  });
  return {
    all,
    async stop() {
      isOver = true;
      await Promise.all(buyers);
    },
  };
}

/** Those of a database that is not in use. */
function sessionsIn(folder: string): ReadonlySet<string> {
  const connection = openConnection(databaseFile(folder));
  const rows = connection.statement(`SELECT id FROM docs WHERE kind = 'checkout_session'`).all([]);
  connection.close();
  return new Set(rows.map(([id]) => String(id)));
}

/** A backup with its secrets, made while checkouts are paid. */
const whole = at('whole.db.gz');
let known: readonly Acknowledged[] = [];
let service: Service;

beforeAll(
  async () => {
    writeFileSync(at('passphrase'), `${passphrase}\n`);
    service = await start(dataDir);
    const { secretKey } = await service.keys(dataDir);
    const paying = load(new Api(service.url, secretKey));
    for (let instant = 0; instant < instants; instant++) {
      await pause(Math.random() * 1500);
      const made = await galla('backup', `${at('instants')}/`, '--data-dir', dataDir, '--json');
      expect(made).toMatchObject({ code: 0, stderr: '' });
    }
    const made = await galla(
      'backup',
      whole,
      '--data-dir',
      dataDir,
      '--passphrase-file',
      at('passphrase'),
      '--json',
    );
    expect(JSON.parse(made.stdout)).toMatchObject({ file: whole, hasSecrets: true });
    await paying.stop();
    known = paying.all;
  },
  240_000 + instants * 10_000,
);
afterAll(() => service.stop());

test(
  'row 120: each backup of a running service has everything that was acknowledged before it began',
  async () => {
    const files = readdirSync(at('instants'));
    expect(files).toHaveLength(instants);
    expect(readdirSync(dir).filter((name) => /partial|copy/.test(name))).toEqual([]);
    for (const file of files) {
      const folder = at(`restored-${file}`);
      const run = await galla('restore', join(at('instants'), file), folder, '--json');
      const { begunAt } = JSON.parse(run.stdout) as { readonly begunAt: string };
      const due = known.filter((one) => one.at < Date.parse(begunAt));
      const has = sessionsIn(folder);
      expect(due.filter(({ id }) => !has.has(id))).toEqual([]);
      rmSync(folder, { recursive: true });
    }
  },
  240_000 + instants * 10_000,
);

test('row 120: a restored service answers with what it had, and with the secrets of the backup it needs nothing else', async () => {
  const folder = at('restored');
  const run = await galla('restore', whole, folder, '--passphrase-file', at('passphrase'));
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout).toContain(`GALLA_DATA_DIR=${folder} npm start`);
  const { begunAt } = JSON.parse((await galla('restore', '--check', whole, '--json')).stdout) as {
    begunAt: string;
  };
  copyFileSync(join(dataDir, 'demo.json'), join(folder, 'demo.json'));
  const again = await start(folder);
  try {
    const api = new Api(again.url, (await again.keys(dataDir)).secretKey);
    const due = known.filter((one) => one.at < Date.parse(begunAt));
    expect(due.length).toBeGreaterThan(0);
    for (const { id } of due.slice(-20)) await api.must('GET', `/v1/checkout/${id}`);
    const { body } = await api.must('POST', '/v1/checkout', order);
    const paid = { outcome: 'success', provider: 'wallet_b' };
    await api.must('POST', `/v1/test/checkout/${body.text('id')}/simulate`, paid);
  } finally {
    await again.stop();
  }
}, 120_000);

test('without its secrets key a restored service does not start on a key of its own', async () => {
  const folder = at('without-key');
  const run = await galla('restore', whole, folder);
  expect(run.stdout).toContain(`${folder}/secrets-key`);
  const refused = await runToEnd({ dataDir: folder, entry: dist('start') });
  expect(refused.code).toBe(1);
  expect(refused.output).toContain('secrets-key is missing: put back the one');
}, 60_000);

test('the folder of a killed service is backed up with what was committed last', async () => {
  const folder = at('killed');
  const killed = await start(folder);
  const { secretKey } = await killed.keys(folder);
  const paying = load(new Api(killed.url, secretKey));
  await pause(1500);
  const over = paying.stop().catch(() => undefined);
  await killed.kill();
  await over;
  const made = await galla('backup', at('killed.db.gz'), '--data-dir', folder);
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect(made.stdout).toContain('the secrets key is NOT in it');
  await galla('restore', at('killed.db.gz'), at('killed-restored'));
  const has = sessionsIn(at('killed-restored'));
  expect(paying.all.filter(({ id }) => !has.has(id))).toEqual([]);
  expect(paying.all.length).toBeGreaterThan(0);
}, 120_000);

/** A file of the backup's database, changed. */
function changed(name: string, change: (bytes: Buffer) => Buffer): string {
  const file = at(name);
  writeFileSync(file, change(readFileSync(whole)));
  return file;
}

const withSql = (name: string, sql: string): string =>
  changed(name, (bytes) => {
    const database = at('changed.db');
    writeFileSync(database, gunzipSync(bytes));
    const connection = openConnection(database);
    connection.exec(sql);
    connection.close();
    return gzipSync(readFileSync(database), { level: 1 });
  });

test.each([
  [
    'a flipped bit',
    () => changed('bit', (b) => (b.writeUInt8(b.readUInt8(b.length >> 1) ^ 4, b.length >> 1), b)),
    'damaged',
  ],
  ['a cut end', () => changed('cut', (b) => b.subarray(0, b.length - 1000)), 'damaged'],
  ['no backup', () => changed('other', () => gzipSync('hello')), 'is no backup of this service'],
  ['no compressed file', () => changed('text', () => Buffer.from('hello')), 'damaged or no backup'],
  ['a newer schema', () => withSql('newer', 'UPDATE schema_version SET version = 99'), 'schema 99'],
  [
    'a newer format',
    () => withSql('format', `UPDATE backup SET description = '{"format":2}'`),
    'restore it with a newer build',
  ],
  ['no file', () => at('absent'), 'is not there'],
])('a restore of %s is refused with one line, and leaves no folder', async (what, made, line) => {
  const folder = at(`refused-${what.replaceAll(' ', '-')}`);
  const run = await galla('restore', made(), folder);
  expect(run.code).toBe(1);
  expect(run.stderr).toContain(line);
  expect(run.stderr.trim().split('\n')).toHaveLength(1);
  expect(existsSync(folder)).toBe(false);
});

test('a restore never touches a folder with anything in it', async () => {
  const folder = await mkdtemp(at('full-'));
  writeFileSync(join(folder, 'mine'), 'mine');
  const full = await galla('restore', whole, folder);
  expect(full).toMatchObject({ code: 1 });
  expect(full.stderr).toContain('is not empty');
  expect(readdirSync(folder)).toEqual(['mine']);
});

test('a restore does not open secrets with another passphrase', async () => {
  writeFileSync(at('wrong'), 'not the right one');
  const wrong = await galla('restore', whole, at('wrongly'), '--passphrase-file', at('wrong'));
  expect(wrong).toMatchObject({ code: 1 });
  expect(wrong.stderr).toContain('the passphrase does not open');
  expect(existsSync(at('wrongly'))).toBe(false);
});

test('a backup is refused with one line where it cannot be made', async () => {
  const there = await galla('backup', whole, '--data-dir', dataDir);
  expect(there).toMatchObject({ code: 1 });
  expect(there.stderr).toContain('is there already');
  const nowhere = await galla('backup', at('nowhere.db.gz'), '--data-dir', at('nowhere'));
  expect(nowhere).toMatchObject({ code: 1 });
  expect(nowhere.stderr).toContain('name the data folder of a service');
  writeFileSync(at('short'), 'short');
  const short = await galla('backup', at('s.db.gz'), '--data-dir', dataDir, '--passphrase-file', at('short'));
  expect(short.stderr).toContain('at least 12 characters');
});

test('a service makes backups of itself, and says how old the newest is', async () => {
  const folder = at('own-of-data');
  const deadline = Date.now() + 90_000;
  const made = (): readonly string[] => (existsSync(folder) ? readdirSync(folder) : []);
  while (!made().some((name) => name.endsWith('.db.gz')) && Date.now() < deadline) await pause(200);
  const [file = 'none'] = made().filter((name) => name.endsWith('.db.gz'));
  expect(await galla('restore', '--check', join(folder, file))).toMatchObject({ code: 0, stderr: '' });
  await pause(1000);
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  const newest = made().findLast((name) => name.endsWith('.db.gz')) ?? 'none';
  const [, age = 'none'] = /^galla_backup_age_seconds (\S+)$/m.exec(metrics) ?? [];
  const sinceBegun = (Date.now() - (begunAtOf(newest) ?? 0)) / 1000;
  expect(Math.abs(Number(age) - sinceBegun)).toBeLessThan(30);
}, 120_000);

test('a wrong command line ends with 2 and says where help is', async () => {
  for (const args of [['backup'], ['bakup', 'x'], ['backup', 'x', '--no-such'], ['restore', whole]]) {
    const run = await galla(...args);
    expect(run.code).toBe(2);
    expect(run.stderr).not.toBe('');
  }
  expect(await galla('--help')).toMatchObject({ code: 0, stderr: '' });
});
