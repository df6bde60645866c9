import { afterEach, beforeEach, expect, test } from 'vitest';
import { objectsIn, Walk } from './walk.ts';

let walk: Walk;
beforeEach(async () => {
  walk = await Walk.begin('sell-by-link.md');
});
afterEach(() => walk.end());

test('the guide makes a link that opens', async () => {
  const [link] = objectsIn(await walk.run('KEY='));
  expect((await fetch(String(link?.['url']))).status).toBe(200);
  walk.done();
});
