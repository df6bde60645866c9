/** The scripts that back up and restore a cluster's MongoDB, with programs in the place of mongodump and mongorestore
 *  that write down how they were called. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { root } from '../support/house.ts';

const folder = mkdtempSync(join(tmpdir(), 'galla-scripts-'));
afterAll(() => rmSync(folder, { recursive: true }));
const called = join(folder, 'called');
for (const name of ['mongodump', 'mongorestore']) {
  const file = `for arg; do case $arg in --archive=*) echo copy > "\${arg#--archive=}";; esac; done`;
  writeFileSync(
    join(folder, name),
    `#!/bin/sh\necho "${name} $*" >> ${called}\n${name === 'mongodump' ? file : ''}\n`,
  );
  chmodSync(join(folder, name), 0o755);
}

function run(script: 'backup' | 'restore', url: string, file: string) {
  const { status, stderr } = spawnSync('sh', [join(root, `config/${script}-mongodb.sh`), file], {
    env: { PATH: `${folder}:${process.env['PATH'] ?? ''}`, MONGODB_URL: url },
    encoding: 'utf8',
  });
  return { status, stderr };
}

test('an address with a database is refused by name, before anything is called', () => {
  for (const script of ['backup', 'restore'] as const) {
    const { status, stderr } = run(script, 'mongodb://a:1,b:1/galla?replicaSet=rs0', join(folder, 'x.gz'));
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^MONGODB_URL names the database galla: leave it out/),
    ]);
  }
  expect(existsSync(called)).toBe(false);
});

test('the whole set is copied with its oplog into a file that is there when it is whole, and restored from it', () => {
  const file = join(folder, 'friday.gz');
  for (const url of ['mongodb://a:1,b:1/?replicaSet=rs0', 'mongodb://u:p@a:1']) {
    rmSync(file, { force: true });
    expect(run('backup', url, file)).toEqual({ status: 0, stderr: '' });
    expect(existsSync(file)).toBe(true);
    expect(run('backup', url, file).stderr).toContain('is there already');
    expect(run('restore', url, file)).toEqual({ status: 0, stderr: '' });
    const [dumped, restored] = readFileSync(called, 'utf8').trim().split('\n').slice(-2);
    expect(dumped).toBe(`mongodump --uri=${url} --oplog --gzip --archive=${file}.partial`);
    expect(restored).toBe(`mongorestore --uri=${url} --drop --oplogReplay --gzip --archive=${file}`);
  }
});
