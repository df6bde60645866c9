/** A guide as its reader follows it: its blocks in their order, in one shell, in one fresh folder, at a service of its own.
 *  1. Every block is run, or is in the list of those that are not (not-run.ts), or is a file of this repository.
 *  2. What is replaced in a block: the address of the service, and the ports that `replace` names. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { startGalla, type Galla } from '../../support/galla.ts';
import { read, root } from '../../support/house.ts';
import { notRun } from './not-run.ts';

const usual = 'http://127.0.0.1:8080';
/** Of one block: some are a dozen processes, one after the other. */
const blockMsMax = 60_000;

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

export const firstLineOf = ({ text }: Block): string => text.split('\n')[0] ?? '';

export const isNotRun = (guide: string, block: Block): boolean =>
  notRun.some((each) => each.guide === guide && firstLineOf(block).startsWith(each.begins));

/** A program of the guide that goes on until it is ended. */
export interface Program {
  said(): string;
  heard(words: RegExp): Promise<RegExpExecArray>;
}

export class Walk {
  readonly galla: Galla;
  readonly folder: string;
  private readonly shell: ChildProcessWithoutNullStreams;
  private readonly left: Block[];
  private readonly replacements: readonly (readonly [string, string])[];
  private readonly programs: number[] = [];
  private said = '';
  private complaints = '';
  private count = 0;

  private constructor(galla: Galla, folder: string, left: Block[], replacements: Walk['replacements']) {
    this.galla = galla;
    this.folder = folder;
    this.left = left;
    this.replacements = [...replacements, [usual, galla.url]];
    // of this process: the reader has none of them, and BASE_URL is that of the test runner
    const { GALLA_DATA_DIR: _folder, BASE_URL: _url, GALLA_TESTS_SKIP_NOTHING: _skip, ...env } = process.env;
    this.shell = spawn('sh', ['-eu'], { cwd: folder, env });
    this.shell.stdout.on('data', (chunk: Buffer) => void (this.said += chunk.toString('utf8')));
    this.shell.stderr.on('data', (chunk: Buffer) => void (this.complaints += chunk.toString('utf8')));
  }

  /** `guide`: its file in docs/guides. */
  static async begin(guide: string, replace: { readonly [text: string]: string } = {}): Promise<Walk> {
    const folder = mkdtempSync(join(tmpdir(), 'galla-guide-'));
    const galla = await startGalla({ GALLA_DATA_DIR: join(folder, '.galla') });
    const left = blocksIn(read(`docs/guides/${guide}`)).filter(
      (block) => isCommand(block) && !isNotRun(guide, block),
    );
    const walk = new Walk(galla, folder, left, Object.entries(replace));
    mkdirSync(join(folder, 'docs'));
    cpSync(join(root, 'docs/guides'), join(folder, 'docs/guides'), { recursive: true });
    for (const name of readdirSync(join(folder, 'docs/guides'))) {
      const script = join(folder, 'docs/guides', name);
      if (!name.endsWith('.md')) writeFileSync(script, walk.placed(readFileSync(script, 'utf8')));
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    return walk;
  }

  private placed(text: string): string {
    return this.replacements.reduce((done, [from, to]) => done.replaceAll(from, to), text);
  }

  /** The next block, which begins like this. */
  private take(language: string, begins: string): string {
    const [block] = this.left.splice(0, 1);
    const found = block === undefined ? 'the end of the guide' : `${block.language} ${firstLineOf(block)}`;
    expect(found, 'the next block of the guide').toContain(`${language} ${begins}`);
    return this.placed(block?.text ?? '');
  }

  /** Runs the next block, which is of a shell; gives what it prints. `edit`: what the reader is told to put in. */
  run(begins: string, edit: (text: string) => string = (text) => text): Promise<string> {
    return this.shelled(edit(this.take('sh', begins)));
  }

  /** Runs lines that no block has, in the reader's shell. */
  async shelled(lines: string): Promise<string> {
    const mark = `end-of-block-${++this.count}`;
    const from = this.said.length;
    this.shell.stdin.write(`${lines}\nprintf '\\n%s\\n' ${mark}\n`);
    const ends = (): number => this.said.indexOf(`\n${mark}\n`, from);
    await eventually(
      () => {
        if (this.shell.exitCode !== null)
          throw new Error(`${lines} failed: ${this.said.slice(from)}${this.complaints}`);
        return Promise.resolve(ends() < 0 ? null : true);
      },
      () => `the end of ${lines}: ${this.said.slice(from)}${this.complaints}`,
      blockMsMax,
    );
    return this.said.slice(from, ends());
  }

  /** Starts the next block, whose last line does not end by itself. */
  start(begins: string, edit: (text: string) => string = (text) => text): Promise<Program> {
    return this.started(edit(this.take('sh', begins)));
  }

  /** Starts lines that no block has; the last one does not end by itself. */
  async started(text: string): Promise<Program> {
    const lines = text.trimEnd().replaceAll(/\\\n/g, '').split('\n');
    const last = `exec env ${lines.at(-1) ?? ''}`;
    const log = join(this.folder, `program-${++this.count}.log`);
    const pid = await this.shelled(
      `( ${[...lines.slice(0, -1), last].join('\n')}\n) > ${log} 2>&1 &\necho $!`,
    );
    this.programs.push(Number(pid.trim()));
    const said = (): string => readFileSync(log, 'utf8');
    const heard = (words: RegExp): Promise<RegExpExecArray> =>
      eventually(
        () => Promise.resolve(words.exec(said())),
        () => `${String(words)} in: ${said()}`,
        blockMsMax,
      );
    return { said, heard };
  }

  /** Runs the next block as a program of node, between what its reader has already. */
  async node(
    [language, begins]: readonly ['js' | 'ts' | 'html', string],
    around: (block: string) => string,
  ): Promise<string> {
    const file = join(this.folder, `block-${++this.count}.mjs`);
    writeFileSync(file, around(this.take(language, begins)));
    return this.shelled(`node ${file}`);
  }

  /** The next block, for a reader who does something else with it. */
  text(language: string, begins: string): string {
    return this.take(language, begins);
  }

  /** Every block was reached. */
  done(): void {
    expect(this.left.map(firstLineOf)).toEqual([]);
  }

  async end(): Promise<void> {
    for (const pid of this.programs) {
      try {
        process.kill(pid);
      } catch {
        // it has ended by itself
      }
    }
    this.shell.kill('SIGKILL');
    await this.galla.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The JSON objects that were printed, one a line. */
export const objectsIn = (text: string): readonly { readonly [name: string]: unknown }[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { readonly [name: string]: unknown });
