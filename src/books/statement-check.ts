/** Whether a file is a statement, and how its rows are read. It reads all of it before anything is compared. */
import type {
  DatesSeen,
  StatementColumn,
  StatementFormat,
  StatementMapping,
  StatementPlace,
  StatementUnit,
} from '../../actors/statement/messages.ts';
import { statementColumns } from '../../actors/statement/messages.ts';
import { spanDays, spanDaysMax, withDate } from '../../actors/statement/span.ts';
import { shortened } from '../kernel/text.ts';
import { amountIn, dateIn, unitIn } from './cells.ts';
import { delimiterIn } from './delimiter.ts';
import { NotCsv, rowsFrom, type ReadPart, type Rest } from './csv.ts';

/** Rows of one statement. */
export const rowsMax = 100_000;

export type Checked =
  | {
      readonly is: 'readable';
      readonly format: StatementFormat;
      /** Of the first row after the header; null: there is none. */
      readonly place: StatementPlace | null;
      readonly dates: DatesSeen | null;
    }
  /** `reason`: a sentence. */
  | { readonly is: 'unreadable'; readonly reason: string };

const beginning: StatementPlace = { part: 0, byte: 0, line: 1 };

const unreadable = (reason: string): Checked => ({ is: 'unreadable', reason });

/** Rejects when a part cannot be read now. */
export async function checkStatement(
  readPart: ReadPart,
  mapping: StatementMapping,
  rest?: Rest,
): Promise<Checked> {
  try {
    const delimiter = delimiterIn((await readPart(0))?.toString('utf8') ?? '');
    return await checkRows(readPart, mapping, delimiter, rest);
  } catch (thrown) {
    if (thrown instanceof NotCsv) return unreadable(thrown.message);
    throw thrown;
  }
}

async function checkRows(
  readPart: ReadPart,
  mapping: StatementMapping,
  delimiter: string,
  rest?: Rest,
): Promise<Checked> {
  let format: StatementFormat | null = null;
  let first: StatementPlace | null = null;
  let [read, rows, amounts] = [0, 0, 0];
  let dates: DatesSeen | null = null;
  for await (const { cells, place } of rowsFrom(readPart, beginning, delimiter, rest)) {
    if (format === null) {
      const found = formatOf(cells, mapping, delimiter);
      if ('reason' in found) return unreadable(found.reason);
      format = found;
      continue;
    }
    first ??= place;
    // rows without a reference and an amount count too: reading them takes as long
    if (++read > rowsMax)
      return unreadable(`The file has more than ${rowsMax} rows: upload it in several files.`);
    const row = rowOf(cells, format);
    if (row === null) continue;
    rows++;
    if (row.amount !== null) amounts++;
    dates = withDate(dates, row.date);
  }
  if (format === null) return unreadable('The file is empty.');
  if (rows > 0 && amounts === 0) return unreadable('No row has an amount that can be read.');
  if (dates !== null && spanDays(dates) > spanDaysMax)
    return unreadable(`The dates of the file span more than ${spanDaysMax} days.`);
  return { is: 'readable', format, place: first, dates };
}

/** A row as it is compared. */
export interface StatementRow {
  readonly reference: string;
  readonly amount: number | null;
  readonly unit: StatementUnit;
  readonly date: number | null;
}

/** null: the row has neither reference nor amount, such as a line of dashes. */
export function rowOf(
  cells: readonly string[],
  { columns, unit: usual }: StatementFormat,
): StatementRow | null {
  const cell = (column: StatementColumn): string => (cells[columns[column]] ?? '').trim();
  const reference = cell('reference');
  if (reference === '' && cell('amount') === '') return null;
  const unit = columns.unit < 0 ? usual : (unitIn(cell('unit')) ?? usual);
  return { reference, unit, amount: amountIn(cell('amount'), unit), date: dateIn(cell('date')) };
}

/** Columns that a message names. */
const columnsNamedMax = 10;
const columnCharactersShown = 40;

function formatOf(
  header: readonly string[],
  mapping: StatementMapping,
  delimiter: string,
): StatementFormat | { readonly reason: string } {
  const names = header.map((name) => name.trim().toLowerCase());
  const chosenUnit = mapping.unit === undefined ? null : unitIn(mapping.unit);
  const columns: { [column in StatementColumn]: number } = {
    reference: 0,
    amount: 0,
    date: 0,
    fee: 0,
    unit: 0,
  };
  for (const column of statementColumns) {
    const name = mapping[column] ?? column;
    columns[column] = names.indexOf(name.trim().toLowerCase());
    const isUnit = column === 'unit' && chosenUnit !== null;
    const isNeeded = column === 'reference' || column === 'amount' || mapping[column] !== undefined;
    if (columns[column] < 0 && isNeeded && !isUnit)
      return {
        reason: `The file has no column "${shortened(name, columnCharactersShown)}"; ${namesOf(header)}.`,
      };
  }
  return { delimiter, columns, unit: chosenUnit ?? 'rupees' };
}

function namesOf(header: readonly string[]): string {
  const shown = header.slice(0, columnsNamedMax).map((name) => shortened(name.trim(), columnCharactersShown));
  return `its columns are ${shown.map((name) => `"${name}"`).join(', ')}${header.length > shown.length ? ', ...' : ''}`;
}
