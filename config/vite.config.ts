/** Builds the dashboard, the one page that is a program in the browser: dist/dashboard/index.html and assets/ beside it.
 *  1. Colours, words' sizes, drawings and tiles come from gateways/pages: one look, written once.
 *  2. Nothing is inlined: the page is served under a policy that allows neither inline script nor inline style. */
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';
import { glyphRules, stroke } from '../gateways/pages/glyphs.ts';
import { markedProviders, markOf } from '../gateways/pages/marks.ts';
import { stylesheet } from '../gateways/pages/style.ts';
import { offeredIds, providerLabels } from '../gateways/dashboard/web/words/providers.ts';
import { ownGlyphs } from '../gateways/dashboard/web/glyph-table.ts';

const root = join(import.meta.dirname, '..');

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
        `export const offeredIds = ${JSON.stringify(offeredIds)};\n`
      : null,
});

export default defineConfig({
  root: join(root, 'gateways/dashboard/web'),
  base: '/dashboard/',
  plugins: [houseStyle(), websocketAlone(), providerValues()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: join(root, 'dist/dashboard'),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
});
