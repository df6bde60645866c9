/** The documentation as pages: every page whole, every link of it leading somewhere. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addressOf, docsDoors, readDocs, targetOf } from '../../../gateways/front/docs.ts';
import type { DoorReply, DoorRequest } from '../../../gateways/server/door.ts';
import { documentOf } from '../../../gateways/pages/front/document.ts';

const docs = readDocs() ?? new Map<string, string>();
const pagesIn = [...docs.keys()].filter((path) => path.endsWith('.md'));

async function get(path: string, from = docsDoors(docs)): Promise<DoorReply> {
  const door = from.find((each) => each.path === (path === '/docs/guides' ? path : '/docs/*'));
  return (
    (await door?.handle({
      method: 'GET',
      path,
      rawQuery: '',
      header: (): string => '',
    } as unknown as DoorRequest)) ?? { status: 0, body: '' }
  );
}
const bodyOf = async (path: string): Promise<string> => String((await get(path)).body);
const rendered = (text: string): string => documentOf(text, (href) => href).toString();

test('guides, reference and README are served, with a list of them', async () => {
  expect(pagesIn).toEqual(
    expect.arrayContaining([
      'README.md',
      'docs/guides/sandbox.md',
      'docs/reference/api.md',
      'docs/architecture.md',
    ]),
  );
  const contents = await bodyOf('/docs/guides');
  for (const path of pagesIn) expect(contents).toContain(`href="${addressOf(path)}"`);
});

test.each(pagesIn)('%s leaves no Markdown unconverted', async (path) => {
  const { status, body } = await get(addressOf(path));
  expect(status).toBe(200);
  const prose = String(body)
    .replace(/<pre[^]*?<\/pre>/g, '')
    .replace(/<code>[^]*?<\/code>/g, '');
  expect(prose.match(/\*\*|\]\(|```|&#96;|^\||\|$|^#+ |&lt;!--/gm)).toBeNull();
  expect(prose.match(/<h1>/g)).toHaveLength(1);
});

test.each(pagesIn)('every link of %s leads to a page, and to a heading of it', async (path) => {
  const from = await bodyOf(addressOf(path));
  for (const [, to = '', fragment] of from.matchAll(/href="(\/docs\/[^"#]*)(?:#([^"]*))?"/g)) {
    const { status, body } = await get(to);
    expect(status, to).toBe(200);
    if (fragment !== undefined) expect(String(body), `${to}#${fragment}`).toContain(`id="${fragment}"`);
  }
});

test('any other path is 404, whatever the address tries', async () => {
  for (const path of [
    '/docs/',
    '/docs/nothing.md',
    '/docs/../package.json',
    '/docs/%2e%2e/package.json',
    '/docs/guides/',
  ])
    expect((await get(path)).status, path).toBe(404);
});

test('without documentation files there are no such paths', () => {
  const empty = mkdtempSync(join(tmpdir(), 'galla-docs-'));
  try {
    expect(readDocs([empty])).toBeNull();
    expect(docsDoors(null)).toEqual([]);
    mkdirSync(join(empty, 'docs/guides'), { recursive: true });
    mkdirSync(join(empty, 'docs/reference/api'), { recursive: true });
    mkdirSync(join(empty, 'docs/decisions'));
    writeFileSync(join(empty, 'docs/guides/a.md'), '# A');
    // of the folder itself nothing but what is known to be documentation
    for (const name of ['README.md', 'notes.md', 'deploy.mjs']) writeFileSync(join(empty, name), `# ${name}`);
    expect([...(readDocs([empty]) ?? [])]).toEqual([
      ['docs/guides/a.md', '# A'],
      ['README.md', '# README.md'],
    ]);
  } finally {
    rmSync(empty, { recursive: true });
  }
});

test('a link leads to the web, to a page of ours, or nowhere', () => {
  const at = 'docs/guides/sandbox.md';
  expect(targetOf(docs, at, 'https://example.com/x')).toBe('https://example.com/x');
  expect(targetOf(docs, at, '../reference/api.md#events')).toBe('/docs/reference/api.md#events');
  expect(targetOf(docs, at, '#live')).toBe('/docs/guides/sandbox.md#live');
  expect(targetOf(docs, 'README.md', 'LICENSE')).toBeNull();
  expect(targetOf(docs, at, 'javascript:alert(1)')).toBeNull();
});

test('the Markdown of our pages becomes HTML, and raw HTML in it is left out', () => {
  expect(rendered('# A `b`\n\nOne **two**\nthree <script>alert(1)</script>.')).toBe(
    '<h1>A <code>b</code></h1><p>One <strong>two</strong> three alert(1).</p>',
  );
  expect(rendered('- one\n  more\n- [two](x.md)\n\n1. first')).toBe(
    '<ul><li>one more</li><li><a href="#">two</a></li></ul><ol><li>first</li></ol>',
  );
  expect(rendered('| A | B |\n|---|---|\n| `x\\|y` | 2 |')).toContain('<td><code>x|y</code></td><td>2</td>');
  expect(rendered('## Not there yet\n```sh\n# no heading\n**as it is**\n```')).toBe(
    '<h2 id="not-there-yet">Not there yet</h2><pre tabindex="0"><code># no heading\n**as it is**</code></pre>',
  );
});
