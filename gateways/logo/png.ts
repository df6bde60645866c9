/** Checks that bytes are a PNG of a bounded size, by what they contain.
 *  1. The pixels are inflated in full, but never kept, and never beyond what the header announces: a small file
 *     cannot expand without limit.
 *  2. Only the chunks that draw the picture are kept: texts, camera data and anything after the end are left out. */
import { crc32, createInflate } from 'node:zlib';
import { Readable } from 'node:stream';

/** Of each side. */
export const pixelsMax = 2048;

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const headerBytes = 13;
/** Length, type and checksum. */
const chunkFrameBytes = 12;

/** What draws the picture. */
const kept: ReadonlySet<string> = new Set(['IHDR', 'PLTE', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'IDAT', 'IEND']);

/** Samples of a pixel, by colour type. */
const samples: { readonly [colourType: number]: number } = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

export const isPng = (bytes: Buffer): boolean => bytes.subarray(0, signature.length).equals(signature);

export type Png =
  | { readonly is: 'png'; readonly bytes: Buffer }
  | { readonly is: 'refused'; readonly why: 'broken' | 'too_many_pixels' };

const broken: Png = { is: 'refused', why: 'broken' };

/** `bytes` begin with the signature. */
export async function checkedPng(bytes: Buffer): Promise<Png> {
  const chunks = chunksOf(bytes);
  const [first] = chunks ?? [];
  if (chunks === null || first === undefined || first.type !== 'IHDR') return broken;
  const pixels = pixelBytesOf(first.data);
  if (pixels === null) return broken;
  if (pixels === 'too_many') return { is: 'refused', why: 'too_many_pixels' };
  const packed = chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data);
  if (!(await inflatesTo(packed, pixels))) return broken;
  const drawing = chunks.filter(({ type }) => kept.has(type)).map(({ whole }) => whole);
  return { is: 'png', bytes: Buffer.concat([signature, ...drawing]) };
}

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
  readonly whole: Buffer;
}

/** Up to the end chunk; null when one is cut off, has a wrong checksum, or is critical and unknown. */
function chunksOf(bytes: Buffer): readonly Chunk[] | null {
  const chunks: Chunk[] = [];
  for (let at = signature.length; at + chunkFrameBytes <= bytes.length;) {
    const length = bytes.readUInt32BE(at);
    const end = at + chunkFrameBytes + length;
    if (end > bytes.length) return null;
    const whole = bytes.subarray(at, end);
    if (crc32(whole.subarray(4, -4)) !== whole.readUInt32BE(whole.length - 4)) return null;
    const type = whole.toString('latin1', 4, 8);
    const isCritical = /^[A-Z]/.test(type);
    if (!/^[a-zA-Z]{4}$/.test(type) || (isCritical && !kept.has(type))) return null;
    chunks.push({ type, data: whole.subarray(8, -4), whole });
    if (type === 'IEND') return chunks;
    at = end;
  }
  return null;
}

/** Bytes of the inflated pixels, each line with its filter byte. */
function pixelBytesOf(header: Buffer): number | 'too_many' | null {
  if (header.length !== headerBytes) return null;
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [depth = 0, colourType = 0, compression, filter, interlace = 0] = header.subarray(8);
  const perPixel = samples[colourType];
  if (perPixel === undefined || ![1, 2, 4, 8, 16].includes(depth)) return null;
  if (compression !== 0 || filter !== 0 || interlace > 1 || width === 0 || height === 0) return null;
  if (width > pixelsMax || height > pixelsMax) return 'too_many';
  const bits = depth * perPixel;
  if (interlace === 0) return linesOf(width, height, bits);
  return passes.reduce((sum, [x, y, dx, dy]) => {
    const [columns, rows] = [Math.ceil((width - x) / dx), Math.ceil((height - y) / dy)];
    return columns > 0 && rows > 0 ? sum + linesOf(columns, rows, bits) : sum;
  }, 0);
}

const linesOf = (width: number, height: number, bits: number): number =>
  height * (1 + Math.ceil((width * bits) / 8));

/** The seven passes of an interlaced picture: first column and row, and the steps between them. */
const passes: readonly (readonly [number, number, number, number])[] = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
];

async function inflatesTo(packed: readonly Buffer[], bytes: number): Promise<boolean> {
  let seen = 0;
  try {
    for await (const part of Readable.from(packed).pipe(createInflate())) {
      seen += (part as Buffer).length;
      if (seen > bytes) return false;
    }
  } catch {
    // not a zlib stream
    return false;
  }
  return seen === bytes;
}
