import { expect, test } from 'vitest';
import { objectsIn, walked } from './walk.ts';

const walk = walked('reconcile.md');

test('the guide shows a mismatch, removes its fault, and compares a file', { timeout: 60_000 }, async () => {
  await walk().run('KEY=');
  const [, , mismatches] = objectsIn(await walk().run('curl -s -X PUT'));
  expect(mismatches).toMatchObject({ data: [{ type: 'reconciliation.mismatch' }] });
  const [faults] = objectsIn(await walk().run('curl -s -X PUT'));
  expect(faults).toMatchObject({ faults: [] });

  await walk().run('REFERENCE=');
  await walk().run('node -e');
  const read = objectsIn(await walk().run('until curl'));
  expect(read[0]).toMatchObject({ status: 'done', fileName: 'november.csv' });
  expect(read.at(-1)).toMatchObject({
    data: [{ reference: 'UNKNOWN-1', statementAmount: 50_000 }],
    total: 1,
  });
});
