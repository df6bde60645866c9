import { afterAll, beforeAll, expect, test } from 'vitest';
import { objectsIn, Walk } from './walk.ts';

let walk: Walk;
beforeAll(async () => {
  walk = await Walk.begin('sell-by-link.md');
});
afterAll(() => walk.end());

test('the guide makes a link that opens', async () => {
  const [link] = objectsIn(await walk.run('KEY='));
  expect((await fetch(String(link?.['url']))).status).toBe(200);
  walk.done();
});
