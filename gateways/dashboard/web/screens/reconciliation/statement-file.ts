/** A provider's file before it is uploaded: its columns, which of them are which, and its first rows as the service
 *  will read them. */
import { columnCharactersMax, statementBytesMax } from '../../../../../src/kernel/text-bounds.ts';
import { amountIn, dateIn } from '../../../../../src/books/cells.ts';
import { delimiterIn } from '../../../../../src/books/delimiter.ts';
import type { StatementMapping } from '../../wire/types.ts';

/** As the service accepts. */
/** The first rows are within these characters. */
const headCharacters = 256 * 1024;
const rowsShown = 5;

export interface StatementFile {
  readonly name: string;
  readonly bytes: number;
  readonly text: string;
  /** The names that can be chosen, as the file has them. */
  readonly columns: readonly string[];
  /** The cells of the first rows, in the order of `header`. */
  readonly rows: readonly (readonly string[])[];
  readonly header: readonly string[];
}

export const columnKinds = ['reference', 'amount', 'date', 'fee'] as const;
export type ColumnKind = (typeof columnKinds)[number];
export type Unit = 'rupees' | 'paisa';

/** Empty: none. */
export type Chosen = { readonly [kind in ColumnKind]: string } & { readonly unit: Unit };

/** The file, or why it cannot be a statement. */
export async function readStatementFile(file: File): Promise<StatementFile | string> {
  if (file.size === 0) return 'The file is empty.';
  if (file.size > statementBytesMax)
    return (
      `The file has ${sizeText(file.size)}; at most ${sizeText(statementBytesMax)} are accepted. ` +
      'Split it into several files.'
    );
  const text = utf8In(await file.arrayBuffer());
  if (text === null) return 'The file is not text in UTF-8. Save it as CSV in UTF-8, then choose it again.';
  const [header = [], ...rows] = (await rowsIn(text)) ?? [];
  const names = header.map((name) => name.trim());
  const columns = [...new Set(names.filter((name) => name !== '' && name.length <= columnCharactersMax))];
  if (columns.length < 2)
    return 'The first line does not name any columns. A statement is CSV with a header line.';
  return { name: file.name, bytes: file.size, text, columns, header: names, rows };
}

function utf8In(bytes: ArrayBuffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** null: no CSV. The parser is loaded when the first file is chosen. */
async function rowsIn(text: string): Promise<string[][] | null> {
  const { parse } = await import('csv-parse/browser/esm/sync');
  const head = text.slice(0, headCharacters).replace(/\r\n?/g, '\n');
  try {
    return parse(head, {
      bom: true,
      delimiter: delimiterIn(head),
      record_delimiter: '\n',
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      to: rowsShown + 1,
    });
  } catch {
    return null;
  }
}

/** What providers call their columns; the service itself only knows `reference`, `amount`, `date` and `fee`. */
const usual: Readonly<Record<ColumnKind, RegExp>> = {
  reference: /\bref|reference|txn|transaction|\brrn\b|pidx|voucher/i,
  amount: /amount|\bamt\b|\bpaid\b|credit/i,
  date: /date|time|\bwhen\b|settled|created|\bat$/i,
  fee: /fee|charge|commission|service/i,
};

/** The columns by their names: the service's own first, then what providers usually call them. */
export function guessed(columns: readonly string[]): Chosen {
  const taken = new Set<string>();
  const find = (kind: ColumnKind): string => {
    const own = columns.find((name) => name.toLowerCase() === kind);
    const found = own ?? columns.find((name) => !taken.has(name) && usual[kind].test(name)) ?? '';
    taken.add(found);
    return found;
  };
  // a fee may be called an amount of the fee, so it is found before the amount
  const [reference, date, fee] = [find('reference'), find('date'), find('fee')];
  return { reference, amount: find('amount'), date, fee, unit: 'rupees' };
}

export const mappingOf = ({ reference, amount, date, fee, unit }: Chosen): StatementMapping => ({
  reference,
  amount,
  ...(date === '' ? {} : { date }),
  ...(fee === '' ? {} : { fee }),
  unit,
});

/** The service takes a column with this very name where none is chosen. */
export const isTakenAnyway = (columns: readonly string[], kind: ColumnKind): boolean =>
  columns.some((name) => name.toLowerCase() === kind);

export interface PreviewRow {
  readonly reference: string;
  readonly amountText: string;
  /** Paisa; null: it cannot be read. */
  readonly amount: number | null;
  readonly dateText: string;
  /** null: it cannot be read. */
  readonly date: number | null;
  readonly fee: string;
}

/** The first rows as the service will read them. */
export function previewOf({ header, rows }: StatementFile, chosen: Chosen): readonly PreviewRow[] {
  const names = header.map((name) => name.toLowerCase());
  const cell = (row: readonly string[], kind: ColumnKind): string =>
    chosen[kind] === '' ? '' : (row[names.indexOf(chosen[kind].toLowerCase())] ?? '').trim();
  return rows.map((row) => {
    const [amountText, dateText] = [cell(row, 'amount'), cell(row, 'date')];
    return {
      reference: cell(row, 'reference'),
      amountText,
      amount: amountIn(amountText, chosen.unit),
      dateText,
      date: dateText === '' ? null : dateIn(dateText),
      fee: cell(row, 'fee'),
    };
  });
}

/** `1.2 MiB`, `340 KiB`. */
export const sizeText = (bytes: number): string =>
  bytes >= 1024 * 1024
    ? `${(bytes / 1024 / 1024).toFixed(1).replace(/\.0$/, '')} MiB`
    : `${Math.max(1, Math.round(bytes / 1024))} KiB`;
