/** A real service under load, and the built command: `galla backup` beside it, `galla restore` afterwards. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { execFile, spawnSync } from 'node:child_process';
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
/** BACKUP_INSTANTS=200 is for a run by hand, with BACKUP_THINK_MS, at most, between two checkouts of a buyer: on a busy
 *  machine buyers who do not rest leave a backup no time. */
const instants = Number(process.env['BACKUP_INSTANTS'] ?? 6);
const thinkMsMax = Number(process.env['BACKUP_THINK_MS'] ?? 0);
/** Then the next service begins, on an empty folder: what is copied stays small however many instants there are. */
const instantsOfService = 20;
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

/** What an answer has said: the checkout is there, in this state or a later one. */
interface Acknowledged {
  readonly id: string;
  readonly sequence: number;
  readonly at: number;
}

/** Creates and pays checkouts until it is stopped. */
function load(api: Api): { readonly all: readonly Acknowledged[]; stop(): Promise<void> } {
  const all: Acknowledged[] = [];
  let isOver = false;
  const told = async (path: string, asked: object): Promise<string> => {
    const { body } = await api.must('POST', path, asked);
    const id = body.text('id');
    all.push({ id, sequence: Number(body.at('sequence')), at: Date.now() });
    return id;
  };
  const buyers = Array.from({ length: 6 }, async () => {
    while (!isOver) {
      const id = await told('/v1/checkout', order);
      await told(`/v1/test/checkout/${id}/simulate`, { outcome: 'success', provider: 'wallet_b' });
      if (thinkMsMax > 0) await pause(Math.random() * thinkMsMax);
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

/** A database that is not in use: the states of its checkouts, and those whose document and payment's row disagree,
 *  which one commit writes. */
function checkoutsIn(folder: string): {
  readonly sequences: ReadonlyMap<string, number>;
  readonly torn: readonly string[];
} {
  const connection = openConnection(databaseFile(folder));
  const found = connection
    .statement(
      `SELECT s.id, json_extract(s.json, '$.body.sequence'),
         json_extract(s.json, '$.body.payments[0].status') IS json_extract(p.json, '$.body.status')
       FROM docs AS s LEFT JOIN view_rows AS p
         ON p.kind = 'payment' AND p.id = json_extract(s.json, '$.body.payments[0].id')
       WHERE s.kind = 'checkout_session'`,
    )
    .all([])
    .map(([id, sequence, isWhole]) => ({
      id: String(id),
      sequence: Number(sequence),
      isWhole: isWhole === 1,
    }));
  connection.close();
  return {
    sequences: new Map(found.map(({ id, sequence }) => [id, sequence])),
    torn: found.flatMap(({ id, isWhole }) => (isWhole ? [] : [id])),
  };
}

/** What was acknowledged before an instant, and is not in this folder. */
function lost(known: readonly Acknowledged[], begunAt: string, folder: string): readonly Acknowledged[] {
  const { sequences } = checkoutsIn(folder);
  return known.filter(
    ({ id, sequence, at: when }) => when < Date.parse(begunAt) && (sequences.get(id) ?? 0) < sequence,
  );
}

/** A backup with its secrets, made while checkouts are paid. */
const whole = at('whole.db.gz');
let known: readonly Acknowledged[] = [];
let service: Service;

beforeAll(async () => {
  writeFileSync(at('passphrase'), `${passphrase}\n`);
  service = await start(dataDir);
  const { secretKey } = await service.keys(dataDir);
  const paying = load(new Api(service.url, secretKey));
  await pause(1500);
  const withSecrets = ['--passphrase-file', at('passphrase'), '--json'];
  const made = await galla('backup', whole, '--data-dir', dataDir, ...withSecrets);
  expect(JSON.parse(made.stdout)).toMatchObject({ file: whole, hasSecrets: true });
  await paying.stop();
  known = paying.all;
}, 240_000);
afterAll(() => service.stop());

/** Backups at random instants of a service that is paid at; each is restored and compared at once. */
async function instantsOf(name: string, count: number): Promise<void> {
  const [folder, backups, restored] = [at(name), at(`backups-of-${name}`), at(`restored-of-${name}`)];
  const busy = await start(folder);
  try {
    const api = new Api(busy.url, (await busy.keys(folder)).secretKey);
    const all: Acknowledged[] = [];
    for (let instant = 0; instant < count; instant++) {
      const paying = load(api);
      await pause(Math.random() * 1500);
      const made = await galla('backup', `${backups}/`, '--data-dir', folder, '--json');
      await paying.stop();
      expect(made).toMatchObject({ code: 0, stderr: '' });
      all.push(...paying.all);
      const [file = 'none', ...others] = readdirSync(backups);
      expect(others).toEqual([]);
      const run = await galla('restore', join(backups, file), restored, '--json');
      const { begunAt } = JSON.parse(run.stdout) as { readonly begunAt: string };
      expect(lost(all, begunAt, restored)).toEqual([]);
      expect(checkoutsIn(restored).torn).toEqual([]);
      rmSync(restored, { recursive: true });
      rmSync(join(backups, file));
      if (process.env['BACKUP_INSTANTS'] !== undefined)
        process.stdout.write(
          `${name}: instant ${instant + 1}, ${all.length} answers before or while, all there\n`,
        );
    }
  } finally {
    await busy.stop();
    rmSync(folder, { recursive: true });
  }
}

test(
  'row 120: each backup of a running service has everything that was acknowledged before it began, each commit whole',
  async () => {
    for (let begun = 0; begun < instants; begun += instantsOfService)
      await instantsOf(`busy-${begun}`, Math.min(instantsOfService, instants - begun));
  },
  240_000 + instants * 30_000,
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
  expect(lost(paying.all, new Date(8.64e15).toISOString(), at('killed-restored'))).toEqual([]);
  expect(paying.all.length).toBeGreaterThan(0);
}, 120_000);

const canTrace = spawnSync('strace', ['-e', 'trace=fsync', 'true']).status === 0;

test.skipIf(!canTrace)(
  'a backup syncs what it keeps and nothing of its copy, so that the service does not wait for the disk',
  async () => {
    const [file, folder, trace] = [at('traced.db.gz'), at('traced'), at('trace')];
    await galla('restore', whole, folder);
    const strace = ['-f', '-y', '-e', 'trace=fsync,fdatasync', '-o', trace];
    const command = [process.execPath, dist('galla'), 'backup', file, '--data-dir', folder];
    expect(spawnSync('strace', [...strace, ...command], { encoding: 'utf8' }).status).toBe(0);
    const synced = readFileSync(trace, 'utf8');
    expect(synced).toContain(`${file}.partial>`);
    expect(synced).not.toContain(`${file}.copy`);
  },
  120_000,
);

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
  const nobodys = await galla('backup', '/proc/nope/x.db.gz', '--data-dir', dataDir);
  expect(nobodys).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^galla: ENOENT: .*'\/proc\/nope'\n$/),
  });
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
