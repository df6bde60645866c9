/** The reference of the API says what the routes declare. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { read, root } from '../support/house.ts';
import { folder, overview, referencePages, withGenerated } from '../support/reference.ts';

const pages = referencePages();

test.each([...pages])('%s says what the routes declare', (path, generated) => {
  const text = read(path);
  expect(withGenerated(text, generated), 'npm run reference').toBe(text);
  expect(
    withGenerated(
      text,
      generated.map(() => 'something else'),
    ),
  ).not.toBe(text);
});

test('every resource has its page, and every page its resource', () => {
  const written = readdirSync(join(root, folder)).map((name) => `${folder}/${name}`);
  expect([overview, ...written.toSorted()]).toEqual([overview, ...[...pages.keys()].slice(1).toSorted()]);
});
