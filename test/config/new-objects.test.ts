/** How much room a started service has for new objects. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const read = (path: string): string => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

test('the service has the same room for new objects wherever a command to start it is written', () => {
  const started = 'node --max-semi-space-size=32 dist/src/cli/start.js';
  const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: { readonly start: string } };
  expect(scripts.start).toBe(started.replace('dist/', 'config/launch.mjs dist/'));
  expect(JSON.parse(/^CMD (.+)$/m.exec(read('Dockerfile'))?.[1] ?? '[]')).toEqual(started.split(' '));
  for (const page of ['README.md', 'docs/guides/operate.md']) expect(read(page)).toContain(`\`${started}\``);
});
