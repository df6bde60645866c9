/** The page of the API reference. Boundary: a model in, a document out; what it shows of the API is read by
 *  the browser from the API's own document. */
import { stylesheetPath, viewerScriptPath, viewerStylePath } from '../assets.ts';
import { html, page, type Html } from '../html.ts';
import type { Listed } from './docs.ts';
import { docsPath, guidesPath, operatorDocsPath } from './places.ts';

export interface ViewerPage {
  readonly api: 'merchant' | 'operator';
  /** Empty: no documentation is shipped with the program. */
  readonly guides: readonly Listed[];
  /** Addresses of Swagger UI; null: it is not built. */
  readonly script: string | null;
  readonly style: string | null;
}

const apis = {
  merchant: {
    title: 'API reference',
    document: '/v1/openapi.json',
    key: html`a key of your project, <code>sk_test_…</code> for the sandbox`,
  },
  operator: {
    title: 'Operator API reference',
    document: '/admin/v1/openapi.json',
    key: html`the operator's token (<code>GALLA_ADMIN_TOKEN</code>)`,
  },
} as const;

export function viewerPage({ api, guides, script, style }: ViewerPage): string {
  const { title, document, key } = apis[api];
  const isBuilt = script !== null && style !== null;
  return page({
    title: `${title} · Galla`,
    stylesheet: [stylesheetPath, ...(isBuilt ? [style, viewerStylePath] : [])],
    script: isBuilt ? [script, viewerScriptPath] : [],
    body: html`<div class="desk doc reference">
<nav class="crumbs" aria-label="Documentation"><a href="/">Start page</a>
${crumb(docsPath, 'API reference', api === 'merchant')}
${crumb(operatorDocsPath, 'Operator API', api === 'operator')}
${guides.length === 0 ? null : html`<a href="${guidesPath}">Guides</a>`}</nav>
<header class="intro">
<h1>${title}</h1>
<p class="soft">Read here, and try it: press <b>Authorize</b>, paste ${key}, open an operation and press <b>Execute</b>.
The key stays in this tab and is forgotten when you close or reload it. As a document for tools:
<a href="${document}">${document}</a></p>
${guides.length === 0 ? null : guideList(guides)}
</header>
${isBuilt ? html`<div id="reference" data-document="${document}"></div>` : notBuilt}
<noscript><p class="slip note">This page needs JavaScript. The same is in
<a href="${document}">${document}</a>.</p></noscript>
</div>`,
  });
}

const crumb = (to: string, words: string, isHere: boolean): Html =>
  isHere ? html`<a href="${to}" aria-current="page">${words}</a>` : html`<a href="${to}">${words}</a>`;

const guideList = (guides: readonly Listed[]): Html => html`<nav class="guides" aria-label="Guides"><ul>
${guides.map(({ to, title }) => html`<li><a href="${to}">${title}</a></li>`)}
</ul></nav>`;

// Swagger UI brings a main element of its own
const notBuilt = html`<main><p class="slip note">This service was started without its pages. <code>npm run build</code>
makes them, <code>npm start</code> does so by itself.</p></main>`;
