/** `npm run rows`: which rows of the feature list have a test that names them, and which have none yet.
 *  A row's test is titled `row N: ...`; the list of features is docs/reference/features.md. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => readFileSync(join(root, 'test', path), 'utf8'));
const tested = new Set(tests.flatMap((text) => [...text.matchAll(/['"`]row (\d+): /g)].map((match) => Number(match[1]))));
const rows = [...readFileSync(join(root, 'docs/reference/features.md'), 'utf8').matchAll(/^\| (\d+) \| ([^|]+) \|/gm)]
  .map((match) => ({ number: Number(match[1]), feature: (match[2] ?? '').trim() }));

for (const { number, feature } of rows) {
  process.stdout.write(`${tested.has(number) ? 'tested ' : 'none   '} ${String(number).padStart(3)}  ${feature}\n`);
}
process.stdout.write(`\n${rows.filter(({ number }) => tested.has(number)).length} of ${rows.length} rows have a test\n`);
