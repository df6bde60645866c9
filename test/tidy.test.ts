/** The repository keeps its own rules, and its documentation says what the code says. */
import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { kinds } from '../actors/cast.ts';
import { eventKinds } from '../actors/events.ts';
import { settings } from '../src/config.ts';
import { errors, fieldMessages, idempotencyConflict } from '../src/errors.ts';
import { features, stateOf, testedRows } from './support/features.ts';
import { pages, read, root, sourceOf, sourcesIn, type Source } from './support/house.ts';
import { circles } from './support/circles.ts';
import { allDoors } from './support/doors.ts';
import { importLaws } from './support/import-laws.ts';
import type { Law } from './support/law.ts';
import { callLaws, shapeLaws } from './support/laws.ts';

/** A false green is worse than a red: fewer than these, and the walk is broken. */
const filesMin = 250;
const tablesMin = 6;
const doorsMin = 40;
const pathsMin = 60;

const shipped = ['src', 'actors', 'gateways'].flatMap(sourcesIn);
/** Simulated parts obey what the parts in their place obey. */
const lawful = [...shipped, ...sourcesIn('test/support/simulated')];
const files = [...shipped, ...['test', 'bench'].flatMap(sourcesIn)];
const tables = new Set(
  shipped
    .filter(({ path, text }) => path.startsWith('actors/') && /\bactor<\w+>\(/.test(text))
    .map(({ path }) => path),
);

/** Who of these breaks the law, as `file: what`. */
const offenders = ({ rooms, broken }: Law, among: readonly Source[]): readonly string[] =>
  among
    .filter(({ path }) => rooms.test(path))
    .flatMap((source) => broken(source).map((what) => `${source.path}: ${what}`));

test('the scan finds every source file and every form of import', () => {
  expect(files.length).toBeGreaterThan(filesMin);
  expect(tables.size).toBeGreaterThanOrEqual(tablesMin);
  const ways = [
    "import a, {\n  b,\n} from './a.ts';",
    "import type { B } from './b.ts';",
    "import { type C, type D } from './c.ts';",
    "export * from './d.ts';",
    "import './e.ts';",
    "await import('./f.ts');",
    "require('./g.ts');",
    "new URL('./h.js', import.meta.url)",
  ];
  const found = sourceOf('src/x/x.ts', ways.join('\n')).imports;
  expect(found.map(({ target, typeOnly }) => `${target}${typeOnly ? ' type' : ''}`)).toEqual([
    'src/x/a.ts',
    'src/x/b.ts type',
    'src/x/c.ts type',
    'src/x/d.ts',
    'src/x/e.ts',
    'src/x/f.ts',
    'src/x/g.ts',
    'src/x/h.js',
  ]);
});

describe.each([
  ['who sees whom', importLaws(tables)],
  ['time, chance and what is global', callLaws],
  ['shapes', shapeLaws],
] as const)('%s', (_name, laws) => {
  test.each(laws.map((law) => [law.says, law] as const))(
    '%s',
    (_says, law) => {
      expect(offenders(law, [sourceOf(...law.breach)]), 'a breach of it').not.toEqual([]);
      expect(offenders(law, lawful)).toEqual([]);
      // the laws read every file; a busy machine takes its time
    },
    60_000,
  );
});

test('tests and benches keep to the size limit of a file and have descriptive names', () => {
  const also = shapeLaws.filter(({ says }) => /no file passes|by its noun|cite the pages/.test(says));
  expect(also).toHaveLength(3);
  expect(also.flatMap((law) => offenders(law, files))).toEqual([]);
});

test('each event a kind of actor declares is emitted by a transition of its folder, and each one emitted is declared', () => {
  const silent = kinds.flatMap((kind) => {
    if (!('events' in kind)) return [];
    const folder = `actors/${kind.actor.kind.replaceAll('_', '-')}/`;
    const text = shipped
      .filter(({ path }) => path.startsWith(folder) && !/\/(?:kind|samples)\.ts$/.test(path))
      .map((source) => source.text)
      .join('\n');
    return Object.keys(kind.events).filter((event) => !text.includes(`'${event}'`));
  });
  // no transition emits it: a merchant requests it by a route, to test an endpoint
  expect(silent).toEqual(['test.ping']);
  const objects = [...new Set(eventKinds.map((kind) => kind.slice(0, kind.indexOf('.'))))];
  const emitted = new RegExp(`'((?:${objects.join('|')})\\.[a-z_]+)'`, 'g');
  const told = shipped
    .filter(({ path }) => path.startsWith('actors/'))
    .flatMap(({ text }) => [...text.matchAll(emitted)].map(([, kind = '']) => kind));
  expect(told.filter((kind) => !eventKinds.includes(kind))).toEqual([]);
});

test('there is no circle of files, imports of types included', () => {
  expect(
    circles([sourceOf('a.ts', "import './b.ts';"), sourceOf('b.ts', "import type { A } from './a.ts';")]),
  ).toEqual([['a.ts', 'b.ts']]);
  expect(circles(shipped)).toEqual([]);
});

test('each screen of the dashboard is a folder with its descriptor, one line of the list, and one address', () => {
  const room = 'gateways/dashboard/web/';
  const screens = shipped.flatMap(({ path, text }) => {
    const [, name] = /^screens\/([\w-]+)\/screen\.tsx$/.exec(path.slice(room.length)) ?? [];
    return path.startsWith(room) && name !== undefined ? [{ name, text }] : [];
  });
  const list = read(`${room}screens/list.ts`);
  const listed = [...list.matchAll(/from '\.\/([\w-]+)\/screen\.tsx'/g)].map(([, name = '']) => name);
  expect(listed.length).toBeGreaterThan(4);
  expect(screens.map(({ name }) => name).toSorted()).toEqual(listed.toSorted());
  const addresses = [...read(`${room}places.ts`).matchAll(/export const (\w+Route) =/g)].map(
    ([, of = '']) => of,
  );
  const declared = screens.flatMap(({ text }) => / route: (\w+Route),/.exec(text)?.[1] ?? 'none');
  expect(declared.toSorted()).toEqual(addresses.toSorted());
});

test('nothing lies at the root of src but the composition root, the settings and the errors', () => {
  expect(shipped.map(({ path }) => path).filter((path) => /^src\/[^/]+$/.test(path))).toEqual([
    'src/config.ts',
    'src/errors.ts',
    'src/main.ts',
  ]);
});

describe('the documentation says what the code says', () => {
  const documents = pages();
  const words = documents.map(({ text }) => text).join('\n');
  /** The first group of each match. */
  const all = (text: string, pattern: RegExp): readonly string[] =>
    [...text.matchAll(pattern)].map(([, found = '']) => found);

  test('every setting stands in settings.md, every other name the environment may hold on some page', () => {
    const page = read('docs/reference/settings.md');
    expect(Object.values(settings).filter(({ name }) => !page.includes(`\`${name}\``))).toEqual([]);
    const named = shipped.flatMap(({ text }) => all(text, /\b((?:GALLA|WEBHOOK)_[A-Z_]*[A-Z])\b/g));
    expect([...new Set(named)].filter((name) => !words.includes(name))).toEqual([]);
  });

  test('every error and every code of a field stands in errors.md, and no other', () => {
    const codes = [...Object.keys(errors), idempotencyConflict.code, ...Object.keys(fieldMessages)];
    const documented = all(read('docs/reference/errors.md'), /^\| `([a-z_]+)` \|/gm);
    expect(documented.toSorted()).toEqual(codes.toSorted());
  });

  test('every door stands in api.md, and no other', () => {
    const doors = allDoors().map(
      ({ method, path }) => `${method} ${path.replace(/-[0-9a-f]{12}\./, '-{hash}.')}`,
    );
    expect(doors.length).toBeGreaterThan(doorsMin);
    const documented = all(
      read('docs/reference/api.md'),
      /^\| `((?:GET|POST|PUT|PATCH|DELETE) \/[^`]*)` \|/gm,
    );
    expect(documented.toSorted()).toEqual(doors.toSorted());
  });

  test('features.md marks a row as tested if and only if a test names it', () => {
    const [rows, tested] = [features(), testedRows()];
    expect(rows.map(({ row }) => row)).toEqual(Array.from({ length: 123 }, (_, at) => at + 1));
    const stale = rows.filter((one) => one.state !== stateOf(one, tested)).map(({ row }) => row);
    expect(stale, 'npm run rows -- --write').toEqual([]);
  });

  test('every link leads to a file, and every command of npm is one', () => {
    const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: object };
    const broken = documents.flatMap(({ path, text }) =>
      [
        ...all(text, /\]\((?!https?:|#)([^)#\s]+)/g).filter(
          (link) => !existsSync(join(root, path, '..', link)),
        ),
        ...all(text, /\bnpm run ([a-z]+)/g).filter((name) => !Object.hasOwn(scripts, name)),
      ].map((what) => `${path}: ${what}`),
    );
    expect(broken).toEqual([]);
  });

  test("every path that a page names exists, except in a guide's example and in a decision about an earlier state", () => {
    const named = documents
      .filter(({ path }) => !path.startsWith('docs/decisions/'))
      .flatMap(({ path, text }) =>
        all(text, /`((?:src|actors|gateways|test|config|bench|docs)\/[\w./-]+)`/g).map((named) => ({
          path,
          named,
        })),
      );
    expect(named.length).toBeGreaterThan(pathsMin);
    const gone = named.filter(({ named: to }) => !/\bholds?\b/.test(to) && !existsSync(join(root, to)));
    expect(gone).toEqual([]);
  });

  test('each decision has a number of its own, which its heading repeats', () => {
    const decisions = documents.filter(({ path }) => /^docs\/decisions\/\d/.test(path));
    const numbers = decisions.map(({ path }) => Number(posix.basename(path).slice(0, 4)));
    const expected = numbers.map((_number, at) => at + 1);
    expect(numbers.toSorted((a, b) => a - b)).toEqual(expected);
    const headings = decisions.map(({ text }) => Number(/^# (\d+)\. /.exec(text)?.[1]));
    expect(headings).toEqual(numbers);
  });

  test('every link into a page leads to a heading of it', () => {
    const anchors = new Map(
      documents.map(({ path, text }) => [path, all(text, /^#{1,4} (.+)$/gm).map(anchorOf)]),
    );
    const broken = documents.flatMap(({ path, text }) =>
      [...text.matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)]
        .filter(([, page = '', anchor = '']) => {
          const target = page === '' ? path : posix.join(path, '..', page);
          return anchors.get(target)?.includes(anchor) !== true;
        })
        .map(([link]) => `${path}: ${link}`),
    );
    expect(broken).toEqual([]);
  });

  test('a code block that names a file equals that file', () => {
    const blocks = documents.flatMap(({ path, text }) =>
      [...text.matchAll(/^```\w+ ([\w./-]+)\n([^]*?)^```$/gm)].map(([, file = '', code = '']) => ({
        where: `${path}: ${file}`,
        file,
        code,
      })),
    );
    expect(blocks.length).toBeGreaterThan(4);
    expect(blocks.filter(({ file, code }) => read(file) !== code).map(({ where }) => where)).toEqual([]);
  });

  test('no page mentions anything but the product', () => {
    const strange = documents.filter(({ text }) => /\/work\/|\bTODO\b/.test(text));
    expect(strange.map(({ path }) => path)).toEqual([]);
  });
});

/** As the usual renderers name a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
