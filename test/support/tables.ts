/** The tables of a reference page, for tests that drive what they say. */
import { read } from './house.ts';

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly { readonly name: string; readonly cells: readonly string[] }[];
}

/** The first table under a heading of level two. */
export function tableIn(path: string, heading: string): Table {
  const section =
    read(path)
      .split(/^## /m)
      .find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const [head = [], , ...rows] = section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  return {
    columns: head.slice(1).map((name) => name.replaceAll('`', '')),
    rows: rows.map(([name = '', ...cells]) => ({ name, cells })),
  };
}
