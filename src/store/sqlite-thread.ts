/** Where a worker's module is: beside this file when built, made on the spot when running from sources.
 *  Boundary: the sources' way is for tests and development; the built tree never comes near a compiler. */
import { createRequire } from 'node:module';
import { isAbsolute } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = import.meta.url;

/** The module of the worker called `name`, as a thread can be started from it. */
export function threadModule(name: string): Promise<URL> {
  return here.endsWith('.ts') ? bundled(name) : Promise.resolve(new URL(`${name}.js`, here));
}

/** Node 20 reads no TypeScript in a thread, and a compiler in each costs five times what one bundle does. */
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
        // A module without a place of its own can only name others by their whole address.
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
