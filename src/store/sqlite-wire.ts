/** What crosses from the event loop to the writer: each document and row as one JSON text behind a short head.
 *  Types only. */

/** What the writer must know of a text before its tables are written. `expect` and `e` of a document, `once` of a
 *  row; `rows`: how many of the texts that follow belong to the same write. */
export type LineHead =
  | readonly [of: 'doc', kind: string, id: string, v: number, expect: number, e: number, rows: number]
  | readonly [of: 'row', kind: string, id: string, v: number, once: 0 | 1];

/** Heads and texts in turn. A JSON text has no line break, so many of them make one text, line by line. */
export type Lines = readonly string[];
