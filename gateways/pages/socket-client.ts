/** The Socket.IO client for browsers, as its package ships it: text, served from an address of ours. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The package names only the long form to others; the short one lies beside it. */
const folder = dirname(createRequire(import.meta.url).resolve('socket.io-client/dist/socket.io.js'));

/** Without the line that names a file we do not serve. */
export const socketClient: string = readFileSync(join(folder, 'socket.io.min.js'), 'utf8').replace(
  /^\/\/# sourceMappingURL=.*$/m,
  '',
);
