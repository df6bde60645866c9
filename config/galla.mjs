#!/usr/bin/env node
/** The installed command `galla`: the built command line. In a checkout that is not built, `npm run galla` builds it. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const built = new URL('../dist/src/cli/galla.js', import.meta.url);
if (existsSync(fileURLToPath(built))) await import(built.href);
else {
  process.stderr.write('galla: it is not built yet: run npm run build, or use npm run galla -- <command>\n');
  process.exitCode = 1;
}
