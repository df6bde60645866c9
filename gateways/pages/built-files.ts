/** Files that the build made for browsers: read once, at start, by their names in a folder, and served from
 *  memory. A path sent by a client never reaches the disk.
 *  1. A name contains the hash of its content, so a browser may cache it permanently.
 *  2. The build has compressed what gets smaller: `<name>.gz` lies beside `<name>`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { takesGzip } from '../server/accept-encoding.ts';
import type { DoorReply } from '../server/door.ts';

/** More files than our build has. */
const filesMax = 200;

const types: { readonly [ending: string]: string } = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
};

export interface BuiltFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** gzip; null where it would not be smaller. */
  readonly packed: Buffer | null;
}

/** By name. */
export type BuiltFiles = ReadonlyMap<string, BuiltFile>;

export function filesIn(folder: string): BuiltFiles {
  const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  const names = new Set(entries.filter((entry) => entry.isFile()).map(({ name }) => name));
  const files = new Map<string, BuiltFile>();
  for (const name of names) {
    const type = types[name.slice(name.lastIndexOf('.') + 1)];
    if (type === undefined || files.size === filesMax) continue;
    const packed = names.has(`${name}.gz`) ? readFileSync(join(folder, `${name}.gz`)) : null;
    files.set(name, { type, bytes: readFileSync(join(folder, name)), packed });
  }
  return files;
}

export function fileReply(file: BuiltFile | undefined, acceptEncoding: string): DoorReply {
  if (file === undefined) return noFile;
  const packed = takesGzip(acceptEncoding) ? file.packed : null;
  return {
    status: 200,
    headers: {
      'Content-Type': file.type,
      'Cache-Control': 'public, max-age=31536000, immutable',
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
      ...(file.packed === null ? {} : { Vary: 'Accept-Encoding' }),
      ...(packed === null ? {} : { 'Content-Encoding': 'gzip' }),
    },
    body: packed ?? file.bytes,
  };
}

const noFile: DoorReply = {
  status: 404,
  headers: { 'Content-Type': 'text/plain; charset=utf-8' },
  body: 'No such file.\n',
};
