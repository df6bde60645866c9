/** The pages of the dashboard: one HTML file for every address, and the built files it refers to.
 *  1. The page itself is always revalidated; its files are cached permanently.
 *  2. No inline code: script and style come only from our own files. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../src/kernel/package-root.ts';
import type { Door, DoorReply, DoorRequest } from '../../server/door.ts';
import { errorReply } from '../../http/route/reply.ts';
import { fileReply, filesIn, type BuiltFiles } from '../../pages/built-files.ts';
import { pageHeaders } from '../../pages/headers.ts';
import { html } from '../../pages/html.ts';
import { english } from '../../pages/locale.ts';
import { plainPage } from '../../pages/hosted/frame.ts';

export interface Built {
  readonly page: string;
  /** By name below `assets`. */
  readonly files: BuiltFiles;
}

/** The build in the first of these folders that has one; null when none has. */
export function readBuilt(
  folders: readonly string[] = [join(packageRoot(), 'dist', 'dashboard')],
): Built | null {
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
      handle: async (request) =>
        fileReply(built?.files.get(request.params['file'] ?? ''), request.header('accept-encoding')),
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

const notBuiltPage = plainPage({
  title: 'Dashboard',
  locale: english,
  main: html`<h1>The dashboard is not built</h1>
<p>This service was started without its pages. <code>npm run build</code> makes them, <code>npm start</code> does so by
itself. The API is not concerned.</p>`,
});
