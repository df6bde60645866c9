/** The blocks of a guide, and which of their lines a test has run: noted as they run, and compared at the end of the tests
 *  of a file.
 *  1. A line that was not run, and is not in the list of those that are not (not-run.ts), fails that file.
 *  2. Blocks are taken in the order of the guide. */
import { afterAll, expect } from 'vitest';
import { read } from '../../support/house.ts';
import { blocksNotRun, linesNotRun } from './not-run.ts';

export interface Block {
  readonly language: string;
  /** The file that it is, if it names one. */
  readonly file: string;
  readonly text: string;
}

/** The fenced blocks of a page, also those in lists. */
export const blocksIn = (page: string): readonly Block[] =>
  [...page.matchAll(/^( *)```(\w*)[ ]?(\S*)\n([^]*?)^ *```$/gm)].map(
    ([, indent = '', language = '', file = '', text = '']) => ({
      language,
      file,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );

/** What a reader types or runs; the rest is shown. */
export const isCommand = ({ language, file }: Block): boolean =>
  file === '' && ['sh', 'js', 'ts', 'php', 'html'].includes(language);

export const linesOf = ({ text }: Pick<Block, 'text'>): readonly string[] => text.trimEnd().split('\n');
export const firstLineOf = (block: Pick<Block, 'text'>): string => linesOf(block)[0] ?? '';

export const isNotRun = (guide: string, block: Block): boolean =>
  blocksNotRun.some((each) => each.guide === guide && firstLineOf(block).startsWith(each.begins));

const lineIsRun = (guide: string, line: string): boolean =>
  line.trim() !== '' && !linesNotRun.some((each) => each.guide === guide && line.startsWith(each.begins));

/** One block of the guide, and the lines of it that a reader can run here. */
export interface Taken {
  readonly number: number;
  readonly block: Block;
  readonly lines: readonly string[];
}

export class Ledger {
  private readonly guide: string;
  private readonly blocks: readonly Block[];
  /** Lines that were run, of each block. */
  private readonly ran: readonly Set<string>[];
  private taken = 0;

  /** `page`: the guide's text. */
  constructor(guide: string, page: string) {
    this.guide = guide;
    this.blocks = blocksIn(page).filter((block) => isCommand(block) && !isNotRun(guide, block));
    this.ran = this.blocks.map(() => new Set());
  }

  /** The next block, which begins like this; throws if it is another one. */
  take(language: string, begins: string): Taken {
    const number = this.taken++;
    const block = this.blocks[number];
    const found = block === undefined ? 'the end of the guide' : `${block.language} ${firstLineOf(block)}`;
    if (block === undefined || !found.startsWith(`${language} ${begins}`))
      throw new Error(`the next block of ${this.guide} is ${found}, and not ${language} ${begins}`);
    return { number, block, lines: linesOf(block).filter((line) => lineIsRun(this.guide, line)) };
  }

  /** Notes that these lines of a block were run. */
  note({ number }: Pick<Taken, 'number'>, lines: readonly string[]): void {
    for (const line of lines) this.ran[number]?.add(line);
  }

  /** What no test has run: each line, after the beginning of its block. */
  missing(): readonly string[] {
    return this.blocks.flatMap((block, number) =>
      linesOf(block)
        .filter((line) => lineIsRun(this.guide, line) && this.ran[number]?.has(line) !== true)
        .map((line) => `${firstLineOf(block)}: ${line}`),
    );
  }
}

/** The ledger of a guide for the tests of one file, which fails unless they have run all of it. */
export function ledgerOf(guide: string): Ledger {
  const ledger = new Ledger(guide, read(`docs/guides/${guide}`));
  afterAll(() => expect(ledger.missing(), `lines of ${guide} that were not run`).toEqual([]));
  return ledger;
}
