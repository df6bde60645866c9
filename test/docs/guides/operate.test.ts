import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { objectsIn, walked } from './walk.ts';

const walk = walked('operate.md');

test('the command of the guide replaces the key of receipts', async () => {
  const token = readFileSync(join(walk().folder, '.galla/admin-token'), 'utf8').trim();
  await walk().shelled(`GALLA_ADMIN_TOKEN=${token}`);
  const kid = async () => (await walk().galla.nobody.must('GET', '/v1/public/keys')).body.list('keys').length;
  const before = await kid();
  const said = await walk().run('curl -s -X POST', { replace: { 'https://pay.example': walk().galla.url } });
  expect(objectsIn(said)).toHaveLength(1);
  expect(await kid()).toBe(before + 1);
});
