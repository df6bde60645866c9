/** Where uploaded logos are served: `GET /logo/{projectId}.png`, `.svg`. Public, like the pages that show them.
 *  1. Whatever is served cannot run: neither the type nor the content can be taken for a page.
 *  2. Few logos are in memory at once; a changed one is served at once on a node that is notified, and after 4 s
 *     everywhere. */
import { logoAt, type LogoFormat, type LogoState } from '../../actors/logo/messages.ts';
import { couldBeId } from '../../src/kernel/id.ts';
import type { Instant } from '../../src/kernel/time.ts';
import type { Client } from '../../src/runtime/model/client.ts';
import type { Auth } from '../http/access/auth.ts';
import { TtlCache } from '../http/access/ttl-cache.ts';
import type { Door, DoorReply } from '../server/door.ts';
import { projectOfFile, versionOf } from './address.ts';

export interface LogoParts {
  readonly client: Pick<Client, 'read'>;
  /** Notifies when merchants have changed, on any node. */
  readonly auth: Pick<Auth, 'onForget'>;
  /** Real time. */
  readonly now: () => Instant;
}

/** At most 16 MiB. */
const logosInMemoryMax = 64;

interface Served {
  readonly format: LogoFormat;
  readonly version: string;
  readonly bytes: Buffer;
}

const types: { readonly [format in LogoFormat]: string } = { png: 'image/png', svg: 'image/svg+xml' };

/** The logo of a project; null when it has uploaded none. */
export type FindLogo = (projectId: string) => Promise<Served | null>;

export function logosIn({ client, auth, now }: LogoParts): FindLogo {
  const logos = new TtlCache((projectId) => logoOf(client, projectId), now, logosInMemoryMax);
  auth.onForget((projectId) => logos.forget(projectId));
  return (projectId) => logos.get(projectId);
}

export const logoDoors = (find: FindLogo): readonly Door[] => [
  {
    method: 'GET',
    path: '/logo/{file}',
    lateHeaders: [],
    async handle(request) {
      const known = request.header('if-none-match');
      const projectId = projectOfFile(request.params['file'] ?? '');
      const asked = new URLSearchParams(request.rawQuery).get('v');
      if (projectId === null || !couldBeId('prj', projectId)) return noLogo;
      const found = await find(projectId);
      return found === null ? noLogo : replyOf(found, asked, known);
    },
  },
];

/** The picture that exists now, also for the address of an earlier one; only its own address is kept for long. */
function replyOf({ format, version, bytes }: Served, asked: string | null, known: string): DoorReply {
  const etag = `"${version}"`;
  const headers = {
    'Cache-Control': asked === version ? 'public, max-age=31536000, immutable' : 'public, no-cache',
    ETag: etag,
    'X-Content-Type-Options': 'nosniff',
    // shops may show it, too
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  };
  if (known.split(',').some((each) => each.trim().replace(/^W\//, '') === etag))
    return { status: 304, headers, body: null };
  return { status: 200, headers: { 'Content-Type': types[format], ...headers }, body: bytes };
}

async function logoOf(client: LogoParts['client'], projectId: string): Promise<Served | null> {
  const found = await client.read<LogoState>(logoAt(projectId), 'system');
  if (found === null || found.state.status === 'removed') return null;
  const { format, sha256, bytes } = found.state;
  return { format, version: versionOf(sha256), bytes: Buffer.from(bytes, 'base64') };
}

const noLogo: DoorReply = {
  status: 404,
  headers: { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' },
  body: 'No such logo.\n',
};
