/** A page of the documentation as HTML. Boundary: the text of a Markdown file of ours in, markup out.
 *  1. Our pages use a small part of Markdown: headings, paragraphs, lists, tables, code, bold, links. A test holds
 *     every page to it, so nothing more is read here.
 *  2. Markup in a page is text: nothing but `html` makes any. */
import { html, type Html } from '../html.ts';

/** Where a link of this page leads; null: nowhere we serve, so its words stand alone. */
export type Resolve = (href: string) => string | null;

export const titleOf = (text: string): string => (/^# (.+)$/m.exec(text)?.[1] ?? '').replaceAll('`', '');

type Sort = 'heading' | 'list' | 'table' | 'code' | 'note' | 'paragraph';

interface Block {
  readonly sort: Sort;
  readonly lines: string[];
}

export const documentOf = (text: string, resolve: Resolve): Html =>
  html`${blocksOf(text).map((block) => shown(block, resolve))}`;

const sorts: readonly (readonly [Sort, RegExp])[] = [
  ['heading', /^#{1,4} /],
  ['list', /^ *(?:-|\d+\.) /],
  ['table', /^\|/],
  ['code', /^```/],
  ['note', /^<!--/],
];
const sortOf = (line: string): Sort => sorts.find(([, begins]) => begins.test(line))?.[0] ?? 'paragraph';

function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: Block | null = null;
  for (const line of text.split('\n')) {
    if (open?.sort === 'code') {
      if (line.startsWith('```')) open = null;
      else open.lines.push(line);
      continue;
    }
    const sort = sortOf(line);
    if (line.trim() === '') open = null;
    else if (sort === 'code') blocks.push((open = { sort, lines: [] }));
    else if (open !== null && open.sort !== 'heading' && (sort === open.sort || sort === 'paragraph'))
      open.lines.push(line);
    else blocks.push((open = { sort, lines: [line] }));
  }
  return blocks;
}

function shown({ sort, lines }: Block, resolve: Resolve): Html | null {
  switch (sort) {
    case 'heading':
      return heading(lines.join(' '), resolve);
    case 'list':
      return list(lines, resolve);
    case 'table':
      return table(lines, resolve);
    case 'code':
      return html`<pre tabindex="0"><code>${lines.join('\n')}</code></pre>`;
    case 'note':
      return null;
    case 'paragraph':
      return html`<p>${inline(lines.join(' '), resolve)}</p>`;
  }
}

function heading(line: string, resolve: Resolve): Html {
  const text = line.replace(/^#+ /, '');
  const words = inline(text, resolve);
  const id = slugOf(text);
  if (line.startsWith('# ')) return html`<h1>${words}</h1>`;
  return line.startsWith('## ') ? html`<h2 id="${id}">${words}</h2>` : html`<h3 id="${id}">${words}</h3>`;
}

/** As links between our pages name it. */
const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** One level: an item within an item stands beside it. */
function list(lines: readonly string[], resolve: Resolve): Html {
  const items: string[] = [];
  for (const line of lines) {
    if (sortOf(line) === 'list') items.push(line.replace(/^ *(?:-|\d+\.) /, ''));
    else items.push(`${items.pop() ?? ''} ${line.trim()}`);
  }
  const entries = items.map((item) => html`<li>${inline(item, resolve)}</li>`);
  return /^ *\d/.test(lines[0] ?? '') ? html`<ol>${entries}</ol>` : html`<ul>${entries}</ul>`;
}

function table(lines: readonly string[], resolve: Resolve): Html {
  const [head = [], ...rows] = lines.filter((line) => !/^\|[\s|:-]+$/.test(line)).map(cellsOf);
  return html`<div class="scroll" role="region" aria-label="Table" tabindex="0"><table>
<thead><tr>${head.map((cell) => html`<th scope="col">${inline(cell, resolve)}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${inline(cell, resolve)}</td>`)}</tr>`)}</tbody>
</table></div>`;
}

const cellsOf = (line: string): readonly string[] =>
  line
    .replace(/^\||\|\s*$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));

const marks = /``([^]+?)``|`([^`]+)`|\*\*([^*]+)\*\*|\[((?:[^\]`]|`[^`]*`)+)\]\(([^)\s]+)\)/g;

function inline(text: string, resolve: Resolve): Html {
  const parts: (string | Html)[] = [];
  let at = 0;
  for (const found of text.matchAll(marks)) {
    const [whole, quoted, single, bold, words = '', href = ''] = found;
    const code = quoted?.trim() ?? single;
    parts.push(text.slice(at, found.index));
    at = found.index + whole.length;
    if (code !== undefined) parts.push(html`<code>${code}</code>`);
    else if (bold !== undefined) parts.push(html`<strong>${inline(bold, resolve)}</strong>`);
    else parts.push(link(words, resolve(href), resolve));
  }
  return html`${[...parts, text.slice(at)]}`;
}

const link = (words: string, to: string | null, resolve: Resolve): Html =>
  to === null ? inline(words, resolve) : html`<a href="${to}">${inline(words, resolve)}</a>`;
