/** The writes of the embedded store, as the event loop sends them to the writer's thread.
 *  1. The text is the record. One that leaves the event loop can be stored: what a table would refuse is refused here,
 *     because the tables are written after the acknowledgement.
 *  2. A write that cannot be stored fails alone; the others are sent.
 *  3. What was applied is kept in memory until the tables have it. */
import { BrokenInvariant } from '../kernel/assert.ts';
import type { Calls } from './sqlite-calls.ts';
import type { RecentWrites } from './sqlite-recent.ts';
import { placeOf, type Of, type Slots } from './sqlite-schema.ts';
import { attempt } from './sqlite-texts.ts';
import type { LineHead, Lines } from './sqlite-wire.ts';
import type { LogPosition, WriterOperations } from './sqlite-writer.ts';
import type { Row, Write, Written } from './store.ts';

/** The lines of one write: its document, then its rows. Throws for what cannot be stored. */
export function writeLines({ expect, doc, rows }: Write, slots: Readonly<Record<Of, Slots>>): Lines {
  known(slots.doc, doc.kind);
  const numbers = [doc.v, doc.e, doc.at, doc.created, doc.wake ?? 0];
  if (!numbers.every(Number.isSafeInteger))
    throw new BrokenInvariant(`${doc.kind}/${doc.id}: versions and instants are whole numbers`);
  const head: LineHead = ['doc', doc.kind, doc.id, doc.v, expect, doc.e, rows.length];
  return [JSON.stringify(head), JSON.stringify(doc), ...rows.flatMap((row) => rowLines(row, slots))];
}

/** The two lines of a row. Throws for what cannot be stored. */
export function rowLines(row: Row, slots: Readonly<Record<Of, Slots>>): Lines {
  known(slots.row, row.kind);
  if (!row.once && slots.row.get(row.kind)?.isListed === false)
    throw new BrokenInvariant(`${row.kind}/${row.id}: what is not found by its id is written once`);
  if (![row.v, placeOf(row)].every(Number.isSafeInteger))
    throw new BrokenInvariant(`${row.kind}/${row.id}: versions, instants and places are whole numbers`);
  const head: LineHead = ['row', row.kind, row.id, row.v, row.once ? 1 : 0];
  return [JSON.stringify(head), JSON.stringify(row)];
}

function known(slots: Slots, kind: string): void {
  if (!slots.has(kind)) throw new BrokenInvariant(`the store has a collection ${kind}`);
}

export interface CommitsParts {
  readonly writer: Calls<WriterOperations>;
  readonly recent: RecentWrites;
  readonly slots: Readonly<Record<Of, Slots>>;
  /** What is answered instead of sending anything: `unknown` after a failure of the disk; null: nothing. */
  readonly refusal: () => Written | null;
  /** Whether a failed call may have been executed all the same. */
  readonly inDoubt: (error: unknown) => boolean;
  /** Called with the outcomes of each commit. */
  readonly onWritten: (written: readonly Written[]) => void;
}

interface Sent {
  readonly write: Write;
  readonly lines: Lines;
}

export class SqliteCommits {
  private readonly parts: CommitsParts;

  constructor(parts: CommitsParts) {
    this.parts = parts;
  }

  /** One outcome per write. Never rejects. */
  async commit(writes: readonly Write[]): Promise<readonly Written[]> {
    const { slots, refusal, onWritten } = this.parts;
    const refused = refusal();
    if (refused !== null) return writes.map(() => refused);
    const made = writes.map((write) => ({ write, lines: attempt(() => writeLines(write, slots)) }));
    const sent = made.flatMap(({ write, lines }) => (lines instanceof Error ? [] : [{ write, lines }]));
    // null: all were applied
    const results = sent.length === 0 ? null : await this.send(sent);
    let next = 0;
    const written = made.map(({ lines }) =>
      lines instanceof Error ? failed(lines) : (results?.[next++] ?? applied),
    );
    onWritten(written);
    return written;
  }

  /** Rejects when they were certainly not stored. */
  async putRows(rows: readonly Row[]): Promise<'applied' | 'unknown'> {
    const { writer, recent, slots, inDoubt } = this.parts;
    try {
      const answer = await writer.call(
        'putRows',
        rows.flatMap((row) => rowLines(row, slots)),
      );
      // an older row may have met a newer one: reads by id ask the tables
      if (answer.stored) for (const { kind, id } of rows) recent.add('row', kind, id, null, answer);
      recent.applied(answer);
      return answer.stored ? 'applied' : 'unknown';
    } catch (error) {
      if (inDoubt(error)) return 'unknown';
      throw error;
    }
  }

  /** null: all were applied. */
  private async send(sent: readonly Sent[]): Promise<readonly Written[] | null> {
    const { writer, recent, inDoubt } = this.parts;
    try {
      const all = sent.flatMap(({ lines }) => lines);
      const answer = await writer.call('commit', all, 'now');
      const { results } = answer;
      for (const [at, one] of sent.entries())
        if (results === null || results[at]?.is === 'applied') remember(recent, one, answer);
      recent.applied(answer);
      return results;
    } catch (error) {
      return sent.map(() => (inDoubt(error) ? unknown : failed(error)));
    }
  }
}

/** Keeps the texts of a write that was applied. */
function remember(recent: RecentWrites, { write: { doc, rows }, lines }: Sent, at: LogPosition): void {
  recent.add('doc', doc.kind, doc.id, lines[1] ?? null, at);
  for (const [place, { kind, id, once }] of rows.entries())
    recent.add('row', kind, id, once ? null : (lines[3 + 2 * place] ?? null), at);
}

const applied: Written = { is: 'applied' };
export const unknown: Written = { is: 'unknown' };
const failed = (error: unknown): Written => ({ is: 'error', of: 'document', reason: String(error) });
