/** No block of a guide is forgotten: each is run by the test of its guide, is a file of this repository, or is in the
 *  list of those that are not run. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { read, root } from '../../support/house.ts';
import { notRun } from './not-run.ts';
import { blocksIn, firstLineOf, isCommand, isNotRun } from './walk.ts';

const guides = readdirSync(join(root, 'docs/guides')).filter((name) => name.endsWith('.md'));
const blocksOf = (guide: string) => blocksIn(read(`docs/guides/${guide}`)).filter(isCommand);

test('the test of every guide with commands walks it to its end', () => {
  const withCommands = guides.filter((guide) => blocksOf(guide).some((block) => !isNotRun(guide, block)));
  expect(withCommands.length).toBeGreaterThan(8);
  const walked = readdirSync(import.meta.dirname)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => read(`test/docs/guides/${name}`))
    .filter((text) => text.includes('walk.done()'))
    .flatMap((text) => [...text.matchAll(/Walk\.begin\('([\w-]+\.md)'/g)].map(([, guide = '']) => guide));
  expect(walked.toSorted()).toEqual(withCommands.toSorted());
});

test('every block is of a language that is run, or that is only shown', () => {
  const known = ['sh', 'js', 'ts', 'php', 'html', 'text', 'json'];
  for (const guide of guides)
    for (const { language } of blocksIn(read(`docs/guides/${guide}`)))
      expect(known, `${guide}: ${language}`).toContain(language);
  // and none is missed for the way its fence is written
  for (const guide of guides) {
    const page = read(`docs/guides/${guide}`);
    const fences = page.split('\n').filter((line) => /^\s*(?:```|~~~)/.test(line)).length;
    expect([guide, fences]).toEqual([guide, 2 * blocksIn(page).length]);
  }
});

test('what is not run is there, and has its reason', () => {
  for (const { guide, begins, reason } of notRun) {
    expect(
      blocksOf(guide).filter((block) => firstLineOf(block).startsWith(begins)),
      begins,
    ).not.toEqual([]);
    expect(reason.length).toBeGreaterThan(10);
  }
});

test('a block is found with its language, also in a list; one that names a file is that file', () => {
  const page =
    'x\n```sh\na\n```\n1. y\n\n   ```js\n   b\n   c\n   ```\n```ts src/x.ts\nd\n```\n```text\ne\n```\n';
  expect(blocksIn(page).map(({ language, file, text }) => [language, file, text])).toEqual([
    ['sh', '', 'a\n'],
    ['js', '', 'b\nc\n'],
    ['ts', 'src/x.ts', 'd\n'],
    ['text', '', 'e\n'],
  ]);
  expect(blocksIn(page).filter(isCommand).map(firstLineOf)).toEqual(['a', 'b']);
});
