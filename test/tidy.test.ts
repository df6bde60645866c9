/** The laws of the house (docs/architecture.md), each with a breach that proves it can be broken. */
import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buyerDoors } from '../gateways/buyer/doors.ts';
import { eventKinds } from '../gateways/http/event-kinds.ts';
import { routes, type ApiParts } from '../gateways/http/routes.ts';
import { assetDoors } from '../gateways/pages/assets.ts';
import { simulatorDoors } from '../gateways/simulator/doors.ts';
import { settings } from '../src/config.ts';
import { errors, fieldMessages, idempotencyConflict } from '../src/errors.ts';
import { features, stateOf, testedRows } from './support/features.ts';
import { pages, read, root, sourceOf, sourcesIn, type Import, type Source } from './support/house.ts';

/** A file a person writes; the ceiling asks which noun inside it wants a room of its own. */
const fileLinesMax = 400;
const functionLinesMax = 70;
const columnsMax = 120;
/** A false green is worse than a red: fewer files than this means that the walk is broken. */
const filesMin = 250;

const shipped = ['src', 'actors', 'gateways'].flatMap(sourcesIn);
const files = [...shipped, ...['test', 'bench'].flatMap(sourcesIn)];

interface Law {
  readonly says: string;
  /** Files it is about. */
  readonly rooms: RegExp;
  /** What breaks it, one text each. */
  readonly broken: (source: Source) => readonly string[];
  /** A file that breaks it. */
  readonly breach: readonly [path: string, text: string];
}

/** Everything imported but what is allowed; `types` may be imported as types alone. */
const importsBut = (allowed: readonly RegExp[], types: readonly RegExp[] = []) => ({ imports }: Source): readonly string[] =>
  imports.filter(({ target, typeOnly }) => !allowed.some((one) => one.test(target)) && !(typeOnly && types.some((one) => one.test(target))))
    .map(({ target }) => `imports ${target}`);

const importsOf = (forbidden: (found: Import) => boolean) => ({ imports }: Source): readonly string[] =>
  imports.filter(forbidden).map(({ target }) => `imports ${target}`);

/** Lines of code that match; what a comment says is no call. */
const says = (...patterns: readonly RegExp[]) => ({ lines }: Source): readonly string[] => lines.flatMap((line, at) =>
  !/^\s*(?:\/\/|\*|\/\*)/.test(line) && patterns.some((pattern) => pattern.test(line)) ? [`line ${at + 1}: ${line.trim()}`] : []);

const kernel = /^src\/kernel\//;
const nodes = /^node:/;
const clocks = [/\bDate\.now\b/, /\bnew Date\b/, /\bperformance\.now\b/, /\bhrtime\b/, /\bset(?:Timeout|Interval|Immediate)\b/];
const dice = [/\bMath\.random\b/, /\brandom(?:Bytes|UUID|Int|FillSync)\b/, /\bgetRandomValues\b/];

