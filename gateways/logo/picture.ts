/** An uploaded picture: a PNG or an SVG, recognised by its content, checked, and ready to be stored. */
import type { LogoPicture } from '../../actors/logo/messages.ts';
import { sha256Hex } from '../../src/kernel/hash.ts';
import { checkedPng, isPng, pixelsMax } from './png.ts';
import { harmlessSvg } from './svg.ts';

/** Also of what is stored. */
export const logoBytesMax = 256 * 1024;

const types: { readonly [type: string]: LogoPicture['format'] } = {
  'image/png': 'png',
  'image/svg+xml': 'svg',
};

export const isPictureType = (contentType: string): boolean => formatOf(contentType) !== undefined;

const formatOf = (contentType: string): LogoPicture['format'] | undefined =>
  types[(contentType.split(';')[0] ?? '').trim().toLowerCase()];

/** `must`: completes "logo must be". */
export type Checked = LogoPicture | { readonly must: string };

export async function pictureFrom(contentType: string, bytes: Buffer): Promise<Checked> {
  const format = formatOf(contentType);
  if ((format === 'png') !== isPng(bytes)) return { must: `what its type says: ${contentType}` };
  if (format === 'png') {
    const png = await checkedPng(bytes);
    if (png.is === 'png') return picture('png', png.bytes);
    return {
      must:
        png.why === 'broken'
          ? 'a PNG that can be read'
          : `a PNG of at most ${pixelsMax} x ${pixelsMax} pixels`,
    };
  }
  const svg = await harmlessSvg(bytes);
  if (svg.is === 'refused') return { must: `an SVG ${svg.why}` };
  return svg.bytes.length > logoBytesMax
    ? { must: 'an SVG of at most 256 KiB once it is written out' }
    : picture('svg', svg.bytes);
}

const picture = (format: LogoPicture['format'], bytes: Buffer): LogoPicture => ({
  format,
  sha256: sha256Hex(bytes),
  bytes: bytes.toString('base64'),
});
