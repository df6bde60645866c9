/** GET /docs/guides and the pages below /docs: the documentation shipped with the program.
 *  1. Files are read once, at start, by their names in the folders: a path sent by a client never reaches
 *     the disk.
 *  2. A page is rendered on first request, and cached: there are as many pages as files. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { packageRoot } from '../../src/kernel/package-root.ts';
import type { Door, DoorReply, DoorRequest } from '../server/door.ts';
import { localeOf, withLanguageHeaders } from '../buyer/language.ts';
import { errorPage, lone } from '../buyer/replies.ts';
import { html } from '../pages/html.ts';
import { notFoundPage } from '../pages/hosted/trouble.ts';
import { contentsPage, docPage, type Listed, type DocSection } from '../pages/front/docs.ts';
import { documentOf, titleOf } from '../pages/front/document.ts';
import { docsPath, guidesPath } from '../pages/front/places.ts';

/** Text by its path in the project: `docs/guides/sandbox.md`. */
export type Docs = ReadonlyMap<string, string>;

/** More files than our documentation has. */
const docFilesMax = 200;

const folders = ['docs/guides', 'docs/reference', 'docs/reference/api', 'docs', 'docs/decisions'];
/** The only files served from the project's root folder: everything else in it is private. */
const besideDocs = ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'CONTRIBUTING.md'];

/** The documentation in the first of these projects that has one; null when none has. */
export function readDocs(projects: readonly string[] = [packageRoot()]): Docs | null {
  const project = projects.find((each) => existsSync(join(each, 'docs', 'guides')));
  if (project === undefined) return null;
  const files = folders.flatMap((folder) =>
    readdirSync(join(project, folder), { withFileTypes: true })
      .filter((entry) => entry.isFile() && /^[\w.-]+\.(?:md|mjs)$/.test(entry.name))
      .map(({ name }) => posix.join(folder, name))
      .sort(),
  );
  files.push(...besideDocs.filter((name) => existsSync(join(project, name))));
  return new Map(
    files.slice(0, docFilesMax).map((path) => [path, readFileSync(join(project, path), 'utf8')]),
  );
}

/** `/docs/guides/sandbox.md`; files outside the folder `docs` appear beside it: `/docs/README.md`. */
export const addressOf = (path: string): string => `${docsPath}/${path.replace(/^docs\//, '')}`;

/** Address of the guide to simulator faults; null: not available. */
export const faultsGuide = (docs: Docs | null): string | null =>
  docs === null ? null : targetOf(docs, 'README.md', 'docs/guides/sandbox.md#faults');

/** The guides, for whoever starts with the reference of the API. */
export const guidesIn = (docs: Docs | null): readonly Listed[] =>
  docs === null ? [] : sectionOf(docs, 'Guides', 'docs/guides').pages;

export function docsDoors(docs: Docs | null): readonly Door[] {
  if (docs === null) return [];
  const paths = new Map([...docs.keys()].map((path) => [addressOf(path), path]));
  const rendered = new Map<string, string>();
  const contents = contentsPage(sectionsOf(docs));
  const pageAt = (request: DoorRequest): DoorReply => {
    const path = paths.get(request.path);
    if (path === undefined) return withLanguageHeaders(request, lone(404, notFoundPage(localeOf(request))));
    const page = rendered.get(path) ?? pageOf(docs, path);
    rendered.set(path, page);
    return lone(200, page);
  };
  return [
    { method: 'GET', path: guidesPath, lateHeaders: [], errorPage, handle: async () => lone(200, contents) },
    {
      method: 'GET',
      path: `${docsPath}/*`,
      lateHeaders: [],
      errorPage,
      handle: async (request) => pageAt(request),
    },
  ];
}

function pageOf(docs: Docs, path: string): string {
  const text = docs.get(path) ?? '';
  if (!path.endsWith('.md')) {
    const name = posix.basename(path);
    return docPage(name, html`<h1>${name}</h1><pre tabindex="0"><code>${text}</code></pre>`);
  }
  return docPage(
    titleOf(text),
    documentOf(text, (href) => targetOf(docs, path, href)),
  );
}

/** The target of a link on the page at `path`: on the web, on this page, another page, or nothing that we
 *  serve. */
export function targetOf(docs: Docs, path: string, href: string): string | null {
  if (/^https?:/.test(href)) return href;
  const [file = '', fragment] = href.split('#');
  const target = file === '' ? path : posix.join(posix.dirname(path), file);
  if (!docs.has(target)) return null;
  return `${addressOf(target)}${fragment === undefined ? '' : `#${fragment}`}`;
}

const sectionsOf = (docs: Docs): readonly DocSection[] =>
  [
    sectionOf(docs, 'Start here', '.', /README/),
    sectionOf(docs, 'Guides', 'docs/guides'),
    sectionOf(docs, 'Reference', 'docs/reference'),
    sectionOf(docs, 'The API, by resource', 'docs/reference/api'),
    sectionOf(docs, 'Understanding it', 'docs'),
    sectionOf(docs, 'Decisions', 'docs/decisions'),
    sectionOf(docs, 'More', '.', /(?:CHANGELOG|SECURITY|CONTRIBUTING)\.md$/),
  ].filter(({ pages }) => pages.length > 0);

const sectionOf = (docs: Docs, name: string, folder: string, wanted: RegExp = /\.md$/): DocSection => ({
  name,
  pages: [...docs]
    .filter(([path]) => posix.dirname(path) === folder && wanted.test(path))
    .map(([path, text]) => ({ to: addressOf(path), title: titleOf(text) })),
});
