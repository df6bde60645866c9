/** The tables of docs/reference/session-states.md, and who drives which of their cells. */
export const statesPage = 'docs/reference/session-states.md';

/** The pages and the API decide these before the session is asked; all others are the session's own. */
export const isOfThePages = (row: string, cell: string): boolean =>
  row.startsWith('simulate') || ['403', '404'].includes(cell);
