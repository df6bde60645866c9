/** `npm run rows`: which rows of the feature list a test names, and which none yet. A row's test is titled
 *  `row N: ...`; the list is docs/reference/features.md. `npm run rows -- --write` brings its last column up to date
 *  (a row that is only built `in part` stays so until a person says otherwise). */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { features, featuresPath, stateOf, testedRows } from './features.ts';
import { read, root } from './house.ts';

const tested = testedRows();
const rows = features().map((feature) => ({ ...feature, now: stateOf(feature, tested) }));

for (const { row, feature, now } of rows) {
  process.stdout.write(`${now.padEnd(8)} ${String(row).padStart(3)}  ${feature}\n`);
}
const count = (state: string): number => rows.filter(({ now }) => now === state).length;
process.stdout.write(`\n${count('tested') + count('in part')} of ${rows.length} rows have a test`);
process.stdout.write(` (${count('in part')} of them are built in part)\n`);

const stale = rows.filter(({ state, now }) => state !== now);
if (process.argv.includes('--write')) write();
else if (stale.length > 0) {
  const behind = stale.map(({ row }) => row).join(', ');
  process.stdout.write(`${featuresPath} is behind on ${behind}: npm run rows -- --write\n`);
}

function write(): void {
  const states = new Map(rows.map(({ row, now }) => [row, now]));
  const text = read(featuresPath).replace(
    /^(\| (\d+) \| [^|]+ \| )[^|]+ \|$/gm,
    (line, head: string, row: string) => {
      const now = states.get(Number(row));
      return now === undefined ? line : `${head}${now} |`;
    },
  );
  writeFileSync(join(root, featuresPath), text);
}
