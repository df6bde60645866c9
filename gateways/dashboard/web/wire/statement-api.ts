/** What the screens of reconciliation ask for, and its data. */
import { pathOf, type Asked, type Upload } from './asked.ts';
import type { Result } from './failure.ts';
import type { Listed, Place } from './types.ts';

export type StatementStatus = 'processing' | 'done' | 'failed';

/** Times as ISO texts. */
export interface Statement {
  readonly id: string;
  readonly provider: string;
  readonly fileName: string | null;
  readonly status: StatementStatus;
  /** A sentence; null: it has not failed. */
  readonly failureReason: string | null;
  /** Compared so far. */
  readonly rows: number;
  readonly matched: number;
  readonly amountDiffers: number;
  readonly unmatchedStatement: number;
  readonly unmatchedPayment: number;
  readonly dateFrom: string | null;
  /** Exclusive. */
  readonly dateTo: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type StatementResult = 'matched' | 'amount_differs' | 'unmatched_statement' | 'unmatched_payment';

/** Amounts in paisa; of refunds negative. */
export interface StatementItem {
  /** null: a payment that the file does not have. */
  readonly line: number | null;
  readonly result: StatementResult;
  readonly reference: string | null;
  readonly statementAmount: number | null;
  readonly fee: number | null;
  readonly paymentId: string | null;
  readonly paymentAmount: number | null;
  readonly date: string | null;
  readonly ageDays: number | null;
}

/** The names of the file's columns; `unit`: `rupees` or `paisa`. */
export interface StatementMapping {
  readonly reference?: string;
  readonly amount?: string;
  readonly date?: string;
  readonly fee?: string;
  readonly unit?: string;
}

export interface StatementRequest {
  readonly provider: string;
  readonly fileName: string;
  readonly csv: string;
  readonly mapping: StatementMapping;
}

export interface StatementApi {
  statement(place: Place, id: string): Promise<Result<Statement>>;
  statementItems(place: Place, id: string, query: URLSearchParams): Promise<Result<Listed<StatementItem>>>;
  /** Sent again with the same key, it is one statement. */
  uploadStatement(
    place: Place,
    request: StatementRequest,
    idempotencyKey: string,
    upload: Upload,
  ): Promise<Result<Statement>>;
}

export const statementCallsOf = (asked: Asked): StatementApi => ({
  statement: (place, id) => asked('GET', statementOf(place, id)),
  statementItems: (place, id, query) => asked('GET', `${statementOf(place, id)}/items?${query}`),
  uploadStatement: (place, request, key, upload) => asked('POST', statementsOf(place), request, key, upload),
});

const statementsOf = (place: Place): string => `${pathOf(place)}/reconciliation/statements`;
const statementOf = (place: Place, id: string): string => `${statementsOf(place)}/${encodeURIComponent(id)}`;
