import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openConnection, type Connection } from '../../../src/store/sqlite-bind.ts';
import {
  keepWalShort,
  walBytesMax,
  walBytesWaiting,
  type WalKeeper,
} from '../../../src/store/sqlite-checkpoints.ts';
import { threadModule } from '../../../src/store/sqlite-thread.ts';

const patience = { timeout: 30_000 };
const mebibyte = 1024 * 1024;

let folder: string;
let path: string;
let connection: Connection;
let keeper: WalKeeper;
let failures: string[];
/** Of each checkpoint that has ended: whether the tables as they were at its beginning are on disk. */
let ended: boolean[];
/** How often something was written so that a checkpoint had something to copy. */
let touched: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'galla-checkpoints-'));
  path = join(folder, 'galla.db');
  connection = openConnection(path, 5000);
  connection.pragma('journal_mode = WAL');
  connection.exec('PRAGMA synchronous = NORMAL');
  connection.pragma('wal_autocheckpoint = 0');
  connection.pragma(`journal_size_limit = ${walBytesMax}`);
  connection.exec('CREATE TABLE texts(text)');
  [failures, ended, touched] = [[], [], 0];
});
afterEach(async () => {
  await keeper.stop();
  connection.close();
  rmSync(folder, { recursive: true, force: true });
});

async function keep(module?: string): Promise<void> {
  keeper = keepWalShort({
    connection,
    path,
    module: module === undefined ? await threadModule('sqlite-checkpointer') : new URL(module),
    unasked(work) {
      try {
        work();
      } catch (error) {
        failures.push(String(error));
      }
    },
    begins: () => (isOnDisk) => void ended.push(isOnDisk),
    touch() {
      connection.exec("INSERT INTO texts VALUES('')");
      touched++;
      return true;
    },
  });
}

/** A transaction that makes the WAL longer by about so many bytes. */
function write(bytes: number): void {
  connection.exec('BEGIN');
  for (let left = bytes; left > 0; left -= mebibyte)
    connection.statement('INSERT INTO texts VALUES(?)').run(['x'.repeat(mebibyte)]);
  connection.exec('COMMIT');
}
const walBytes = (): number => statSync(`${path}-wal`).size;
const untilEnded = (count: number): Promise<void> =>
  vi.waitFor(() => expect(ended.length).toBeGreaterThanOrEqual(count), { timeout: 20_000, interval: 5 });

/** A thread that begins a checkpoint as told: `checkpoint` is the body of its function. */
const pretended = (checkpoint: string): string =>
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads';
    let running;
    const done = () => { Atomics.store(running, 0, 0); Atomics.notify(running, 0); };
    parentPort.on('message', (questions) => {
      if (questions === null) return parentPort.close();
      for (const { call, operation, input } of questions) {
        if (operation === 'open') running = input.running;
        else { ${checkpoint} }
        parentPort.postMessage([{ call, value: operation === 'open' ? null : true }]);
      }
    });`)}`;

/** Each of its checkpoints takes so long. */
const slow = (ms: number): string =>
  pretended(`Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${ms}); done();`);

/** Makes the WAL too long, and waits until it is being copied. */
async function copying(): Promise<void> {
  write(walBytesMax + mebibyte);
  keeper.written();
  await vi.waitFor(() => expect(keeper.isRunning).toBe(true), { interval: 1 });
}

describe('the write-ahead log', patience, () => {
  test('is copied by another thread when it is too long, and starts over with the next transaction', async () => {
    await keep();
    write(walBytesMax + mebibyte);
    keeper.written();
    await untilEnded(1);
    expect([ended, failures]).toEqual([[true], []]);
    write(mebibyte);
    expect(walBytes()).toBeLessThanOrEqual(walBytesMax);
  });

  test('is copied when nothing is written for a while, however short it is', async () => {
    await keep();
    write(mebibyte);
    keeper.written();
    await untilEnded(1);
    expect(ended).toEqual([true]);
  });

  test('starts over also if something was written while it was copied', async () => {
    await keep();
    for (let round = 0; round < 5; round++) {
      const before = ended.length;
      await copying();
      write(mebibyte);
      keeper.written();
      await untilEnded(before + 1);
    }
    expect(new Set(ended)).toEqual(new Set([true]));
    expect(walBytes()).toBeLessThanOrEqual(2 * walBytesMax);
  });

  test('is not said to be copied while a transaction is open that another thread cannot see', async () => {
    await keep(pretended('running && done(); parentPort.postMessage([{ call, value: false }]); continue;'));
    await copying();
    connection.exec('BEGIN IMMEDIATE');
    await untilEnded(1);
    connection.exec('COMMIT');
    expect(ended).toEqual([false]);
  });

  test('makes the writer wait where it becomes far too long beside a slow checkpoint', async () => {
    const slowMs = 400;
    await keep(slow(slowMs));
    await copying();
    const from = performance.now();
    keeper.written();
    expect(performance.now() - from).toBeLessThan(slowMs / 2);
    write(walBytesWaiting);
    keeper.written();
    expect(performance.now() - from).toBeGreaterThan(slowMs / 2);
  });

  test('has something to copy whenever a checkpoint begins, so that it cannot start over in that moment', async () => {
    await keep();
    for (let round = 1; round <= 3; round++) {
      if (round === 1) write(mebibyte);
      keeper.written();
      await untilEnded(round);
      expect(touched).toBeGreaterThanOrEqual(round);
    }
    expect(new Set(ended)).toEqual(new Set([true]));
  });

  test('is copied once more when something was written meanwhile', async () => {
    await keep(slow(100));
    await copying();
    write(mebibyte);
    keeper.written();
    await untilEnded(1);
    expect([ended, touched]).toEqual([[true], 2]);
  });

  test('is left as it is when the store ends, also beside a checkpoint that would be made once more', async () => {
    await keep(slow(100));
    await copying();
    write(mebibyte);
    keeper.written();
    await keeper.stop();
    // What follows the checkpoint is done before the connection may be closed.
    expect([failures, touched, ended.length]).toEqual([[], 1, 1]);
  });

  test('is copied by the writer only when no checkpoint is running', async () => {
    const slowMs = 400;
    await keep(slow(slowMs));
    const from = performance.now();
    keeper.copyNow();
    expect(performance.now() - from).toBeLessThan(slowMs / 2);
    await copying();
    keeper.copyNow();
    expect(performance.now() - from).toBeGreaterThan(slowMs / 2);
  });

  test('is a failed disk where the thread of checkpoints fails or dies', async () => {
    await keep(pretended("throw new Error('gone');"));
    write(walBytesMax + mebibyte);
    keeper.written();
    await vi.waitFor(() => expect(failures.length).toBeGreaterThan(0), { timeout: 10_000 });
    expect(failures[0]).toContain('gone');
    expect(ended).toEqual([]);
  });
});
