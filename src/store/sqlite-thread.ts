/** The location of a worker's module: an entry of its own when built, bundled on demand when running from
 *  sources.
 *  Boundary: bundling is only for tests and development; the built tree never loads a compiler. */
import { createRequire } from 'node:module';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { packageRoot } from '../kernel/package-root.ts';

const here = import.meta.url;

/** The module of the worker called `name`, in a form a thread can be started from. */
export function threadModule(name: string): Promise<URL> {
  if (here.endsWith('.ts')) return bundled(name);
  return Promise.resolve(pathToFileURL(join(packageRoot(), 'dist', 'src', 'store', `${name}.js`)));
}

/** Node 20 cannot load TypeScript in a thread, and a compiler in each thread costs five times as much as
 *  one bundle. */
async function bundled(name: string): Promise<URL> {
  const { build } = await import('esbuild');
  const {
    outputFiles: [file],
  } = await build({
    entryPoints: [fileURLToPath(new URL(`${name}.ts`, here))],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'silent',
    plugins: [
      {
        // A module without a location can import others only by absolute URL.
        name: 'packages-by-address',
        setup: (bundle) =>
          bundle.onResolve({ filter: /^[^.]/ }, ({ path, kind }) => {
            if (kind === 'entry-point') return undefined;
            const found = createRequire(here).resolve(path);
            return { path: isAbsolute(found) ? pathToFileURL(found).href : found, external: true };
          }),
      },
    ],
  });
  return new URL(`data:text/javascript,${encodeURIComponent(file?.text ?? '')}`);
}
