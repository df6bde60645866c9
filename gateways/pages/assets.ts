/** Assets that the pages refer to, served from our own addresses: stylesheet, script, tiles. Each name
 *  contains the hash of its content, so a browser may cache it permanently and a new version has a new
 *  address. */
import { gzipSync } from 'node:zlib';
import { sha256Hex } from '../../src/kernel/hash.ts';
import { takesGzip } from '../server/accept-encoding.ts';
import type { Door, DoorReply } from '../server/door.ts';
import { markedProviders, markOf } from './marks.ts';
import { script } from './script.ts';
import { viewerScript } from './front/viewer-script.ts';
import { viewerStyle } from './front/viewer-style.ts';
import { stylesheet } from './style.ts';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

interface Asset {
  readonly path: string;
  readonly type: string;
  readonly text: string;
}

const asset = (name: string, ending: string, type: string, text: string): Asset => ({
  path: `/ui/${name}-${sha256Hex(text).slice(0, 12)}.${ending}`,
  type,
  text,
});

/** The package exports only the full build; the minified one is beside it. */
const folder = dirname(createRequire(import.meta.url).resolve('socket.io-client/dist/socket.io.js'));

/** Without the source map line, which names a file that we do not serve. */
const socketClient = readFileSync(join(folder, 'socket.io.min.js'), 'utf8').replace(
  /^\/\/# sourceMappingURL=.*$/m,
  '',
);

const style = asset('pages', 'css', 'text/css; charset=utf-8', stylesheet);
const behaviour = asset('pages', 'js', 'text/javascript; charset=utf-8', script);
const client = asset('socket', 'js', 'text/javascript; charset=utf-8', socketClient);
const viewer = asset('viewer', 'js', 'text/javascript; charset=utf-8', viewerScript);
const viewerLook = asset('viewer', 'css', 'text/css; charset=utf-8', viewerStyle);
const tile = (provider: string): Asset => asset('mark', 'svg', 'image/svg+xml', markOf(provider));
const tiles: ReadonlyMap<string, Asset> = new Map(markedProviders.map((each) => [each, tile(each)]));
const otherTile = tile('');

export const stylesheetPath: string = style.path;
export const scriptPath: string = behaviour.path;
/** The script loads it where a page waits for updates. */
export const socketClientPath: string = client.path;
/** The viewer of the API's documents: its settings and its look. */
export const viewerScriptPath: string = viewer.path;
export const viewerStylePath: string = viewerLook.path;
/** Address of a provider's tile. */
export const markPath = (provider: string): string => (tiles.get(provider) ?? otherTile).path;

/** `GET /ui/{file}`. */
export function assetDoors(): readonly Door[] {
  const all = [style, behaviour, client, viewer, viewerLook, otherTile, ...tiles.values()];
  const packed = new Map(
    all.map((each): [string, Packed] => [each.path, { ...each, gzip: gzipSync(each.text) }]),
  );
  return [
    {
      method: 'GET',
      path: '/ui/{file}',
      handle: (request) =>
        Promise.resolve(served(packed.get(request.path), takesGzip(request.header('accept-encoding')))),
    },
  ];
}

interface Packed extends Asset {
  readonly gzip: Buffer;
}

const served = (found: Packed | undefined, isPacked: boolean): DoorReply =>
  found === undefined
    ? { status: 404, headers: { 'Content-Type': 'text/plain; charset=utf-8' }, body: 'No such file.\n' }
    : {
        status: 200,
        headers: {
          'Content-Type': found.type,
          'Cache-Control': 'public, max-age=31536000, immutable',
          Vary: 'Accept-Encoding',
          'X-Content-Type-Options': 'nosniff',
          // A tile opened by itself is a document too.
          'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
          ...(isPacked ? { 'Content-Encoding': 'gzip' } : {}),
        },
        body: isPacked ? found.gzip : found.text,
      };
