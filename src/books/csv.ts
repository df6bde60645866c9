/** Reads the rows of a statement's text from any row on, a little at a time.
 *  1. The event loop is free between two slices of the text, and between some rows; whoever reads says how long.
 *  2. Lines end with one line feed: that is how the text is stored. */
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { CsvError, Parser } from 'csv-parse';
import type { StatementPlace } from '../../actors/statement/messages.ts';

/** Bytes that are parsed at once: about a millisecond, also where a row has few of them. */
const sliceBytes = 4 * 1024;
/** Rows that are passed on at once. */
const rowsAtOnce = 100;
/** Characters of one row, and bytes of one line: a line of separators alone is many cells without a character. */
export const rowCharactersMax = 64 * 1024;

export interface CsvRow {
  readonly cells: readonly string[];
  readonly line: number;
  /** Where it begins. */
  readonly place: StatementPlace;
}

/** The text of one part; null after the last one. Rejects when it cannot be read now. */
export type ReadPart = (part: number) => Promise<Buffer | null>;

/** Called between two small pieces of work. */
export type Rest = () => Promise<void>;

/** The file cannot be read as CSV. */
export class NotCsv extends Error {
  override readonly name = 'NotCsv';
}

interface Parsed {
  readonly record: readonly string[];
  readonly info: { readonly bytes: number; readonly lines: number };
}

/** Ends with the text. Throws NotCsv. */
export async function* rowsFrom(
  readPart: ReadPart,
  place: StatementPlace,
  delimiter: string,
  rest: Rest = setImmediate,
): AsyncGenerator<CsvRow> {
  const lengths: number[] = [];
  const parser = new Parser({
    bom: place.part === 0 && place.byte === 0,
    delimiter,
    info: true,
    max_record_size: rowCharactersMax,
    record_delimiter: '\n',
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
  });
  const text = Readable.from(slices(readPart, place, lengths, rest), { objectMode: false });
  text.on('error', (err) => parser.destroy(err));
  let here = place;
  let passedOn = 0;
  try {
    for await (const { record, info } of text.pipe(parser) as AsyncIterable<Parsed>) {
      const within = record.reduce((sum, cell) => sum + lineFeedsIn(cell), 0);
      yield { cells: record, line: place.line + info.lines - 1 - within, place: here };
      here = { ...placeOf(place, info.bytes, lengths), line: place.line + info.lines };
      // rows that are parsed already come without a turn of the event loop
      if (++passedOn % rowsAtOnce === 0) await rest();
    }
  } catch (thrown) {
    throw thrown instanceof CsvError ? new NotCsv(reasonOf(thrown, here.line)) : thrown;
  } finally {
    text.destroy();
    parser.destroy();
  }
}

async function* slices(
  readPart: ReadPart,
  from: StatementPlace,
  lengths: number[],
  rest: Rest,
): AsyncGenerator<Buffer> {
  const bounded = linesBounded(from.line);
  for (let at = from.part; ; at++) {
    const part = await readPart(at);
    if (part === null) return;
    lengths.push(part.length);
    for (let byte = at === from.part ? from.byte : 0; byte < part.length; byte += sliceBytes) {
      yield bounded(part.subarray(byte, byte + sliceBytes));
      await rest();
    }
  }
}

/** Passes slices on. Throws NotCsv where a line is too long. */
function linesBounded(firstLine: number): (slice: Buffer) => Buffer {
  let [line, bytes] = [firstLine, 0];
  return (slice) => {
    const end = slice.indexOf(lineFeed);
    if (bytes + (end < 0 ? slice.length : end) > rowCharactersMax) throw new NotCsv(tooLong(line));
    for (let at = end; at >= 0; at = slice.indexOf(lineFeed, at + 1)) line++;
    bytes = end < 0 ? bytes + slice.length : slice.length - 1 - slice.lastIndexOf(lineFeed);
    return slice;
  };
}

const lineFeed = 0x0a;

/** `bytes` after `from`; `lengths`: of the parts from that one on. */
function placeOf(
  from: StatementPlace,
  bytes: number,
  lengths: readonly number[],
): Pick<StatementPlace, 'part' | 'byte'> {
  let [part, byte] = [from.part, from.byte + bytes];
  for (const length of lengths) {
    if (byte < length) break;
    byte -= length;
    part++;
  }
  return { part, byte };
}

function lineFeedsIn(cell: string): number {
  let count = 0;
  for (let at = cell.indexOf('\n'); at >= 0; at = cell.indexOf('\n', at + 1)) count++;
  return count;
}

/** `line`: where the row begins that cannot be read. */
function reasonOf({ code }: CsvError, line: number): string {
  if (code === 'CSV_QUOTE_NOT_CLOSED') return `A quoted text has no end: look at line ${line}.`;
  if (code === 'CSV_MAX_RECORD_SIZE') return tooLong(line);
  return `The file is not CSV at line ${line}.`;
}

const tooLong = (line: number): string =>
  `Line ${line} begins a row that is longer than ${rowCharactersMax / 1024} KiB.`;
