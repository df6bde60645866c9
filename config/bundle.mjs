/** Makes the service that node runs: each entry with all that it imports, in a few files instead of a thousand modules, which
 *  take longer to load than everything else in a start (docs/decisions/0041-the-built-service-is-a-few-files.md).
 *  1. Types are not looked at: `npm run build` does that first.
 *  2. A stack trace names the file and line of the source. A map holds our lines and nothing else, because the first error
 *     that is logged waits until the whole map is read.
 *  3. What an earlier build left is removed after the new files are written. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { build } from 'esbuild';

/** What is started by path: two commands, and the threads of the embedded store. */
const threads = ['sqlite-writer', 'sqlite-reader', 'sqlite-checkpointer'].map(
  (name) => `src/store/${name}.ts`,
);
const service = ['src/cli/start.ts', ...threads];
/** By itself: what it shares with the service would be cut into more files, and the service loads all of its own. */
const commands = ['src/cli/galla.ts'];
/** Two have native binaries, the third loads optional packages by name. esbuild itself is for running from sources. */
const external = ['uWebSockets.js', 'libsql', 'mongodb', 'esbuild'];
const chunks = join('dist', 'chunks');

const outputFiles = [
  ...(await filesOf(service, '[name]-[hash]')),
  ...(await filesOf(commands, 'galla-[name]-[hash]')),
];

for (const { path, text, contents } of outputFiles) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, path.endsWith('.map') ? linesOf(JSON.parse(text)) : contents);
}
const made = new Set(outputFiles.map(({ path }) => basename(path)));
for (const name of readdirSync(chunks)) if (!made.has(name)) rmSync(join(chunks, name));

async function filesOf(entryPoints, chunkName) {
  const { outputFiles } = await build({
      entryPoints,
      external,
      outdir: 'dist',
      outbase: '.',
      chunkNames: `chunks/${chunkName}`,
      bundle: true,
      splitting: true,
      write: false,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      sourcemap: true,
      sourcesContent: false,
      // bundled CommonJS packages require what node brings
      banner: {
        js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
      },
  });
  return outputFiles;
}

/** The map without packages and without columns: of each line made, only where another line of the sources begins. */
function linesOf({ mappings, sources, ...map }) {
  const isOurs = sources.map((source) => !source.includes('node_modules/'));
  const lines = decode(mappings).map((segments) => {
    let before = '';
    return segments.filter(([, source, line]) => {
      const at = isOurs[source] ? `${source}:${line}` : '';
      const isNew = at !== '' && at !== before;
      before = at;
      return isNew;
    });
  });
  return JSON.stringify({
    ...map,
    names: [],
    sources: sources.map((source, at) => (isOurs[at] ? source : '')),
    mappings: encode(lines.map((line) => line.map((segment) => segment.slice(0, 4)))),
  });
}
