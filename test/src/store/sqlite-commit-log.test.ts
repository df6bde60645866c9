import {
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openConnection, type Connection } from '../../../src/store/sqlite-bind.ts';
import {
  appliedSql,
  logFileBytes,
  openCommitLog,
  type CommitLog,
  type Logged,
} from '../../../src/store/sqlite-commit-log.ts';
import { prepareSchema } from '../../../src/store/sqlite-schema.ts';

let folder: string;
let path: string;
let connection: Connection;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'galla-log-'));
  path = join(folder, 'galla.db');
  connection = openConnection(path);
  prepareSchema(connection, path, []);
});
afterEach(() => {
  connection.close();
  rmSync(folder, { recursive: true, force: true });
});

const always = (): boolean => true;
const opened = (): CommitLog => openCommitLog(connection, path);
const files = (): readonly string[] =>
  readdirSync(folder)
    .filter((name) => name.includes('-log_'))
    .map((name) => join(folder, name));
const [kib, mib] = [1024, 1024 * 1024];

/** Appends texts of these lengths; each is different. */
function append(log: CommitLog, lengths: readonly number[], first = 1): readonly Logged[] {
  const texts = lengths.map((length, at) => ({
    seq: first + at,
    text: `${first + at}:`.padEnd(length, 'पैसा'),
  }));
  for (const text of texts) expect(log.append(text, always)).toBe(true);
  return texts;
}

/** Changes one byte of the file in which this text is. */
function flip(text: string, where: number): void {
  for (const file of files()) {
    const bytes = readFileSync(file);
    const at = bytes.indexOf(text);
    if (at < 0) continue;
    bytes.writeUInt8(bytes.readUInt8(at + where) ^ 1, at + where);
    writeFileSync(file, bytes);
  }
}

describe('the log of a process that died', () => {
  test('holds each text as it was, whatever its length', () => {
    const texts = append(opened(), [0, 1, 487, 488, 489, 512, 10_000, 300_000]);
    expect(opened().left).toEqual(texts);
  });

  test('leaves out what the tables hold', () => {
    const texts = append(opened(), [10, 20, 30]);
    connection.statement(appliedSql).run([2]);
    expect(opened().left).toEqual(texts.slice(2));
  });

  test.each([
    ['cut', (file: string, text: string) => truncateSync(file, readFileSync(file).indexOf(text) + 5000)],
    ['changed', (_: string, text: string) => flip(text, 5000)],
    ['not begun', (file: string, text: string) => truncateSync(file, readFileSync(file).indexOf(text) - 24)],
  ])('whose last text is %s has all before it', (_, tear) => {
    const texts = append(opened(), [4000, 100, 9000]);
    for (const file of files().filter((each) => statSync(each).size > 0)) tear(file, texts[2]?.text ?? '');
    expect(opened().left).toEqual(texts.slice(0, 2));
  });

  test.each([0, 3, 700])(
    'with a changed byte %i of a text before the last is refused, in one line',
    (where) => {
      const texts = append(opened(), [4000, 1000, 9000]);
      flip(texts[1]?.text ?? '', where);
      expect(opened).toThrow(/^.*are damaged: commit 2 cannot be read and commit 3 can$/);
    },
  );

  test('with a file that is missing is refused, in one line', () => {
    append(opened(), [10]);
    const [first = ''] = files();
    renameSync(first, join(folder, 'elsewhere'));
    expect(opened).toThrow(/^.*-1 is missing: .* Copy a folder whole, or none of it$/);
  });

  test('is left as it is until there is something new, and then gone', () => {
    const texts = append(opened(), [10, 20]);
    const old = files();
    expect(opened().left).toEqual(texts);
    const next = opened();
    expect(files()).toEqual(old);
    append(next, [5]);
    expect(files().some((file) => old.includes(file))).toBe(false);
    expect(opened().left).toEqual([{ seq: 1, text: expect.stringContaining('1:') as string }]);
  });

  test('is not mixed with texts of another log, not even in a file of its own name', () => {
    append(opened(), [10, 20, 30]);
    const [old = Buffer.alloc(0)] = files().map((file) => readFileSync(file));
    const texts = append(opened(), [5]);
    const empty = files().find((file) => statSync(file).size === 0) ?? '';
    writeFileSync(empty, old);
    expect(opened().left).toEqual(texts);
  });

  test('is not mixed with files that another log has left', () => {
    append(opened(), [10, 20]);
    const [first = ''] = files();
    const foreign = `${path}-log_0123456789abcdef-1`;
    writeFileSync(foreign, readFileSync(first));
    const next = opened();
    expect(next.left.length).toBe(2);
    append(next, [10]);
    expect(files()).not.toContain(foreign);
  });
});

