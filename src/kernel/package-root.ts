/** Where this package lies: the one place that knows it. The same code runs from its sources, compiled file by
 *  file, and bundled into a few files, and each has another distance to the files that it reads. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json, above this file. Throws where there is none. */
export function packageRoot(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (folder === dirname(folder))
      throw new Error(`no package.json above ${fileURLToPath(import.meta.url)}`);
  }
}
