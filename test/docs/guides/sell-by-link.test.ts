import { expect, test } from 'vitest';
import { objectsIn, walked } from './walk.ts';

const walk = walked('sell-by-link.md');

test('the guide makes a link that opens', async () => {
  const [link] = objectsIn(await walk().run('KEY='));
  expect((await fetch(String(link?.['url']))).status).toBe(200);
});
