/** No block of a guide is forgotten: each is run by the test of its guide, which fails when it has not run all of them
 *  (ledger.ts), is a file of this repository, or is in the list of those that are not run (not-run.ts). */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { read, root } from '../../support/house.ts';
import { blocksIn, firstLineOf, isCommand, isNotRun, Ledger, linesOf } from './ledger.ts';
import { blocksNotRun, linesNotRun } from './not-run.ts';

const guides = readdirSync(join(root, 'docs/guides')).filter((name) => name.endsWith('.md'));
const blocksOf = (guide: string) => blocksIn(read(`docs/guides/${guide}`)).filter(isCommand);

test('every guide with commands has a test that keeps its ledger', () => {
  const withCommands = guides.filter((guide) => blocksOf(guide).some((block) => !isNotRun(guide, block)));
  expect(withCommands.length).toBeGreaterThan(8);
  const tests = readdirSync(import.meta.dirname)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `test/docs/guides/${name}`);
  const kept = [...tests, 'test/example-actor/typed-in.test.ts'].flatMap((file) =>
    [...read(file).matchAll(/^const \w+ = (?:walked|ledgerOf)\('([\w-]+\.md)'/gm)].map(
      ([, guide = '']) => guide,
    ),
  );
  expect(kept.toSorted()).toEqual(withCommands.toSorted());
});

test('a ledger misses each line that was not run, and takes no block out of its order', () => {
  const fence = '```';
  const page = `${fence}sh\na 1\nb 2\n${fence}\n${fence}text\nshown\n${fence}\n${fence}js\nc()\n${fence}\n`;
  const ledger = new Ledger('some.md', page);
  expect(ledger.missing()).toEqual(['a 1: a 1', 'a 1: b 2', 'c(): c()']);
  expect(() => ledger.take('js', 'c()')).toThrow('the next block of some.md is sh a 1, and not js c()');
  const other = new Ledger('some.md', page);
  const first = other.take('sh', 'a ');
  other.note(first, ['b 2']);
  other.note(other.take('js', 'c'), ['c()']);
  expect(other.missing()).toEqual(['a 1: a 1']);
  expect(() => other.take('sh', 'd')).toThrow('the end of the guide');
  other.note(first, ['a 1']);
  expect(other.missing()).toEqual([]);
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
  for (const { guide, begins, reason } of blocksNotRun) {
    expect(
      blocksOf(guide).filter((block) => firstLineOf(block).startsWith(begins)),
      begins,
    ).not.toEqual([]);
    expect(reason.length).toBeGreaterThan(10);
  }
  for (const { guide, begins, reason } of linesNotRun) {
    const lines = blocksOf(guide).flatMap(linesOf);
    expect(
      lines.filter((line) => line.startsWith(begins)),
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
