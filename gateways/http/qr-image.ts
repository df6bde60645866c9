/** A QR code as an image: a file, or a data URL.
 *  Written here with one bit per pixel: the package's own image writer builds 410 kB of colours first, and
 *  takes four times as long for an image four times as large; meanwhile it blocks the node's event loop. */
import { crc32, deflateSync } from 'node:zlib';
import { create } from 'qrcode';

export const qrImagePixels = 320;
/** Blank modules around the code: with fewer, some cameras do not find it. */
const quietModules = 4;
const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** `data:image/png;base64,...`. */
export const qrImage = (text: string): string => `data:image/png;base64,${qrPng(text).toString('base64')}`;

/** A PNG file, 320 x 320, error level M. Throws for a text that does not fit in a code. */
export function qrPng(text: string): Buffer {
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  const across = modules.size + 2 * quietModules;
  const moduleAt = (pixel: number): number => Math.floor((pixel * across) / qrImagePixels) - quietModules;
  const isDark = (row: number, column: number): boolean =>
    row >= 0 && row < modules.size && column >= 0 && column < modules.size && modules.get(row, column) === 1;

  // each row begins with the number of its filter: 0, none
  const lineBytes = 1 + qrImagePixels / 8;
  const pixels = Buffer.alloc(lineBytes * qrImagePixels);
  for (let y = 0; y < qrImagePixels; y++) {
    const line = pixels.subarray(y * lineBytes, (y + 1) * lineBytes);
    const row = moduleAt(y);
    if (y > 0 && row === moduleAt(y - 1)) {
      pixels.copy(line, 0, (y - 1) * lineBytes, y * lineBytes);
      continue;
    }
    for (let x = 0; x < qrImagePixels; x++) {
      const at = 1 + (x >> 3);
      if (!isDark(row, moduleAt(x))) line[at] = (line[at] ?? 0) | (0x80 >> (x & 7));
    }
  }
  return Buffer.concat([
    pngSignature,
    chunk('IHDR', header()),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The same code as an SVG drawing, for print: one path of its dark modules. */
export function qrSvg(text: string): string {
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  const across = modules.size + 2 * quietModules;
  let path = '';
  for (let row = 0; row < modules.size; row++)
    for (let column = 0; column < modules.size; column++)
      if (modules.get(row, column) === 1) path += `M${column + quietModules} ${row + quietModules}h1v1h-1z`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${across} ${across}" shape-rendering="crispEdges">` +
    `<path fill="#fff" d="M0 0h${across}v${across}H0z"/><path d="${path}"/></svg>`
  );
}

/** Width, height, one grey bit per pixel; deflate, the standard filter set, not interlaced (PNG, 11.2.1). */
function header(): Buffer {
  const bytes = Buffer.alloc(13);
  bytes.writeUInt32BE(qrImagePixels, 0);
  bytes.writeUInt32BE(qrImagePixels, 4);
  bytes[8] = 1;
  return bytes;
}

/** Length, name, data and their checksum (PNG, 5.3). */
function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'ascii'), data]);
  const bytes = Buffer.alloc(named.length + 8);
  bytes.writeUInt32BE(data.length, 0);
  named.copy(bytes, 4);
  bytes.writeUInt32BE(crc32(named), named.length + 4);
  return bytes;
}
