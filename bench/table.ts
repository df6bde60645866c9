/** Rows as a table of Markdown. */
import type { Row } from './support.ts';

const columns = [
  'What',
  'Arm',
  'Value',
  'p50 ms',
  'p99 ms',
  'CPU us/op',
  'Servers us/op',
  'Ours / arm',
  'By CPU',
] as const;

/** The rows as a table of Markdown, readable as text; an empty column is left out. */
export function table(rows: readonly Row[]): string {
  const all = rows.map((row) => [
    row.what,
    row.arm,
    `${shown(row.value)} ${row.unit}`,
    optional(row.p50Ms),
    optional(row.p99Ms),
    optional(row.cpuUs),
    optional(row.serversUs),
    times(row.ratio),
    times(row.cpuRatio),
  ]);
  const filled = columns.map((_, at) => all.some((row) => row[at] !== ''));
  const picked = (row: readonly string[]): readonly string[] => row.filter((_, at) => filled[at] === true);
  const [head, cells] = [picked(columns), all.map(picked)];
  const widths = head.map((name, at) => Math.max(name.length, ...cells.map((row) => row[at]?.length ?? 0)));
  const padded = (cell: string, at: number): string =>
    at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0);
  const line = (row: readonly string[]): string => `| ${row.map(padded).join(' | ')} |`;
  const rules = widths.map((width, at) => (at < 2 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`));
  return [line(head), `|${rules.join('|')}|`, ...cells.map(line)].join('\n');
}

const times = (ratio: number | undefined): string => (ratio === undefined ? '' : `${ratio.toFixed(2)}x`);
const optional = (value: number | undefined): string => (value === undefined ? '' : shown(value));
const shown = (value: number): string =>
  value >= 1000 ? Math.round(value).toLocaleString('en') : value >= 10 ? value.toFixed(1) : value.toFixed(2);