test('the table of an older build is dropped at the end, though nothing was committed', () => {
  connection.exec(`INSERT INTO log(seq, records) VALUES(1, 'text')`);
  const log = opened();
  expect(log.left).toEqual([{ seq: 1, text: 'text' }]);
  log.end();
  expect(opened().left).toEqual([]);
});

describe('its two files', () => {
  test('are written in turn: one is written over when the tables hold what is in it', () => {
    const log = opened();
    const askedFor: number[] = [];
    const upTo = (seq: number): boolean => {
      askedFor.push(seq);
      connection.statement(appliedSql).run([seq]);
      return true;
    };
    for (let seq = 1; seq <= 80; seq++)
      expect(log.append({ seq, text: `${seq}:`.padEnd(mib / 2, 'x') }, upTo)).toBe(true);
    // the first turn finds the other file empty
    expect(askedFor).toEqual([0, 15, 30, 45, 60]);
    for (const file of files()) expect(statSync(file).size).toBeLessThanOrEqual(logFileBytes);
    expect(opened().left.map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, at) => 61 + at));
  });

  test('are not written over while the tables have no room: nothing is stored then', () => {
    const log = opened();
    const texts = append(
      log,
      Array.from({ length: 15 }, () => mib / 4),
    );
    const large = { seq: 16, text: 'x'.repeat(logFileBytes) };
    expect(log.append(large, () => false)).toBe(false);
    expect(opened().left).toEqual(texts);
    expect(log.append({ seq: 16, text: 'small' }, () => false)).toBe(true);
    expect(opened().left.at(-1)).toEqual({ seq: 16, text: 'small' });
  });

  test('take a text that is larger than a file usually is', () => {
    const log = opened();
    const texts = append(log, [10, logFileBytes / 2]);
    expect(opened().left).toEqual(texts);
    connection.statement(appliedSql).run([2]);
    expect(opened().left).toEqual([]);
    expect(append(log, [20], 3)).toEqual(opened().left);
  });

  test('begin small, and grow with what is written', () => {
    const log = opened();
    append(log, [10]);
    expect(files().map((file) => statSync(file).size)).toEqual([64 * kib, 0]);
    append(
      log,
      Array.from({ length: 100 }, () => 3 * kib),
      2,
    );
    expect(statSync(files()[0] ?? '').size).toBeGreaterThan(512 * kib);
  });

  test('are not left behind when the database could not name them', () => {
    const log = opened();
    connection.pragma('query_only = 1');
    expect(() => log.append({ seq: 1, text: 'x' }, always)).toThrow('readonly');
    expect(files()).toEqual([]);
    connection.pragma('query_only = 0');
    expect(log.append({ seq: 1, text: 'x' }, always)).toBe(true);
    expect(files().length).toBe(2);
  });

  test('are gone after the end, and the database names none', () => {
    connection.exec('CREATE TABLE IF NOT EXISTS log(seq INTEGER PRIMARY KEY, records TEXT NOT NULL) STRICT');
    const log = opened();
    append(log, [10]);
    log.end();
    log.close();
    expect(files()).toEqual([]);
    expect(opened().left).toEqual([]);
  });
});
