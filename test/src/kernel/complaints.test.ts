import { expect, test } from 'vitest';
import { Complaints } from '../../../src/kernel/complaints.ts';
import { seconds } from '../../../src/kernel/time.ts';

test('repeated messages become one line per text and 10 s, with the number of suppressed ones', () => {
  const lines: [string, string, object][] = [];
  const log = {
    warn: (fields: object, message: string) => void lines.push(['warn', message, fields]),
    error: (fields: object, message: string) => void lines.push(['error', message, fields]),
  };
  let now = 1000;
  const complaints = new Complaints(log, { steady: () => now });
  for (let n = 0; n < 1000; n++) {
    complaints.error('the disk is full', { n });
    complaints.warn('it is late', { n });
    now += 10;
  }
  expect(lines).toEqual([
    ['error', 'the disk is full', { n: 0 }],
    ['warn', 'it is late', { n: 0 }],
  ]);
  now += seconds(1);
  lines.length = 0;
  complaints.error('the disk is full', { n: 1000 });
  now += seconds(10);
  complaints.error('the disk is full', { n: 1001 });
  expect(lines).toEqual([
    ['error', 'the disk is full', { n: 1000, hidden: 999 }],
    ['error', 'the disk is full', { n: 1001 }],
  ]);
});
