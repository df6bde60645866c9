/** A node on a database that is still being moved into. */
import { expect, test } from 'vitest';
import { movedInMsMax, untilMovedIn } from '../../../../src/runtime/cluster/moved-in.ts';

/** Steady time that passes only while somebody waits. */
function scheduler() {
  let now = 0;
  return {
    steady: () => now,
    after(delay: number, work: () => void) {
      now += delay;
      queueMicrotask(work);
      return () => undefined;
    },
  };
}

const copying = { state: 'copying', from: '/the/folder' } as const;

test('a node waits until the move has ended, and says once what it waits for', async () => {
  const marks = [copying, copying, { ...copying, state: 'moved' as const }];
  const lines: string[] = [];
  const log = { warn: (_fields: object, line: string) => void lines.push(line) };
  await untilMovedIn({ mark: async () => marks.shift() ?? null, scheduler: scheduler(), log });
  expect(marks).toEqual([]);
  expect(lines).toEqual([
    '/the/folder is being moved into this database: this node serves when `galla move` has ended',
  ]);
});

test('a node of a database that nothing was moved into waits for nothing', async () => {
  const log = { warn: () => expect.unreachable() };
  await untilMovedIn({ mark: async () => null, scheduler: scheduler(), log });
});

test('a node ends with one line when the move has not ended within a day', async () => {
  let looks = 0;
  const later = { ...scheduler(), steady: () => looks * movedInMsMax };
  const mark = async () => (looks++, copying);
  await expect(untilMovedIn({ mark, scheduler: later, log: { warn: () => undefined } })).rejects.toThrow(
    /run the same `galla move` again/,
  );
});
