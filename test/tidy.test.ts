import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize, relative } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
/** Files a person writes; the ceiling asks which noun inside wants a room of its own. */
const linesMax = 400;
const lineLengthMax = 140;
/** A false green is worse than a red: fewer files than this means the walk is broken. */
const filesMin = 60;

interface Source {
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
  /** Files of ours it imports, from the root; packages as they are written. */
  readonly imports: readonly string[];
}

const files = ['src', 'actors', 'gateways', 'test', 'bench'].flatMap(sourcesIn);
const shipped = files.filter(({ path }) => !path.startsWith('test/') && !path.startsWith('bench/'));

function sourcesIn(folder: string): Source[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => {
      const path = relative(root, join(entry.parentPath, entry.name));
      const text = readFileSync(join(root, path), 'utf8');
      const imports = [...text.matchAll(/^(?:import|export)[^;]*?from '([^']+)'/gm), ...text.matchAll(/import\('([^']+)'\)/g)]
        .map((match) => match[1] ?? '')
        .map((target) => (target.startsWith('.') ? normalize(join(path, '..', target)) : target));
      return { path, text, lines: text.split('\n'), imports };
    });
}

/** Who breaks a law, as `file: what`. */
function offenders(inRoom: RegExp, broken: (source: Source) => readonly string[]): string[] {
  return shipped.filter(({ path }) => inRoom.test(path)).flatMap((source) => broken(source).map((what) => `${source.path}: ${what}`));
}

const importsOutside = (...allowed: RegExp[]) => ({ imports }: Source): readonly string[] =>
  imports.filter((target) => !allowed.some((pattern) => pattern.test(target)));

/** Code lines alone: what a comment says is no call. */
const calls = (...patterns: RegExp[]) => ({ lines }: Source): readonly string[] =>
  lines.filter((line) => !/^\s*(\/\/|\*|\/\*)/.test(line) && patterns.some((pattern) => pattern.test(line)));

test('the walk finds the house', () => {
  expect(files.length).toBeGreaterThan(filesMin);
});

describe('import laws', () => {
  test('actors see the actor builder, the kernel and one another', () => {
    expect(offenders(/^actors\//, importsOutside(/^src\/runtime\/actor\.ts$/, /^src\/kernel\//, /^actors\//))).toEqual([]);
  });
  test('neither actors nor src see gateways, but for the composition root', () => {
    expect(offenders(/^(actors|src)\/(?!main\.ts|cli\/)/, ({ imports }) => imports.filter((target) => target.startsWith('gateways/')))).toEqual([]);
  });
  test('the kernel sees nothing of ours', () => {
    expect(offenders(/^src\/kernel\//, ({ imports }) => imports.filter((target) => /^(src\/(?!kernel\/)|actors|gateways)/.test(target)))).toEqual([]);
  });
  test('runtime and store know no business', () => {
    expect(offenders(/^src\/(runtime|store|outbound)\//, ({ imports }) =>
      imports.filter((target) => /^(gateways|src\/providers)\//.test(target) || (/^actors\//.test(target))))
      .filter((line) => !line.startsWith('src/outbound/webhook'))).toEqual([]);
  });
  test('a simulator imports node and the kernel only, so that a mistake cannot cancel itself out', () => {
    expect(offenders(/^src\/providers\/[^/]+\/simulator\.ts$/, importsOutside(/^node:/, /^src\/kernel\//))).toEqual([]);
  });
  test('nothing lies at the root of src but main, config and errors', () => {
    expect(shipped.map(({ path }) => path).filter((path) => /^src\/[^/]+$/.test(path)).sort())
      .toEqual(['src/config.ts', 'src/errors.ts', 'src/main.ts']);
  });
});

describe('time and chance are arguments', () => {
  test('actors and the runtime call no clock, no timer and no dice', () => {
    const banned = calls(/\bDate\.now\b/, /new Date\(\)/, /\bMath\.random\b/, /\bset(Timeout|Interval|Immediate)\(/, /\brandom(Bytes|UUID|Int)\(/, /\bperformance\.now\b/);
    expect(offenders(/^(actors|src\/runtime)\//, banned)).toEqual([]);
  });
  test('actors never wait', () => {
    expect(offenders(/^actors\//, calls(/\bawait\b/, /\basync\b/, /\bPromise\b/))).toEqual([]);
  });
});

describe('sizes', () => {
  test(`no file passes ${linesMax} lines`, () => {
    expect(files.filter(({ lines }) => lines.length > linesMax + 1).map(({ path, lines }) => `${path}: ${lines.length}`)).toEqual([]);
  });
  test(`no line of the product passes ${lineLengthMax} columns`, () => {
    expect(offenders(/./, ({ lines }) => lines.flatMap((line, at) => (line.length > lineLengthMax ? [`line ${at + 1}`] : [])))).toEqual([]);
  });
});

describe('style', () => {
  test('no any, no default exports, no barrels', () => {
    expect(offenders(/./, calls(/\bas any\b/, /: any\b/, /^export default\b/, /^export \* from/))).toEqual([]);
  });
  test('nothing is called utils or helpers', () => {
    expect(files.map(({ path }) => path).filter((path) => /(utils?|helpers?|misc|common)\.tsx?$/.test(path))).toEqual([]);
  });
  test('each file of the product says at its head what it is for', () => {
    expect(shipped.filter(({ text }) => !/\/\*\*/.test(text)).map(({ path }) => path)).toEqual([]);
  });
});

describe('docs say what the code says', () => {
  test('every setting stands in docs/reference/settings.md', () => {
    const settings = [...readFileSync(join(root, 'src/config.ts'), 'utf8').matchAll(/\b(GALLA_[A-Z_]+|WEBHOOK_[A-Z_]+)\b/g)].map((m) => m[1] ?? '');
    const page = readFileSync(join(root, 'docs/reference/settings.md'), 'utf8');
    expect([...new Set(settings)].filter((name) => !page.includes(name))).toEqual([]);
  });
  test('every public error stands in docs/reference/errors.md', async () => {
    const page = readFileSync(join(root, 'docs/reference/errors.md'), 'utf8');
    const codes = [...readFileSync(join(root, 'src/errors.ts'), 'utf8').matchAll(/^\s+([a-z][a-z_]+): (?:\{|error\()/gm)].map((m) => m[1] ?? '');
    expect(codes.length).toBeGreaterThan(20);
    expect(codes.filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
  });
});
