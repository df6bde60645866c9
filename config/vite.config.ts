/** Builds the two pages that are programs in the browser: the dashboard (dist/dashboard/index.html and assets/ beside it), and
 *  the viewer of the API's documents (dist/viewer).
 *  1. Colours, words' sizes, drawings and tiles come from gateways/pages: one look, written once.
 *  2. Nothing is inlined: the page is served under a policy that allows neither inline script nor inline style.
 *  3. Files are compressed here, once: `<name>.gz` beside `<name>`. */
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';
import { glyphRules, stroke } from '../gateways/pages/glyphs.ts';
import { markedProviders, markOf } from '../gateways/pages/marks.ts';
import { stylesheet } from '../gateways/pages/style.ts';
import { feeLaterIds, providerIds, providerForms, providerLabels, refundCallIds } from '../gateways/dashboard/web/words/providers.ts';
import { ownGlyphs } from '../gateways/dashboard/web/glyph-table.ts';

const root = join(import.meta.dirname, '..');
const dashboard = join(root, 'dist/dashboard');
const viewer = join(root, 'dist/viewer');

const tileRule = (name: string): string =>
  `.m-${name}{background-image:url("data:image/svg+xml,${encodeURIComponent(markOf(name)).replaceAll("'", '%27')}")}\n`;

const houseStyle = (): Plugin => {
  const id = 'virtual:house.css';
  const drawings = Object.fromEntries(Object.entries(ownGlyphs).map(([name, path]) => [name, stroke(path)]));
  return {
    name: 'house-style',
    resolveId: (asked) => (asked === id ? id : null),
    load: (asked) =>
      asked === id
        ? [stylesheet, glyphRules(drawings), ...[...markedProviders, 'other'].map(tileRule)].join('\n')
        : null,
  };
};

/** The service speaks WebSocket alone: the other ways of Socket.IO stay out of the browser. */
const websocketAlone = (): Plugin => {
  const others = /engine\.io-client\/build\/esm\/transports\/(?:polling-xhr|webtransport)(?:\.node)?\.js$/;
  return {
    name: 'websocket-alone',
    enforce: 'pre',
    load: (id) => (others.test(id) ? 'export const XHR = undefined;\nexport const WT = undefined;\n' : null),
  };
};

/** Of the providers' catalog the browser is sent the values it shows. */
const providerValues = (): Plugin => ({
  name: 'provider-values',
  enforce: 'pre',
  load: (id) =>
    id.endsWith('/dashboard/web/words/providers.ts')
      ? `export const providerLabels = ${JSON.stringify(providerLabels)};\n` +
        `export const providerIds = ${JSON.stringify(providerIds)};\n` +
        `export const feeLaterIds = ${JSON.stringify(feeLaterIds)};\n` +
        `export const refundCallIds = ${JSON.stringify(refundCallIds)};\n` +
        `export const providerForms = ${JSON.stringify(providerForms)};\n`
      : null,
});

/** Swagger UI as published, under names that contain the hash of their content, with its licence. Its stylesheet becomes a
 *  cascade layer: whatever ours says comes before it. */
const apiViewer = (): Plugin => ({
  name: 'api-viewer',
  writeBundle() {
    rmSync(viewer, { recursive: true, force: true });
    mkdirSync(viewer, { recursive: true });
    const from = join(root, 'node_modules/swagger-ui-dist');
    // the service is whole without it, and says on the page what is missing
    if (!existsSync(from)) return this.warn('swagger-ui-dist is not installed, so /docs shows nothing of the API: npm ci');
    for (const name of ['LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt']) copyFileSync(join(from, name), join(viewer, name));
    for (const name of ['swagger-ui-bundle.js', 'swagger-ui.css']) {
      // without the address of a source map: it is not served
      const published = readFileSync(join(from, name), 'utf8').replace(/\n(?:\/\/|\/\*)# sourceMappingURL=.*\s*$/, '\n');
      const text = extname(name) === '.css' ? `@layer swagger{${published}}` : published;
      const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
      writeFileSync(join(viewer, `${basename(name, extname(name))}-${hash}${extname(name)}`), text);
    }
  },
});

/** Smaller files are not compressed. */
const packedBytesMin = 1024;

const packed = (...folders: readonly string[]): Plugin => ({
  name: 'packed',
  closeBundle() {
    for (const path of folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))) {
      const bytes = /\.(?:js|css|svg)$/.test(path) ? readFileSync(path) : Buffer.alloc(0);
      if (bytes.length >= packedBytesMin) writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
    }
  },
});

export default defineConfig({
  root: join(root, 'gateways/dashboard/web'),
  base: '/dashboard/',
  plugins: [houseStyle(), websocketAlone(), providerValues(), apiViewer(), packed(join(dashboard, 'assets'), viewer)],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: dashboard,
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
});
