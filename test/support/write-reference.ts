/** `npm run reference`: brings the generated parts of docs/reference/api.md and docs/reference/api up to date. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { read, root } from './house.ts';
import { folder, newPage, referencePages, withGenerated } from './reference.ts';

mkdirSync(join(root, folder), { recursive: true });
for (const [path, generated] of referencePages()) {
  const text = existsSync(join(root, path)) ? withGenerated(read(path), generated) : newPage(path, generated);
  if (text === null) process.stderr.write(`${path} has no marks for its generated part\n`);
  else writeFileSync(join(root, path), text);
}
