/** Pictures as merchants upload them, and PNGs that are broken on purpose. */
import { crc32, deflateSync } from 'node:zlib';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

export function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

export interface PngOf {
  readonly width?: number;
  readonly height?: number;
  /** Inflated; by default as many as the header announces. */
  readonly pixels?: Buffer;
  /** After the header. */
  readonly more?: readonly Buffer[];
  readonly interlace?: 0 | 1;
}

/** 8-bit RGBA, of one colour. */
export function pngOf({ width = 64, height = 64, pixels, more = [], interlace = 0 }: PngOf = {}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, interlace], 8);
  const line = Buffer.concat([Buffer.alloc(1), Buffer.alloc(width * 4, Buffer.from([11, 91, 72, 255]))]);
  const all = pixels ?? Buffer.concat(Array.from({ length: height }, () => line));
  return Buffer.concat([
    signature,
    pngChunk('IHDR', header),
    ...more,
    pngChunk('IDAT', deflateSync(all)),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

export const svgOf = (inside: string, head = ''): string =>
  `${head}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 64 64">${inside}</svg>`;

export const svgLogo = svgOf(
  '<rect width="64" height="64" rx="12" fill="#0b5b48"/><path d="M18 32l10 10 18-20" fill="none" stroke="#fff" stroke-width="6"/>',
);
