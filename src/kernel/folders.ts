/** Creates a folder with those above it. Not `mkdirSync` with `recursive`: it never returns where a file system answers
 *  ENOENT though the folder above is there, as /proc does. */
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** The first one that was not there; undefined: all were. Throws what the file system says. */
export function makeFolders(path: string, mode: number): string | undefined {
  try {
    mkdirSync(path, { mode });
    return path;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'EEXIST' && statSync(path).isDirectory()) return undefined;
    const above = dirname(path);
    if (code !== 'ENOENT' || existsSync(above)) throw error;
    const first = makeFolders(above, mode);
    return makeFolders(path, mode) === undefined ? first : (first ?? path);
  }
}
