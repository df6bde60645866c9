/** A guide as its reader follows it: its blocks in their order, in one shell, in one fresh folder, at a service of its own.
 *  1. A block runs as it stands, but for what its reader is told to put in (`Reading`), the address of the service, and what
 *     the walk's own replacements name.
 *  2. Every line that has run is noted (ledger.ts); the walk fails if one is left. */
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
import { afterAll, beforeAll, expect } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { startGalla, type Galla } from '../../support/galla.ts';
import { root } from '../../support/house.ts';
import { ledgerOf, type Ledger } from './ledger.ts';

const usual = 'http://127.0.0.1:8080';
/** Of one block: some are a dozen processes, one after the other. */
const blockMsMax = 60_000;

/** A program of the guide that goes on until it is ended. */
export interface Program {
  said(): string;
  heard(words: RegExp): Promise<RegExpExecArray>;
}

/** What a reader does to a block. */
export interface Reading {
  /** What he puts in the place of an example; each one is in the block. */
  readonly replace?: { readonly [text: string]: string };
  /** Lines that he has already: in a program below its imports, in a shell above the block. */
  readonly before?: string;
  readonly after?: string;
  /** Only this line of the block, counted from 0. */
  readonly line?: number;
}

/** A block that a reader may run more than once, or line by line. */
export interface Lent {
  run(reading?: Reading): Promise<string>;
  start(reading?: Reading): Promise<Program>;
  /** Writes it into a file; it has run when a command that names the file has. */
  write(file: string, reading?: Reading): void;
  /** For a machine without what it needs, which the test reports as skipped. */
  skip(): void;
}

/** The replacements of one walk: ports and commands of this machine. */
export type Replacements = { readonly [text: string]: string };

class Walk {
  readonly galla: Galla;
  readonly folder: string;
  private readonly shell: ChildProcessWithoutNullStreams;
  private readonly ledger: Ledger;
  private readonly replacements: readonly (readonly [string, string])[];
  private readonly programs: number[] = [];
  /** Notes what a file holds as run; by the file's name. */
  private readonly written = new Map<string, () => void>();
  private said = '';
  private complaints = '';
  private count = 0;

  private constructor(galla: Galla, folder: string, ledger: Ledger, replacements: Replacements) {
    this.galla = galla;
    this.folder = folder;
    this.ledger = ledger;
    this.replacements = [...Object.entries(replacements), [usual, galla.url]];
    // of this process: the reader has none of them, and BASE_URL is that of the test runner
    const { GALLA_DATA_DIR: _folder, BASE_URL: _url, GALLA_TESTS_SKIP_NOTHING: _skip, ...env } = process.env;
    this.shell = spawn('sh', ['-eu'], { cwd: folder, env });
    this.shell.stdout.on('data', (chunk: Buffer) => void (this.said += chunk.toString('utf8')));
    this.shell.stderr.on('data', (chunk: Buffer) => void (this.complaints += chunk.toString('utf8')));
  }

  static async begin(ledger: Ledger, replacements: Replacements): Promise<Walk> {
    const folder = mkdtempSync(join(tmpdir(), 'galla-guide-'));
    const galla = await startGalla({ GALLA_DATA_DIR: join(folder, '.galla') });
    const walk = new Walk(galla, folder, ledger, replacements);
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
  lend(language: string, begins: string): Lent {
    const taken = this.ledger.take(language, begins);
    const read = (reading: Reading): { readonly text: string; readonly ran: () => void } => {
      const lines = taken.lines.filter((_, index) => index === (reading.line ?? index));
      return { text: this.asRead(lines, language, reading), ran: () => this.ledger.note(taken, lines) };
    };
    return {
      run: async (reading = {}) => {
        const { text, ran } = read(reading);
        const said = await this.shelled(text);
        ran();
        return said;
      },
      start: async (reading = {}) => {
        const { text, ran } = read(reading);
        const program = await this.started(text);
        const heard = async (words: RegExp): Promise<RegExpExecArray> => {
          const found = await program.heard(words);
          ran();
          return found;
        };
        return { ...program, heard };
      },
      write: (file, reading = {}) => {
        const { text, ran } = read(reading);
        writeFileSync(join(this.folder, file), text);
        this.written.set(file, ran);
      },
      skip: () => this.ledger.note(taken, taken.lines),
    };
  }

  /** The lines with what the reader puts in and has already. */
  private asRead(lines: readonly string[], language: string, reading: Reading): string {
    const { replace = {}, before = '', after = '' } = reading;
    const script = language === 'html' || language === 'js' || language === 'ts';
    const isImport = (line: string): boolean => script && line.startsWith('import ');
    const text = Object.entries(replace).reduce(
      (done, [from, to]) => {
        expect(done, 'the block').toContain(from);
        return done.replaceAll(from, to);
      },
      this.placed(lines.filter((line) => !isImport(line)).join('\n')),
    );
    return [...lines.filter(isImport), before, text, after].filter((part) => part !== '').join('\n');
  }

  /** Runs the next block, which is of a shell; gives what it prints. */
  run(begins: string, reading: Reading = {}): Promise<string> {
    return this.lend('sh', begins).run(reading);
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
    for (const [file, ran] of this.written) if (lines.includes(file)) ran();
    return this.said.slice(from, ends());
  }

  /** Starts the next block, whose last line does not end by itself; it has run when it has been heard. */
  start(begins: string, reading: Reading = {}): Promise<Program> {
    return this.lend('sh', begins).start(reading);
  }

  /** Starts lines that no block has; the last one does not end by itself. */
  async started(text: string): Promise<Program> {
    const lines = text.trimEnd().replaceAll(/\\\n/g, '').split('\n');
    const last = `exec env ${lines.at(-1) ?? ''}`;
    const log = join(this.folder, `program-${++this.count}.log`);
    // it is read before the program in the background may have opened it
    writeFileSync(log, '');
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
  node([language, begins]: readonly ['js' | 'ts' | 'html', string], reading: Reading = {}): Promise<string> {
    const file = `block-${++this.count}.mjs`;
    this.lend(language, begins).write(file, reading);
    return this.shelled(`node ${file}`);
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

/** The walk through a guide for the tests of one file: one service, one shell and one folder, from before the first test to
 *  after the last one. The file fails unless its tests have run every block.
 *  `guide`: its file in docs/guides. `replace`: what of the blocks is other here, beside the address of the service. */
export function walked(
  guide: string,
  replace: () => Promise<Replacements> = () => Promise.resolve({}),
): () => Walk {
  const ledger = ledgerOf(guide);
  let walk: Walk | null = null;
  beforeAll(async () => {
    walk = await Walk.begin(ledger, await replace());
  });
  afterAll(() => walk?.end());
  return () => {
    if (walk === null) throw new Error('the walk begins with the first test');
    return walk;
  };
}

/** The JSON objects that were printed, one a line. */
export const objectsIn = (text: string): readonly { readonly [name: string]: unknown }[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { readonly [name: string]: unknown });
