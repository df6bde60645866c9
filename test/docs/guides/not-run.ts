/** The blocks of the guides that no test runs, each with the reason. Every other block is run by its guide's test, in its
 *  order, in a fresh folder. */

export interface NotRun {
  /** Its file in docs/guides. */
  readonly guide: string;
  /** How the first line of the block begins. */
  readonly begins: string;
  readonly reason: string;
}

const registry = 'it fetches packages; the tests use those that are installed here';

export const notRun: readonly NotRun[] = [
  { guide: 'operate.md', begins: 'use galla', reason: 'for the shell of a MongoDB with users' },
  { guide: 'operate.md', begins: 'nats stream edit', reason: 'needs a NATS cluster of three servers' },
  { guide: 'operate.md', begins: 'npm i uWebSockets.js@github', reason: registry },
  { guide: 'typed-client.md', begins: 'npm init --yes', reason: registry },
  ...[
    "import { expect, test } from 'vitest';",
    "import { holdKind } from './hold/kind.ts';",
    "import { Type } from 'typebox';",
    "import { shown } from '../route/description.ts';",
    "import { holdRoutes } from './routes/holds.ts';",
  ].map((begins): NotRun => ({
    guide: 'add-an-actor.md',
    begins,
    reason: 'imports of its files: test/example-actor/typed-in.test.ts types them in',
  })),
];

/** Lines of blocks that are run without them. */
export const linesNotRun: readonly NotRun[] = [
  { guide: 'express-and-php.md', begins: 'npm init -y && npm install ', reason: registry },
];

/** A block without the lines of it that are not run; there is one at least. */
export function linesRun(guide: string, block: string): string {
  const isRun = (line: string): boolean =>
    !linesNotRun.some((each) => each.guide === guide && line.startsWith(each.begins));
  const lines = block.split('\n');
  if (lines.every(isRun)) throw new Error(`every line of this block of ${guide} is run`);
  return lines.filter(isRun).join('\n');
}
