/** A full disk: what an operator reads in the log. */
import { expect, test } from 'vitest';
import { seconds } from '../../../src/kernel/time.ts';
import { fullDiskWatch } from '../../../src/store/full-disk.ts';
import type { Written } from '../../../src/store/store.ts';
import { VirtualScheduler } from '../../simulation/scheduler.ts';

function world() {
  const time = new VirtualScheduler(1_000_000);
  const lines: string[] = [];
  const watch = fullDiskWatch({
    scheduler: time,
    disk: 'the disk under /data',
    onWarning: (line) => void lines.push(line),
  });
  const commit = (written: Written): void => watch([written]);
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
    for (let write = 0; write < 100; write++) commit(refusedFor(reason));
    expect(lines).toEqual([
      expect.stringMatching(
        /^the disk under \/data is full: .*503.*Free disk space; the service then continues/,
      ),
    ]);
    await time.pass(seconds(61));
    commit(refusedFor(reason));
    expect(lines).toHaveLength(2);
    commit({ is: 'applied' });
    await time.pass(seconds(6));
    commit({ is: 'stale' });
    expect(lines).toHaveLength(2);
    for (let write = 0; write < 3; write++) commit({ is: 'applied' });
    expect(lines.slice(2)).toEqual(['the disk under /data has free space again']);
  },
);

test('other refusals are not reported as a full disk', () => {
  const { lines, commit } = world();
  commit(refusedFor('91 ShutdownInProgress: going down'));
  commit({ is: 'unknown' });
  commit({ is: 'error', of: 'document', reason: 'disk full of nonsense' });
  commit({ is: 'applied' });
  expect(lines).toEqual([]);
});
