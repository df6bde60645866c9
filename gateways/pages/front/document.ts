/** A page of the documentation as HTML. Boundary: the text of one of our Markdown files in, markup out.
 *  1. `marked` parses the Markdown; all markup is made here by `html`, so nothing in a page is copied
 *     unescaped. HTML in a page is a comment or an image frame for other viewers: it is left out. */
import { marked, type MarkedToken, type Token, type Tokens } from 'marked';
import { html, type Html } from '../html.ts';

/** The target of a link on this page; null: not served here, so only its text is shown. */
export type Resolve = (href: string) => string | null;

export const titleOf = (text: string): string => (/^# (.+)$/m.exec(text)?.[1] ?? '').replaceAll('`', '');

export function documentOf(text: string, resolve: Resolve): Html {
  return html`${all(marked.lexer(text, { gfm: true }), resolve)}`;
}

const all = (tokens: readonly Token[] | undefined, resolve: Resolve): readonly (Html | null)[] =>
  // extensions could add tokens of their own; we use none
  (tokens ?? []).map((token) => shown(token as MarkedToken, resolve));

function shown(token: MarkedToken, resolve: Resolve): Html | null {
  switch (token.type) {
    case 'heading':
      return heading(token, resolve);
    case 'paragraph':
      return html`<p>${all(token.tokens, resolve)}</p>`;
    case 'list':
      return list(token, resolve);
    case 'table':
      return table(token, resolve);
    case 'code':
      return html`<pre tabindex="0"><code>${token.text}</code></pre>`;
    case 'blockquote':
      return html`<blockquote>${all(token.tokens, resolve)}</blockquote>`;
    case 'hr':
      return html`<hr>`;
    case 'space':
    case 'html':
    case 'def':
      return null;
    default:
      return inline(token, resolve);
  }
}

function inline(token: MarkedToken, resolve: Resolve): Html {
  switch (token.type) {
    case 'strong':
      return html`<strong>${all(token.tokens, resolve)}</strong>`;
    case 'em':
      return html`<em>${all(token.tokens, resolve)}</em>`;
    case 'codespan':
      return html`<code>${token.text}</code>`;
    case 'link':
      return link(token, resolve);
    case 'br':
      return html`<br>`;
    case 'text':
      return token.tokens === undefined ? html`${plain(token.text)}` : html`${all(token.tokens, resolve)}`;
    case 'image':
    case 'escape':
      return html`${plain(token.text)}`;
    default:
      return html`${plain(token.raw)}`;
  }
}

/** A line break within a sentence is a space. */
const plain = (text: string): string => text.replaceAll('\n', ' ');

function heading({ depth, text, tokens }: Tokens.Heading, resolve: Resolve): Html {
  const [words, id] = [all(tokens, resolve), slugOf(text)];
  if (depth === 1) return html`<h1>${words}</h1>`;
  return depth === 2 ? html`<h2 id="${id}">${words}</h2>` : html`<h3 id="${id}">${words}</h3>`;
}

/** As used by links between our pages. */
const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

function list({ ordered, items }: Tokens.List, resolve: Resolve): Html {
  const entries = items.map(({ tokens }) => html`<li>${all(tokens, resolve)}</li>`);
  return ordered ? html`<ol>${entries}</ol>` : html`<ul>${entries}</ul>`;
}

function table({ header, rows }: Tokens.Table, resolve: Resolve): Html {
  const head = header.map(({ tokens }) => html`<th scope="col">${all(tokens, resolve)}</th>`);
  const cells = (row: readonly Tokens.TableCell[]): Html =>
    html`<tr>${row.map(({ tokens }) => html`<td>${all(tokens, resolve)}</td>`)}</tr>`;
  return html`<div class="scroll" role="region" aria-label="Table" tabindex="0"><table>
<thead><tr>${head}</tr></thead>
<tbody>${rows.map(cells)}</tbody>
</table></div>`;
}

function link({ href, tokens }: Tokens.Link, resolve: Resolve): Html {
  const to = resolve(href);
  const words = all(tokens, resolve);
  return to === null ? html`${words}` : html`<a href="${to}">${words}</a>`;
}
