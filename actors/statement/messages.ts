/** The commands and the state of a statement: a provider's list of payments, compared with ours. */
import { sha256Base32 } from '../../src/kernel/hash.ts';
import { placedBeside } from '../../src/kernel/id.ts';
import type { Paisa } from '../../src/kernel/money.ts';
import type { Instant } from '../../src/kernel/time.ts';
import type { Provider } from '../../src/providers/answers.ts';
import { address, type ActorTypes, type Address } from '../../src/runtime/model/actor.ts';

export const statementAt = (id: string): Address<StatementCommands> => address('statement', id);

/** One part of its text. */
export const statementPartAt = (statementId: string, part: number): Address<StatementPartCommands> =>
  address(
    'statement_part',
    placedBeside('rsp', statementId, sha256Base32(['statement_part', statementId, String(part)], 24)),
  );

/** The collection of the compared rows, many in one record. */
export const statementBlockKind = 'statement_block';
export const statementBlockId = (statementId: string, block: number): string => `${statementId}.${block}`;

export const statementStatuses = ['processing', 'done', 'failed'] as const;
export const itemResults = ['matched', 'amount_differs', 'unmatched_statement', 'unmatched_payment'] as const;
export type ItemResult = (typeof itemResults)[number];

const statementUnits = ['rupees', 'paisa'] as const;
export type StatementUnit = (typeof statementUnits)[number];

export const statementColumns = ['reference', 'amount', 'date', 'fee', 'unit'] as const;
export type StatementColumn = (typeof statementColumns)[number];

/** The names of its columns; absent: the column of that name, if there is one. */
export type StatementMapping = { readonly [column in StatementColumn]?: string };

/** A place in the text, at the beginning of a row. */
export interface StatementPlace {
  readonly part: number;
  /** In UTF-8, of the part. */
  readonly byte: number;
  /** From 1. */
  readonly line: number;
}

/** How its rows are read. */
export interface StatementFormat {
  readonly delimiter: string;
  /** Where each column is; -1: there is none. */
  readonly columns: { readonly [column in StatementColumn]: number };
  /** Of rows that do not say it themselves. */
  readonly unit: StatementUnit;
}

/** A place in the list of our own payments. */
export interface ScanPlace {
  /** Midnight in Asia/Kathmandu. */
  readonly day: Instant;
  /** Created before this instant; null: all of the day. */
  readonly to: Instant | null;
  readonly page: number;
  /** Payments read so far. */
  readonly read: number;
}

/** Rows of one block by their result, in the order of `itemResults`. */
export type BlockCounts = readonly [number, number, number, number];

/** The days that its dates span. */
export interface DatesSeen {
  readonly first: Instant;
  readonly last: Instant;
}

/** A compared row, as a block stores it. */
export interface StatementItem {
  /** null: one of our payments, which has no line. */
  readonly line: number | null;
  readonly result: ItemResult;
  readonly reference: string | null;
  readonly statementAmount: Paisa | null;
  readonly fee: Paisa | null;
  readonly paymentId: string | null;
  readonly paymentAmount: Paisa | null;
  readonly date: Instant | null;
  /** Of the payment; not shown. */
  readonly sessionId?: string;
  /** The refund that it is; not shown. */
  readonly refundId?: string;
}

export interface StatementCommands {
  /** Its parts are stored already. */
  open: {
    readonly provider: Provider;
    readonly fileName: string | null;
    readonly mapping: StatementMapping;
    readonly parts: number;
  };
  // The results of the effect `statement.step`.
  stepEnded: StepEnded;
  // Sent by a timer.
  stepAgain: { readonly key: string };
}

/** What one step of the work has come to. `step`: its number, so that a late result of another one is
 *  ignored. */
export type StepEnded = { readonly step: number } & (
  | {
      readonly is: 'readable';
      readonly format: StatementFormat;
      /** null: it has no rows. */
      readonly place: StatementPlace | null;
      readonly dates: DatesSeen | null;
    }
  | { readonly is: 'unreadable'; readonly reason: string }
  /** `place`: null at the end of the file. */
  | {
      readonly is: 'matched';
      readonly blocks: readonly BlockCounts[];
      readonly place: StatementPlace | null;
    }
  | { readonly is: 'scanned'; readonly blocks: readonly BlockCounts[]; readonly place: ScanPlace | null }
  /** Fees of the blocks before this one are stored on their payments. */
  | { readonly is: 'fees'; readonly block: number }
  /** Nothing is known: it is made once more. */
  | { readonly is: 'unanswered' }
);

/** The work that is left. */
export type StatementWork =
  | { readonly is: 'check' }
  | { readonly is: 'match'; readonly format: StatementFormat; readonly place: StatementPlace }
  | { readonly is: 'scan'; readonly place: ScanPlace }
  | { readonly is: 'fees'; readonly block: number };

export interface StatementEffects {
  /** One bounded part of the work. */
  'statement.step': {
    readonly statementId: string;
    readonly step: number;
    readonly provider: Provider;
    readonly mapping: StatementMapping;
    readonly parts: number;
    readonly work: StatementWork;
    /** Blocks that are complete. */
    readonly blocks: number;
    readonly dates: DatesSeen | null;
  };
}

export interface StatementFields {
  readonly provider: Provider;
  readonly fileName: string | null;
  readonly mapping: StatementMapping;
  readonly parts: number;
  /** How many blocks its compared rows fill, and how many rows of each result they have. */
  readonly blocks: readonly BlockCounts[];
  readonly dates: DatesSeen | null;
  readonly failureReason: string | null;
  /** Steps so far. */
  readonly step: number;
  /** Steps without a result, one after the other. */
  readonly unanswered: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export type StatementState =
  | (StatementFields & { readonly status: 'processing'; readonly work: StatementWork })
  /** `work`: the fees that are still to be stored on payments. */
  | (StatementFields & { readonly status: 'done'; readonly work: StatementWork | null })
  | (StatementFields & { readonly status: 'failed' });

export interface StatementTypes extends ActorTypes {
  state: StatementState;
  terminal: never;
  commands: StatementCommands;
  effects: StatementEffects;
}

export interface StatementPartCommands {
  put: { readonly text: string };
  /** The statement has been compared: its text is not needed any more. */
  remove: Record<string, never>;
}

export interface StatementPartTypes extends ActorTypes {
  state: { readonly status: 'kept'; readonly text: string };
  terminal: never;
  commands: StatementPartCommands;
  effects: Record<never, never>;
}

export const countsOf = (items: readonly Pick<StatementItem, 'result'>[]): BlockCounts => {
  const [first, second, third, fourth] = itemResults.map(
    (result) => items.filter((item) => item.result === result).length,
  );
  return [first ?? 0, second ?? 0, third ?? 0, fourth ?? 0];
};
