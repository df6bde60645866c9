/** The kinds of statements: a statement, and the parts of its text. */
import { days } from '../../src/kernel/time.ts';
import type { Kind } from '../kind.ts';
import { statementBlockKind } from './messages.ts';
import { statement } from './statement.ts';
import { statementPart } from './statement-part.ts';

export const statementKind = {
  actor: statement,
  rows: [{ kind: statementBlockKind, indexes: [] }],
  refusals: {
    statement_limit_reached: {
      status: 422,
      type: 'invalid_request_error',
      message: 'Too many statements are being processed. Wait until one of them is done.',
    },
  },
} as const satisfies Kind;

/** Longer than a statement may be processed: what an interrupted upload has left goes, too. */
export const statementPartKind = { actor: statementPart, keptMs: days(7) } as const satisfies Kind;
