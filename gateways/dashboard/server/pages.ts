/** The pages of the dashboard: one HTML file for every address, and the built files it refers to.
 *  1. Files are read once, by their names in the folder, and served from memory: a path sent by a client
 *     never reaches the disk.
 *  2. A file's name contains a hash of its content, so a browser may cache it permanently; the page itself
 *     is always revalidated.
 *  3. No inline code: script and style come only from our own files. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Door, DoorReply, DoorRequest } from '../../server/door.ts';
import { errorReply } from '../../http/route/reply.ts';
import { pageHeaders } from '../../pages/headers.ts';
import { html } from '../../pages/html.ts';
import { lonePage } from '../../pages/hosted/frame.ts';

/** More files than our build has. */
export const filesMax = 200;
/** Smaller files are not compressed. */
const packedBytesMin = 1024;

const types: { readonly [ending: string]: { readonly type: string; readonly packs: boolean } } = {
  js: { type: 'text/javascript; charset=utf-8', packs: true },
  css: { type: 'text/css; charset=utf-8', packs: true },
  svg: { type: 'image/svg+xml', packs: true },
  png: { type: 'image/png', packs: false },
  woff2: { type: 'font/woff2', packs: false },
};

export interface BuiltFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** gzip; null where it would not be smaller. */
  readonly packed: Buffer | null;
}

export interface Built {
  readonly page: string;
  /** By name below `assets`. */
  readonly files: ReadonlyMap<string, BuiltFile>;
}

/** Output folder of the build: beside the compiled program, also when it runs from its sources. */
export const builtFolders: readonly string[] = ['../../../dashboard/', '../../../dist/dashboard/'].map(
  (folder) => fileURLToPath(new URL(folder, import.meta.url)),
);

/** The build in the first of these folders that has one; null when none has. */
export function readBuilt(folders: readonly string[] = builtFolders): Built | null {
  for (const folder of folders) {
    const page = textOf(join(folder, 'index.html'));
    if (page !== null) return { page, files: filesIn(join(folder, 'assets')) };
  }
  return null;
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function filesIn(folder: string): ReadonlyMap<string, BuiltFile> {
  const files = new Map<string, BuiltFile>();
  const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  const found = entries.filter((entry) => entry.isFile());
  for (const { name } of found.slice(0, filesMax)) {
    const known = types[name.slice(name.lastIndexOf('.') + 1)];
    if (known === undefined) continue;
    const bytes = readFileSync(join(folder, name));
    const packed = known.packs && bytes.length >= packedBytesMin ? gzipSync(bytes, { level: 9 }) : null;
    files.set(name, { type: known.type, bytes, packed });
  }
  return files;
}

/** `built` null: the page explains how to build it. */
export function pageDoors(built: Built | null): readonly Door[] {
  const page = async (request: DoorRequest): Promise<DoorReply> =>
    isApiPath(request.path) ? errorReply('endpoint_not_found', request.requestId) : pageOf(built);
  return [
    { method: 'GET', path: '/dashboard', lateHeaders: [], handle: page },
    { method: 'GET', path: '/dashboard/*', lateHeaders: [], has: (path) => !isApiPath(path), handle: page },
    {
      method: 'GET',
      path: '/dashboard/assets/{file}',
      lateHeaders: [],
      handle: async (request) => fileOf(built, request),
    },
  ];
}

const isApiPath = (path: string): boolean => path.startsWith('/dashboard/api/') || path === '/dashboard/api';

/** No other site's window keeps a reference to this one, and no address of it is sent to another site. */
const ownHeaders = {
  ...pageHeaders(),
  'Cache-Control': 'no-cache',
  // with no referrer at all, browsers would omit the origin from the page's requests
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

function pageOf(built: Built | null): DoorReply {
  if (built !== null) return { status: 200, headers: ownHeaders, body: built.page };
  return { status: 503, headers: { ...ownHeaders, 'Cache-Control': 'no-store' }, body: notBuiltPage };
}

function fileOf(built: Built | null, request: DoorRequest): DoorReply {
  const file = built?.files.get(request.params['file'] ?? '');
  if (file === undefined) return noFile;
  const packed = /\bgzip\b/.test(request.header('accept-encoding')) ? file.packed : null;
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

const notBuiltPage = lonePage({
  title: 'Dashboard',
  main: html`<h1>The dashboard is not built</h1>
<p>This service was started without its pages. <code>npm run build</code> makes them, <code>npm start</code> does so by
itself. The API is not concerned.</p>`,
});