const imports: readonly Law[] = [
  {
    says: 'actors see the actor builder, the kernel and one another', rooms: /^actors\//,
    broken: importsBut([/^src\/runtime\/actor\.ts$/, kernel, /^actors\//]),
    breach: ['actors/x/x.ts', "import { readFileSync } from 'node:fs';"],
  },
  {
    says: 'the kernel sees node and itself', rooms: kernel,
    broken: importsBut([nodes, kernel]), breach: ['src/kernel/x.ts', "import { actor } from '../runtime/actor.ts';"],
  },
  {
    says: 'the runtime sees the kernel and the store port, and knows no actor', rooms: /^src\/runtime\//,
    broken: importsBut([/^src\/runtime\//, kernel, /^src\/store\/store\.ts$/, /^node:util$/]),
    breach: ['src/runtime/x.ts', "import type { Order } from '../../actors/checkout-session/messages.ts';"],
  },
  {
    says: 'the store knows documents, not actors: of the runtime it takes types', rooms: /^src\/store\//,
    broken: importsBut([/^src\/store\//, kernel, nodes, /^libsql$/, /^esbuild$/], [/^src\/runtime\//]),
    breach: ['src/store/x.ts', "import { Node } from '../runtime/node.ts';"],
  },
  {
    says: 'one file speaks to SQLite', rooms: /^(?!src\/store\/sqlite-bind\.ts$)/,
    broken: importsOf(({ target }) => target === 'libsql'), breach: ['src/store/x.ts', "import Libsql from 'libsql';"],
  },
  {
    says: 'providers take types of actors\' messages and nothing else of actors', rooms: /^src\/providers\//,
    broken: importsBut([/^src\/(?:providers|kernel)\//, /^src\/runtime\/address\.ts$/, /^src\/outbound\/http\.ts$/, nodes], [/^actors\/[^/]+\/messages\.ts$/]),
    breach: ['src/providers/x.ts', "import { checkoutSessionAt } from '../../actors/checkout-session/messages.ts';"],
  },
  {
    says: 'a simulator imports node and the kernel alone, so that a mistake cannot cancel itself out',
    rooms: /^src\/providers\/[^/]+\/simulator\.ts$/, broken: importsBut([nodes, kernel]),
    breach: ['src/providers/x/simulator.ts', "import { objectIn } from '../provider.ts';"],
  },
  {
    says: 'outside of webhooks what goes out knows no actor', rooms: /^src\/(?:outbound\/(?!webhook-)|telemetry\/)/,
    broken: importsOf(({ target }) => /^(?:actors|gateways)\//.test(target)),
    breach: ['src/outbound/x.ts', "export { x } from '../../actors/project/project.ts';"],
  },
  {
    says: 'nobody but the composition root sees gateways', rooms: /^(?:actors|src)\/(?!main\.ts$)/,
    broken: importsOf(({ target }) => target.startsWith('gateways/')),
    breach: ['src/cli/x.ts', "const door = await import('../../gateways/listener.ts');"],
  },
  {
    says: 'gateways see messages and views of actors, never their tables', rooms: /^gateways\//,
    broken: importsOf(({ target }) => tables.has(target)),
    breach: ['gateways/x.ts', "import { project } from '../actors/project/project.ts';"],
  },
  {
    says: 'gateways speak as a provider by its simulator, never by our adapter, and know the store as a port', rooms: /^gateways\//,
    broken: importsOf(({ target }) => /^src\/(?:providers\/.*(?<!simulator)|store\/(?!store))\.ts$/.test(target)),
    breach: ['gateways/x.ts', "import { walletB } from '../src/providers/wallet-b/wallet-b.ts';"],
  },
  {
    says: 'the product takes nothing of tests and benches', rooms: /./,
    broken: importsOf(({ target }) => /^(?:test|bench)\/|^(?:vitest|fast-check|playwright-core|tsx)$/.test(target)),
    breach: ['src/x.ts', "import '../test/support/house.ts';"],
  },
];

/** Files that define an actor. */
const tables: ReadonlySet<string> = new Set(shipped
  .filter(({ path, text }) => path.startsWith('actors/') && /\bactor<\w+>\(/.test(text)).map(({ path }) => path));

const calls: readonly Law[] = [
  {
    says: 'actors, the runtime and the model of a store call no clock and throw no dice', rooms: /^(?:actors|src\/runtime|src\/store\/store-sim)/,
    broken: says(...clocks, ...dice), breach: ['src/runtime/x.ts', 'const at = Date.now();'],
  },
  {
    says: 'actors never wait', rooms: /^actors\//,
    broken: says(/\bawait\b/, /\basync\b/, /\bPromise\b/, /\.then\(/, /\bqueueMicrotask\b/, /\bprocess\b/, /\bfetch\(/),
    breach: ['actors/x/x.ts', 'const late = async () => 1;'],
  },
  {
    says: 'dice are thrown at the doors and by the kernel', rooms: /^src\/(?!kernel\/|main\.ts$|cli\/)/,
    broken: says(...dice), breach: ['src/outbound/x.ts', 'const x = Math.random();'],
  },
  {
    says: 'settings come from config.ts; the environment is read by the command line alone', rooms: /^(?!src\/cli\/)/,
    // uWebSockets.js takes its bound of a head from the environment and from nowhere else
    broken: says(/\bprocess\.env\b(?!\['UWS_HTTP_MAX_HEADERS_SIZE'\])/), breach: ['gateways/x.ts', "const x = process.env['X'];"],
  },
  {
    says: 'what is said goes to the log', rooms: /./, broken: says(/\bconsole\./), breach: ['src/x.ts', 'console.log(1);'],
  },
  {
    says: 'no any, no default exports, no barrels, no enums, no silenced checks', rooms: /./,
    broken: says(/\bas any\b/, /[:<|] ?any\b/, /^export default\b/, /^export \* from/, /^(?:export )?(?:const )?enum\b/, /@ts-(?:ignore|nocheck)/),
    breach: ['src/x.ts', 'const x: any = 1;'],
  },
  {
    says: 'no globals that change: a module holds constants', rooms: /./,
    broken: says(/^(?:export )?(?:let|var)\b/, /^(?:export )?const \w+(?:: (?!Readonly)[^=]+)? = (?:new (?:Map|Set)(?:<[^(]*>)?\(\)|\[\]);/),
    breach: ['src/x.ts', 'const seen = new Map<string, number>();'],
  },
];

const shapes: readonly Law[] = [
  {
    says: `no file passes ${fileLinesMax} lines`, rooms: /./,
    broken: ({ lines }) => (lines.length > fileLinesMax + 1 ? [`has ${lines.length - 1}`] : []),
    breach: ['src/x.ts', 'x\n'.repeat(fileLinesMax + 1)],
  },
  {
    says: `no function passes ${functionLinesMax} lines`, rooms: /./, broken: longFunctions,
    breach: ['src/x.ts', `function x(\n  a: number,\n): void {\n${'  a;\n'.repeat(functionLinesMax)}}\n`],
  },
  {
    says: `no line passes ${columnsMax} columns`, rooms: /./,
    broken: ({ lines }) => lines.flatMap((line, at) => (line.length > columnsMax ? [`line ${at + 1} has ${line.length}`] : [])),
    breach: ['src/x.ts', 'x'.repeat(columnsMax + 1)],
  },
  {
    says: 'each file says at its head what it is for', rooms: /./,
    broken: ({ text }) => (text.startsWith('/**') ? [] : ['begins without a comment']), breach: ['src/x.ts', 'const x = 1;'],
  },
  {
    says: 'a file is called by its noun', rooms: /./,
    broken: ({ path }) => (/(?:^|[/-])(?:utils?|helpers?|misc|common|stuff)\.ts$/.test(path) ? ['says nothing by its name'] : []),
    breach: ['src/kernel/string-utils.ts', ''],
  },
  {
    says: 'the repository speaks of the product alone', rooms: /./,
    broken: says(/\/work\/|\/tmp\/(?!galla)|\bTODO\b|\bFIXME\b/), breach: ['src/x.ts', "const x = '/work/main';"],
  },
];

/** Functions and methods that end further down than they may; a table of routes is none. */
function longFunctions({ lines }: Source): readonly string[] {
  const begins = [
    /^( *)(?:export )?(?:async )?function\b/, /^( *)(?:export )?const \w+.*=> \{$/,
    /^( +)(?!(?:if|for|while|switch|catch|return|else)\b)(?:(?:private|static|async|get|set) )*#?\w+(?:<[^>]*>)?\(.*\{$/,
  ];
  return lines.flatMap((line, at) => {
    const indent = begins.map((begin) => begin.exec(line)?.[1]).find((found) => found !== undefined);
    if (indent === undefined) return [];
    const end = lines.findIndex((each, below) => below > at && each.startsWith(`${indent}}`) && !/^ *\}(?:\)?:| )/.test(each));
    return end - at + 1 > functionLinesMax ? [`line ${at + 1}: ${end - at + 1} lines`] : [];
  });
}

test('the walk finds the house and every way to import', () => {
  expect(files.length).toBeGreaterThan(filesMin);
  expect(tables.size).toBeGreaterThan(5);
  const ways = [
    "import a, {\n  b,\n} from './a.ts';", "import type { B } from './b.ts';", "import { type C, type D } from './c.ts';",
    "export * from './d.ts';", "import './e.ts';", "await import('./f.ts');", "require('./g.ts');", "new URL('./h.js', import.meta.url)",
  ];
  expect(sourceOf('src/x/x.ts', ways.join('\n')).imports).toEqual([
    { target: 'src/x/a.ts', typeOnly: false }, { target: 'src/x/b.ts', typeOnly: true }, { target: 'src/x/c.ts', typeOnly: true },
    { target: 'src/x/d.ts', typeOnly: false }, { target: 'src/x/e.ts', typeOnly: false }, { target: 'src/x/f.ts', typeOnly: false },
    { target: 'src/x/g.ts', typeOnly: false }, { target: 'src/x/h.js', typeOnly: false },
  ]);
});

describe.each([['who sees whom', imports], ['time, chance and what is global', calls], ['shapes', shapes]] as const)('%s', (_name, laws) => {
  test.each(laws.map((law) => [law.says, law] as const))('%s', (_says, { rooms, broken, breach }) => {
    const [path] = breach;
    expect(path).toMatch(rooms);
    expect(broken(sourceOf(...breach)), 'the breach').not.toEqual([]);
    const offenders = shipped.filter((source) => rooms.test(source.path));
    expect(offenders.flatMap((source) => broken(source).map((what) => `${source.path}: ${what}`))).toEqual([]);
  });
});

test('tests and benches keep to the size of a file and to names that say something', () => {
  const also = shapes.filter(({ says: law }) => /no file passes|by its noun/.test(law));
  expect(files.flatMap((source) => also.flatMap(({ broken }) => broken(source).map((what) => `${source.path}: ${what}`)))).toEqual([]);
});

test('nothing lies at the root of src but the composition root, the settings and the errors', () => {
  expect(shipped.map(({ path }) => path).filter((path) => /^src\/[^/]+$/.test(path))).toEqual(['src/config.ts', 'src/errors.ts', 'src/main.ts']);
});

describe('the documentation says what the code says', () => {
  const documents = pages();
  const words = documents.map(({ text }) => text).join('\n');
  const rowsOf = (path: string, row: RegExp): readonly string[] => [...read(path).matchAll(row)].map(([, found = '']) => found);

  test('every setting stands in docs/reference/settings.md, and every other name the environment may hold on some page', () => {
    const page = read('docs/reference/settings.md');
    expect(Object.values(settings).map(({ name }) => name).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
    const named = shipped.flatMap(({ text }) => text.match(/\b(?:GALLA|WEBHOOK)_[A-Z_]*[A-Z]\b/g) ?? []);
    expect([...new Set(named)].filter((name) => !words.includes(`\`${name}\``) && !words.includes(`${name}=`))).toEqual([]);
  });

  test('every error and every code of a field stands in docs/reference/errors.md', () => {
    const codes = [...Object.keys(errors), idempotencyConflict.code, ...Object.keys(fieldMessages)];
    expect(rowsOf('docs/reference/errors.md', /^\| `([a-z_]+)` \|/gm).toSorted()).toEqual(codes.toSorted());
  });

  test('every door stands in docs/reference/api.md, and no other', () => {
    const none = {} as never;
    const simulate = (): Promise<never> => Promise.reject(new Error('never asked'));
    const doors = [
      ...routes({ simulate } as unknown as ApiParts), ...buyerDoors(none), ...assetDoors(), ...simulatorDoors(none),
    ].map(({ method, path }) => `${method} ${path.replace(/-[0-9a-f]{12}\./, '-{hash}.')}`);
    expect(doors.length).toBeGreaterThan(40);
    expect(rowsOf('docs/reference/api.md', /^\| `((?:GET|POST|PUT|PATCH|DELETE) \/[^`]*)` \|/gm).toSorted()).toEqual(doors.toSorted());
  });

  test('docs/reference/events.md tells the kinds that fire from those that do not fire yet', () => {
    const [fire = '', later = ''] = read('docs/reference/events.md').split(/^## .*not fire yet.*$/m);
    const kinds = (text: string): readonly string[] => [...text.matchAll(/^\| `([a-z_]+\.[a-z_]+)` \|/gm)].map(([, kind = '']) => kind).toSorted();
    const quoted = shipped.filter(({ path }) => path.startsWith('actors/')).flatMap(({ text }) => text.match(/(?<=')[a-z_]+\.[a-z_]+(?=')/g) ?? []);
    const fired = [...eventKinds].filter((kind) => quoted.includes(kind));
    expect(kinds(fire)).toEqual(fired.toSorted());
    expect(kinds(later)).toEqual([...eventKinds].filter((kind) => !fired.includes(kind)).toSorted());
  });

  test('docs/reference/features.md claims no row that no test names, and hides none that one does', () => {
    const all = features();
    const tested = testedRows();
    expect(all.map(({ row }) => row)).toEqual(Array.from({ length: 112 }, (_, at) => at + 1));
    expect(all.filter((one) => one.state !== stateOf(one, tested)).map(({ row }) => row), 'npm run rows -- --write').toEqual([]);
  });

  test('every link leads to a file, and every command of npm is one', () => {
    const scripts = JSON.parse(read('package.json')) as { readonly scripts: { readonly [name: string]: string } };
    const broken = documents.flatMap(({ path, text }) => [
      ...[...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, link = '']) => posix.join(path, '..', link)).filter((link) => !existsSync(join(root, link))),
      ...[...text.matchAll(/\bnpm run ([a-z]+)/g)].map(([, name = '']) => name).filter((name) => !(name in scripts.scripts)),
    ].map((what) => `${path}: ${what}`));
    expect(broken).toEqual([]);
  });

  test('a block of code that names a file is that file', () => {
    const blocks = documents.flatMap(({ path, text }) => [...text.matchAll(/^```\w+ ([\w./-]+)\n([^]*?)^```$/gm)]
      .map(([, file = '', code = '']) => ({ path, file, code })));
    expect(blocks.length).toBeGreaterThan(4);
    expect(blocks.filter(({ file, code }) => read(file) !== code).map(({ path, file }) => `${path}: ${file}`)).toEqual([]);
  });

  test('no page speaks of anything but the product', () => {
    expect(documents.flatMap(({ path, text }) => (text.match(/\/work\/|\bTODO\b/g) ?? []).map((found) => `${path}: ${found}`))).toEqual([]);
  });
});
