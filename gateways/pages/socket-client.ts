/** The Socket.IO client for browsers, as its package ships it: text, served from one of our addresses. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The package exports only the full build; the minified one is beside it. */
const folder = dirname(createRequire(import.meta.url).resolve('socket.io-client/dist/socket.io.js'));

/** Without the source map line, which names a file that we do not serve. */
export const socketClient: string = readFileSync(join(folder, 'socket.io.min.js'), 'utf8').replace(
  /^\/\/# sourceMappingURL=.*$/m,
  '',
);
