import { afterEach, beforeEach, expect, test } from 'vitest';
import { BrokenInvariant } from '../../../src/kernel/assert.ts';
import {
  openConnection,
  sqliteCode,
  type Bindable,
  type Connection,
} from '../../../src/store/sqlite-bind.ts';

let connection: Connection;
beforeEach(() => {
  connection = openConnection(':memory:');
});
afterEach(() => connection.close());

test('bindable values are read back unchanged', () => {
  const values = ['नेपाल', '', 5.5, -3, 0, null, Buffer.from([0, 1, 255])];
  const [row] = connection.statement('SELECT ?, ?, ?, ?, ?, ?, ?').all(values);
  expect(row).toEqual(values);
  expect(connection.statement('SELECT ?').first([12n])).toEqual([12]);
});

test.each([
  ['a boolean', true],
  ['undefined', undefined],
  ['a date', new Date(0)],
  ['an object', {}],
  ['a map', new Map()],
  ['plain bytes', new Uint8Array(2)],
  ['floats', new Float64Array(2)],
  ['a list', [1]],
  ['a symbol', Symbol('x')],
  ['a function', () => 1],
  ['no number', Number.NaN],
  ['infinity', Infinity],
])('%s is refused before it reaches the driver, which would abort the process', (_title, value) => {
  // Types forbid it; what got past them must be stopped here.
  expect(() => connection.statement('SELECT ?').all([value as Bindable])).toThrow(BrokenInvariant);
});

test.each([[[]], [['a']], [['a', 'b', 'c']]])('two placeholders need two values, not %j', (values) => {
  expect(() => connection.statement('SELECT ?, ?').all(values)).toThrow(BrokenInvariant);
  expect(() => connection.statement('SELECT ?, ?').run(values)).toThrow(BrokenInvariant);
});

test('a NUL becomes a replacement character, so no text is cut', () => {
  expect(connection.statement('SELECT ?').first(['a\u0000b'])).toEqual(['a\ufffdb']);
  expect(connection.statement('SELECT ? = ?').first(['a\u0000b', 'a'])).toEqual([0]);
});

test('a closed connection refuses a question on which the driver would abort the process', () => {
  const closed = openConnection(':memory:');
  closed.close();
  expect(() => closed.inTransaction).toThrow(BrokenInvariant);
  expect(() => closed.statement('SELECT 1').first([])).toThrow();
  expect(() => closed.exec('SELECT 1')).toThrow();
});

test('an insert reports how many rows it changed, and the rowid', () => {
  connection.exec('CREATE TABLE t(n INTEGER PRIMARY KEY, a TEXT UNIQUE)');
  const insert = connection.statement('INSERT INTO t(a) VALUES(?) ON CONFLICT DO NOTHING');
  expect(insert.run(['x'])).toEqual({ changes: 1, rowid: 1 });
  expect(insert.run(['x']).changes).toBe(0);
  expect(insert.run(['y'])).toEqual({ changes: 1, rowid: 2 });
});

test('errors of SQLite have its code; others have none', () => {
  connection.exec('PRAGMA max_page_count = 2');
  connection.exec('CREATE TABLE t(a)');
  let caught: unknown = null;
  try {
    connection.statement('INSERT INTO t VALUES(?)').run(['x'.repeat(50_000)]);
  } catch (error) {
    caught = error;
  }
  expect(sqliteCode(caught)).toBe('SQLITE_FULL');
  expect(sqliteCode(new Error('SQLITE_FULL'))).toBeNull();
});
