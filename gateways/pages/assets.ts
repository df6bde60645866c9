/** What the pages refer to, at addresses of our own: stylesheet, script, tiles. Each name carries the hash
 *  of its content, so a browser may keep it for good and a new version is a new address. */
import { sha256Hex } from '../../src/kernel/hash.ts';
import type { Door, DoorReply } from '../http/door.ts';
import { markedProviders, markOf } from './marks.ts';
import { script } from './script.ts';
import { stylesheet } from './style.ts';

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

const style = asset('pages', 'css', 'text/css; charset=utf-8', stylesheet);
const behaviour = asset('pages', 'js', 'text/javascript; charset=utf-8', script);
const tile = (provider: string): Asset => asset('mark', 'svg', 'image/svg+xml', markOf(provider));
const tiles: ReadonlyMap<string, Asset> = new Map(markedProviders.map((each) => [each, tile(each)]));
const otherTile = tile('');

export const stylesheetPath: string = style.path;
export const scriptPath: string = behaviour.path;
/** Address of a provider's tile. */
export const markPath = (provider: string): string => (tiles.get(provider) ?? otherTile).path;

/** `GET /ui/{file}`. */
export function assetDoors(): readonly Door[] {
  const assets = new Map([style, behaviour, otherTile, ...tiles.values()].map((each) => [each.path, each]));
  return [
    {
      method: 'GET',
      path: '/ui/{file}',
      handle: (request) => Promise.resolve(served(assets.get(request.path))),
    },
  ];
}

const served = (found: Asset | undefined): DoorReply =>
  found === undefined
    ? { status: 404, headers: { 'Content-Type': 'text/plain; charset=utf-8' }, body: 'No such file.\n' }
    : {
        status: 200,
        headers: {
          'Content-Type': found.type,
          'Cache-Control': 'public, max-age=31536000, immutable',
          'X-Content-Type-Options': 'nosniff',
          // A tile opened by itself is a document too.
          'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
        },
        body: found.text,
      };
