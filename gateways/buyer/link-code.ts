/** GET /link/{referenceId}/qr.png and qr.svg: the address of a payment link as a QR code, for posters and
 *  chats. `?download` saves it as a file.
 *  1. It shows an address, and nothing else: it is the same for ever, so caches may keep it. */
import { remembering } from '../../src/kernel/remembering.ts';
import { linkByReference } from '../status/link-by-reference.ts';
import { qrPng, qrSvg } from '../http/qr-image.ts';
import { unknownLinkPage } from '../pages/link/link.ts';
import type { DoorReply, DoorRequest } from '../server/door.ts';
import { localeOf } from './language.ts';
import type { BuyerParts } from './parts.ts';
import { lone, tooMany } from './replies.ts';

/** An image takes 3 ms to make and is about 1 kB. */
const picturesRememberedMax = 200;
const pngOf = remembering(qrPng, picturesRememberedMax);
const svgOf = remembering(qrSvg, picturesRememberedMax);

export const linkPngDoor = (parts: BuyerParts, request: DoorRequest): Promise<DoorReply> =>
  picture(parts, request, 'png', (url) => pngOf(url));
export const linkSvgDoor = (parts: BuyerParts, request: DoorRequest): Promise<DoorReply> =>
  picture(parts, request, 'svg', (url) => svgOf(url));

const types = { png: 'image/png', svg: 'image/svg+xml' };

async function picture(
  parts: BuyerParts,
  request: DoorRequest,
  format: keyof typeof types,
  draw: (url: string) => Buffer | string,
): Promise<DoorReply> {
  const locale = localeOf(request);
  const verdict = parts.limitCodes(request.ip);
  if (verdict?.allowed === false) return tooMany(verdict, locale);
  const link = await linkByReference(parts.client, request.params['referenceId'] ?? '');
  if (link === null) return lone(404, unknownLinkPage(locale));
  const { url, referenceId } = link.state;
  const isFile = new URLSearchParams(request.rawQuery).has('download');
  return {
    status: 200,
    headers: {
      'Content-Type': types[format],
      'Cache-Control': 'public, max-age=86400',
      'X-Content-Type-Options': 'nosniff',
      // a drawing opened by itself is a document too
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
      'Content-Disposition': `${isFile ? 'attachment' : 'inline'}; filename="${referenceId}.${format}"`,
    },
    body: draw(url),
  };
}
