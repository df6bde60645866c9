/** The embedded store as `galla move` and `galla doctor` read it, beside the service that may be writing it.
 *  Boundary: runs in a process of its own; synchronous, in short reads that keep no checkpoint waiting.
 *  1. Every record is in the tables or in the log. A walk through the tables finds each record that was in them when it
 *     began, in that version or a newer one; every commit that was not in them is in the log (sqlite-log-tail.ts). */
import { existsSync } from 'node:fs';
import { openConnection, type Connection } from './sqlite-bind.ts';
import { LogTail } from './sqlite-log-tail.ts';
import { databaseFile, schemaVersion, tableOf, versionOf, type Of } from './sqlite-schema.ts';
import { isDoc, isRow, parsed } from './sqlite-texts.ts';
import { recordsIn } from './sqlite-write.ts';
import type { Doc, Row } from './store.ts';

/** A move cannot go on; the message is one line for the operator. */
export class MoveRefused extends Error {
  override readonly name = 'MoveRefused';
}

export type Moving =
  | { readonly of: 'doc'; readonly record: Doc }
  | { readonly of: 'row'; readonly record: Row };

/** Records of one step of a walk. */
export const stepRecords = 250;

export interface KindCount {
  readonly kind: string;
  readonly records: number;
  readonly bytes: number;
}

/** Where a walk through both tables is. */
export interface WalkPlace {
  readonly of: Of;
  readonly n: number;
}

export const walkBegin: WalkPlace = { of: 'doc', n: 0 };

const busyMs = 10_000;

export class MoveSource {
  readonly #path: string;
  readonly #connection: Connection;
  #tail: LogTail;

  /** Throws MoveRefused. */
  constructor(dataDir: string) {
    this.#path = databaseFile(dataDir);
    if (!existsSync(this.#path))
      throw new MoveRefused(`${this.#path} is not there: name the data folder of a service`);
    this.#connection = openConnection(this.#path, busyMs);
    const version = versionOf(this.#connection);
    if (version !== schemaVersion) {
      this.#connection.close();
      throw new MoveRefused(
        `${this.#path} has schema ${version} and this build has ${schemaVersion}: use the build that runs the service`,
      );
    }
    this.#tail = new LogTail(this.#connection, this.#path);
  }

  /** From now on `changes` begins with what the tables may lack now: a walk has to follow. */
  restart(): void {
    this.#tail.close();
    this.#tail = new LogTail(this.#connection, this.#path);
  }

  /** What was committed since the last call; null: some of it cannot be known, `restart`. */
  changes(): readonly Moving[] | null {
    const polled = this.#tail.poll();
    if (polled.is === 'lost') return null;
    return polled.texts.flatMap(({ text }) =>
      [...recordsIn(text.split('\n'))].map(({ of, kind, id, json }) => movingOf(of, `${kind}/${id}`, json)),
    );
  }

  /** The records after a place, and the next place; null: there are no more. */
  step({ of, n }: WalkPlace): { readonly records: readonly Moving[]; readonly next: WalkPlace | null } {
    const rows = this.#connection
      .statement(
        `SELECT n, kind, id, json, ${of === 'doc' ? 'busy' : '1'} FROM ${tableOf[of]} WHERE n > ? ORDER BY n LIMIT ?`,
      )
      .all([n, stepRecords]);
    const records = rows.map(([, kind, id, json, busy]) => {
      const moving = movingOf(of, `${String(kind)}/${String(id)}`, String(json));
      return moving.of === 'doc' && busy === 0 && moving.record.busy
        ? { ...moving, record: { ...moving.record, busy: false } }
        : moving;
    });
    const last = Number(rows.at(-1)?.[0] ?? n);
    if (rows.length === stepRecords) return { records, next: { of, n: last } };
    return { records, next: of === 'doc' ? { of: 'row', n: 0 } : null };
  }

  /** Documents of a kind whose scope is `system`, the newest first; a tombstone is none. */
  newest(kind: string, max: number): readonly Doc[] {
    const lacking = (this.changes() ?? []).flatMap((one) => (one.of === 'doc' ? [one.record] : []));
    const stored = this.#connection
      .statement(
        `SELECT id, json FROM docs WHERE gone = 0
           AND shelf = (SELECT n FROM shelves WHERE kind = ? AND scope = 'system') ORDER BY ord DESC LIMIT ?`,
      )
      .all([kind, max])
      .map(([id, json]) => parsed(String(json), `${kind}/${String(id)}`, isDoc));
    const byId = new Map(
      [...stored, ...lacking.filter((one) => one.kind === kind)].map((one) => [one.id, one]),
    );
    return [...byId.values()]
      .filter(({ gone }) => !gone)
      .toSorted((one, other) => other.created - one.created)
      .slice(0, max);
  }

  /** How much of a walk is done at a place, of 1. */
  shareAt({ of, n }: WalkPlace): number {
    const [docs = 0, rows = 0] = (['doc', 'row'] as const).map((one) =>
      Number(this.#connection.statement(`SELECT coalesce(max(n), 0) FROM ${tableOf[one]}`).first([])?.[0]),
    );
    return Math.min(1, (of === 'doc' ? n : docs + n) / Math.max(1, docs + rows));
  }

  /** Reads every record's length: it may take a while. */
  counts(): readonly KindCount[] {
    return (['doc', 'row'] as const).flatMap((of) =>
      this.#connection
        .statement(
          `SELECT kind, count(*), sum(octet_length(json)) FROM ${tableOf[of]} GROUP BY kind ORDER BY kind`,
        )
        .all([])
        .map(([kind, records, bytes]) => ({
          kind: String(kind),
          records: Number(records),
          bytes: Number(bytes),
        })),
    );
  }

  close(): void {
    this.#tail.close();
    this.#connection.close();
  }
}

/** Throws DocumentUnreadable for a damaged one: nothing is left behind without a word. */
function movingOf(of: Of, name: string, json: string): Moving {
  return of === 'doc' ? { of, record: parsed(json, name, isDoc) } : { of, record: parsed(json, name, isRow) };
}
