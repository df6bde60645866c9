/** A full disk: what an operator reads in the log. */
import { expect, test } from 'vitest';
import { seconds } from '../../../src/kernel/time.ts';
import { reportingFullDisk } from '../../../src/store/full-disk.ts';
import type { Store, Written } from '../../../src/store/store.ts';
import { docOf, writeOf } from '../../contract/store-samples.ts';
import { VirtualScheduler } from '../../simulation/scheduler.ts';

function world() {
  const time = new VirtualScheduler(1_000_000);
  const lines: string[] = [];
  let next: Written = { is: 'applied' };
  const inner = { commit: () => Promise.resolve([next]) } as unknown as Store;
  const store = reportingFullDisk(inner, {
    scheduler: time,
    disk: 'the disk under /data',
    onWarning: (line) => void lines.push(line),
  });
  const commit = async (written: Written): Promise<void> => {
    next = written;
    expect(await store.commit([writeOf(docOf())])).toEqual([written]);
  };
  return { time, lines, commit };
}

const refusedFor = (reason: string): Written => ({ is: 'error', of: 'store', reason });

test.each([
  'disk_full',
  '14031 OutOfDiskSpace: available disk space is less than required',
  '1 : No space left on device',
])(
  'refused for %s: one line with advice, another a minute later, and one when there is space again',
  async (reason) => {
    const { time, lines, commit } = world();
    for (let write = 0; write < 100; write++) await commit(refusedFor(reason));
    expect(lines).toEqual([
      expect.stringMatching(
        /^the disk under \/data is full: .*503.*Free disk space; the service then continues/,
      ),
    ]);
    await time.pass(seconds(61));
    await commit(refusedFor(reason));
    expect(lines).toHaveLength(2);
    await commit({ is: 'applied' });
    await time.pass(seconds(6));
    await commit({ is: 'stale' });
    expect(lines).toHaveLength(2);
    for (let write = 0; write < 3; write++) await commit({ is: 'applied' });
    expect(lines.slice(2)).toEqual(['the disk under /data has free space again']);
  },
);

test('other refusals are not reported as a full disk', async () => {
  const { lines, commit } = world();
  await commit(refusedFor('91 ShutdownInProgress: going down'));
  await commit({ is: 'unknown' });
  await commit({ is: 'error', of: 'document', reason: 'disk full of nonsense' });
  await commit({ is: 'applied' });
  expect(lines).toEqual([]);
});
