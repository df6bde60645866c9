/** The repository as tests read it: every source file with its imports, every page of the documentation.
 *  Boundary: reads files; test/tidy.test.ts decides what is allowed. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');

export interface Import {
  /** From the root for files of ours, as it is written for packages. */
  readonly target: string;
  /** Nothing of it is left when the program runs. */
  readonly typeOnly: boolean;
}

export interface Source {
  /** From the root, with `/` on every system. */
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
  readonly imports: readonly Import[];
}

/** One document of README.md, CHANGELOG.md, CONTRIBUTING.md, SECURITY.md or docs/. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

export const read = (path: string): string => readFileSync(join(root, path), 'utf8').replaceAll('\r\n', '\n');

export const sourcesIn = (folder: string): readonly Source[] =>
  filesIn(folder, /\.[cm]?[jt]sx?$/).map((path) => sourceOf(path, read(path)));

export const sourceOf = (path: string, text: string): Source => ({
  path,
  text,
  lines: text.split('\n'),
  imports: importsIn(path, text),
});

export const pages = (): readonly Page[] =>
  ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', ...filesIn('docs', /\.md$/)].map(
    (path) => ({
      path,
      text: read(path),
    }),
  );

function filesIn(folder: string, named: RegExp): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => posix.join(folder, path.replaceAll(sep, '/')))
    .filter((path) => named.test(path))
    .sort();
}

/** Each way to name another module; the first group is what is taken from it, the second the module. */
const forms: readonly RegExp[] = [
  /^[ \t]*(?:import|export)\b([^'"`;()]*?)\bfrom\s*['"]([^'"]+)['"]/gm,
  /^[ \t]*import\s*()['"]([^'"]+)['"]/gm,
  /\b(?:import|require)\s*\(()\s*['"`]([^'"`]+)['"`]/g,
  /\bnew URL\(()\s*['"`](\.[^'"`]+)['"`],\s*import\.meta/g,
];

function importsIn(path: string, text: string): readonly Import[] {
  return forms.flatMap((form) =>
    [...text.matchAll(form)].map(([, clause = '', target = '']) => ({
      target: target.startsWith('.') ? posix.normalize(posix.join(path, '..', target)) : target,
      typeOnly: isTypeOnly(clause.trim()),
    })),
  );
}

/** `type { A }`, or braces in which every name is a type. */
function isTypeOnly(clause: string): boolean {
  if (/^type\b/.test(clause)) return true;
  const named = /^\{([^}]*)\}$/.exec(clause)?.[1] ?? '';
  const names = named
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return names.length > 0 && names.every((name) => name.startsWith('type '));
}
