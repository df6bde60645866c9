/** The frame of the documentation's pages, and their table of contents. Boundary: models in, documents out. */
import { stylesheetPath } from '../assets.ts';
import { html, page, type Html } from '../html.ts';
import { docsPath, guidesPath } from './places.ts';

/** A page in the table of contents. */
export interface Listed {
  readonly to: string;
  readonly title: string;
}

export interface DocSection {
  readonly name: string;
  readonly pages: readonly Listed[];
}

export const docPage = (title: string, body: Html): string =>
  page({
    title: `${title} · Galla`,
    stylesheet: stylesheetPath,
    body: html`<div class="desk doc">
<nav class="crumbs" aria-label="Where you are"><a href="/">Start page</a> <a href="${docsPath}">API reference</a>
<a href="${guidesPath}">Guides</a></nav>
<main class="slip lone"><div class="act prose">${body}</div></main>
</div>`,
  });

export const contentsPage = (sections: readonly DocSection[]): string =>
  docPage(
    'Guides and reference',
    html`<h1>Guides and reference</h1>
${sections.map(
  ({ name, pages }) => html`<h2>${name}</h2>
<ul class="contents">${pages.map(({ to, title }) => html`<li><a href="${to}">${title}</a></li>`)}</ul>`,
)}`,
  );
