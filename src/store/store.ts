/** The store port: everything the runtime may request from a database.
 *  1. An acknowledged write is on disk.
 *  2. A document changes only from the version its writer names (`expect`), and only by a writer whose
 *     epoch is not older.
 *  3. A row is replaced only by one with a higher `v`; an insert-only row is written once.
 *  4. Unless `rowsInCommit`, documents and rows are written separately, and an interruption between them is
 *     possible. */
import type { IndexedField, Json } from '../runtime/model/actor.ts';
import type { Scope } from '../runtime/model/address.ts';
import type { Instant } from '../kernel/time.ts';

/** What one sender did here recently; `at`: real time of its last command. Why this is a list:
 *  docs/decisions/0017. */
export type Seen = readonly [from: string, done: number, at: Instant, outcomes: readonly Outcome[]];

/** The outcome of a command, small enough to be stored beside the state: `ok` or the code of a refusal, the
 *  version it belongs to, and a detail unless that is empty. */
export type Outcome = readonly [
  seq: number,
  code: string,
  v: number,
  detail?: { readonly [key: string]: Json },
];

export interface TimerEntry {
  readonly name: string;
  readonly gen: number;
  readonly at: Instant;
}

/** What must be sent after a commit. `q` rises per actor and is never used twice. */
export type OutRow =
  | {
      readonly q: number;
      readonly type: 'event';
      readonly eseq: number;
      readonly eventId: string;
      readonly event: string;
      readonly objectId: string;
      readonly envelope: string;
      readonly at: Instant;
    }
  | {
      readonly q: number;
      readonly type: 'tell';
      readonly to: string;
      readonly command: string;
      readonly data: Json;
      readonly at: Instant;
      /** The sender's command that receives a refusal. */
      readonly refused?: string;
    }
  | {
      readonly q: number;
      readonly type: 'effect';
      readonly kind: string;
      readonly data: Json;
      readonly tries: number;
      readonly at: Instant;
      readonly lane?: string;
      readonly key?: string;
      readonly order?: number;
    }
  | { readonly q: number; readonly type: 'row'; readonly row: Row };

/** One actor's document. `body` is its state; null on a tombstone. */
export interface Doc {
  readonly kind: string;
  readonly id: string;
  readonly scope: Scope;
  /** Project whose test clock it lives on; null = real time. */
  readonly clock: string | null;
  readonly slot: number;
  readonly v: number;
  /** Epoch of the writing owner. */
  readonly e: number;
  /** Unique per commit attempt, unchanged when the attempt is repeated. */
  readonly tok: string;
  /** Schema version of `body`. */
  readonly sv: number;
  /** Last commit and creation, on the actor's clock. */
  readonly at: Instant;
  readonly created: Instant;
  readonly gone: boolean;
  readonly tags: readonly string[];
  readonly body: { readonly [key: string]: Json } | null;
  readonly seen: readonly Seen[];
  readonly out: readonly OutRow[];
  readonly oq: number;
  readonly eseq: number;
  readonly timers: readonly TimerEntry[];
  /** Earliest of `timers`. */
  readonly wake: Instant | null;
  /** Whether `out` has rows, or the actor waits for other work of the runtime. False although `out` has rows: all of
   *  them are done (`settle`), and the next commit takes them out. */
  readonly busy: boolean;
}

/** A view row, a timeline note (`timeline`) or a journal entry (`journal`). */
export interface Row {
  readonly kind: string;
  readonly id: string;
  readonly owner: { readonly kind: string; readonly id: string };
  readonly scope: Scope;
  /** The owner's version that wrote it; a lower one never replaces a higher one. */
  readonly v: number;
  /** Written once, never replaced. */
  readonly once: boolean;
  readonly gone: boolean;
  readonly created: Instant;
  readonly tags: readonly string[];
  readonly body: { readonly [key: string]: Json };
}

export interface Write {
  /** Version the document must have now; 0 = it must not exist. */
  readonly expect: number;
  readonly doc: Doc;
  /** Written in the same transaction when `rowsInCommit`; must be empty otherwise. */
  readonly rows: readonly Row[];
}

/** `error`: nothing was written. With `store`: all writes are refused now (a full disk, a lock); with
 *  `document`: this write will always be refused. `stale`: the document did not have the expected version.
 *  `unknown`: sent, but it is not known whether it was applied. */
export type Written =
  | { readonly is: 'applied' | 'stale' | 'unknown' }
  | { readonly is: 'error'; readonly of: 'store' | 'document'; readonly reason: string };

/** A list as a gateway requests it. Newest first: `created` descending, ties by id descending (kind
 *  `journal`: body.pos descending, the exact reverse of the log). Tombstones and gone rows are never shown. */
export interface ListQuery {
  readonly kind: string;
  /** null only for operator lists of `system` kinds and for the runtime's own lists. */
  readonly scope: Scope | null;
  /** Top-level body field = value (null matches null). */
  readonly equals?: { readonly [field: string]: string | number | boolean | null };
  /** Top-level body field is one of. */
  readonly anyOf?: { readonly [field: string]: readonly string[] };
  /** Top-level numeric or text body field, or `created` (ms); from inclusive, to exclusive. */
  readonly range?: readonly {
    readonly field: string;
    readonly from?: number | string;
    readonly to?: number | string;
  }[];
  /** Every one of these tags. */
  readonly tags?: readonly string[];
  /** At least one tag that begins with this text. Tags of all scopes are searched: those that are meant to be found
   *  so begin with their scope. */
  readonly tagPrefix?: string;
  /** One of the kind's `orders`, which `range` bounds: newest first by it in place of `created`, ties by id
   *  descending. */
  readonly newestBy?: string;
  readonly page: number;
  readonly limit: number;
  /** Nobody needs the total: it may be any number from what this page shows. A walk through a long list does not
   *  count the rest at each page. */
  readonly uncounted?: true;
  /** Somebody asks for this list at a door: in a cluster it takes its turn among the lists of its project (rejects when
   *  too many wait), and a total that cannot be counted in time may be given as 100,000. What the service itself has to
   *  know never waits for such lists. */
  readonly inTurn?: true;
}

export interface Listed<Item> {
  readonly items: readonly Item[];
  /** How many match; as exact and as old as the count of a `Sum`. */
  readonly total: number;
}

/** The end, exclusive, of the texts that begin with this one, in the order of their UTF-8 bytes. */
export const afterPrefix = (prefix: string): string => `${prefix}\u{10FFFF}`;

/** The sum to compute, over everything a list with these filters would hold. */
export interface SumQuery extends Omit<ListQuery, 'page' | 'limit'> {
  /** Top-level body field; a value that is not a number adds nothing, but is counted. */
  readonly sumOf: string;
}

/** All from one instant. Over more than 10,000 records it may be up to 2 s old, and up to a minute where
 *  computing it takes a database more than a tenth of a second; every smaller one is exact. A count the
 *  database cannot finish in time is given as 100,000. */
export interface Sum {
  readonly count: number;
  readonly sum: number;
}

/** A search for a tag in all scopes. */
export interface TagQuery {
  readonly kind: string;
  readonly tag: string;
  /** Created at this time or later. */
  readonly from: Instant;
  /** Only these scopes; null: all. */
  readonly scopes: readonly Scope[] | null;
  /** Scopes to find; the search ends when there are this many. */
  readonly limit: number;
}

/** The newest record with a tag in one scope. */
export interface Tagged {
  readonly scope: Scope;
  readonly id: string;
  readonly created: Instant;
  /** No other record of this scope matches. */
  readonly only: boolean;
}

/** The documents of one kind and scope that carry a tag, after a place in their order. */
export interface TaggedQuery {
  readonly kind: string;
  readonly scope: Scope;
  readonly tag: string;
  readonly after?: Pick<Doc, 'created' | 'id'>;
  readonly limit: number;
}

/** What is removed for good: the oldest records of one kind in one scope that were created before `before`. */
export interface PurgeQuery {
  readonly kind: string;
  readonly scope: Scope;
  readonly before: Instant;
  /** Only records in which this indexed text field of the body has this value. */
  readonly only?: { readonly field: string; readonly value: string };
  /** Tombstones left by a last commit before `before`, instead of documents that lists show. */
  readonly gone?: true;
  readonly limit: number;
}

export interface Purged {
  readonly removed: number;
  /** Their ids; one of them may still be there, because it was not at rest any more. */
  readonly ids: readonly string[];
  /** There may be more of them. */
  readonly more: boolean;
}

/** Records of one purge at most. */
export const purgeMax = 500;

/** Slots from (inclusive) to (exclusive); a node requests those of its partitions. */
export interface SlotRange {
  readonly from: number;
  readonly to: number;
}

/** A stored document cannot be read at all (truncated, not JSON): a defect of that one document, not an
 *  outage. */
export class DocumentUnreadable extends Error {
  override readonly name = 'DocumentUnreadable';
}

export interface Due {
  readonly kind: string;
  readonly id: string;
  readonly wake: Instant;
}

/** One collection the store must have. `doc` collections hold actors, `row` collections hold rows. */
export interface Collection {
  readonly kind: string;
  readonly of: 'doc' | 'row';
  /** Top-level body fields that lists filter by. A store may leave out of the index of a field what its `only` does
   *  not name; every list is answered all the same. */
  readonly indexes: readonly IndexedField[];
  /** Those of `indexes` that lists may be ordered by: texts. */
  readonly orders?: readonly string[];
  /** `byField`, of insert-only rows alone: they are looked for by the first of `indexes`, never by id and never
   *  through all of a scope. */
  readonly listed?: 'byField';
}

export const fieldNameOf = (index: IndexedField): string => (typeof index === 'string' ? index : index.field);

/** Documents, or rows, of one read. */
export const readManyMax = 100;

/** A version of a document whose `out` has been done completely. */
export type SettledDoc = Pick<Doc, 'kind' | 'id' | 'v'>;

/** Documents of one `settle` at most. */
export const settleMax = 256;

export interface Store {
  readonly rowsInCommit: boolean;
  /** One result per write, same order. Never rejects: a failure is a result. */
  commit(writes: readonly Write[]): Promise<readonly Written[]>;
  /** All rows acknowledged, or `unknown` (then send the same again). They are stored in the given order and
   *  an interruption leaves a prefix: that is why the journal has no gaps. */
  putRows(rows: readonly Row[]): Promise<'applied' | 'unknown'>;
  /** Reads used for decisions: the newest acknowledged version, tombstones too. Rejects when the store
   *  cannot answer, and with DocumentUnreadable when the stored document cannot be read; lists omit such a
   *  document and count it. */
  read(kind: string, id: string): Promise<Doc | null>;
  readRow(kind: string, id: string): Promise<Row | null>;
  /** Those of these documents that exist and can be read, in any order, tombstones too. For display only:
   *  they show what a majority has, as lists do. At most `readManyMax` ids, each once. */
  readMany(kind: string, ids: readonly string[]): Promise<readonly Doc[]>;
  /** The same of rows, gone ones too. */
  readManyRows(kind: string, ids: readonly string[]): Promise<readonly Row[]>;
  listDocs(query: ListQuery): Promise<Listed<Doc>>;
  listRows(query: ListQuery): Promise<Listed<Row>>;
  /** Reads the records its filters match, using an index; never the whole collection. */
  sumRows(query: SumQuery): Promise<Sum>;
  /** The newest record with a tag in each scope that has one, in any order of scopes; ties by id as in lists.
   *  Reads index entries alone, and of each scope two at most, however many records carry the tag. */
  newestTagged(query: TagQuery): Promise<readonly Tagged[]>;
  /** By (created, id), the oldest first. Reads index entries alone; not older than the last acknowledged write. */
  oldestTagged(query: TaggedQuery): Promise<readonly Pick<Doc, 'created' | 'id'>[]>;
  /** Rows of kind `journal` of a scope with body.pos > after, by pos ascending. */
  journalAfter(scope: Scope, after: number, limit: number): Promise<readonly Row[]>;
  /** Actors whose `wake` <= until, earliest (wake, id) first; on one project's clock, or on any when undefined; of
   *  these slots, or of all. */
  due(query: {
    clock?: string;
    slots?: readonly SlotRange[];
    until: Instant;
    limit: number;
  }): Promise<readonly Due[]>;
  /** Timers not yet fired on a project's clock. */
  countTimers(clock: string): Promise<number>;
  /** Actors that are `busy`, by (kind, id) after the given one; clock and slots as in `due`. */
  busy(query: {
    clock?: string;
    slots?: readonly SlotRange[];
    after?: { kind: string; id: string };
    limit: number;
  }): Promise<readonly { kind: string; id: string }[]>;
  /** Takes `busy` away from those of these documents that still have this version; later reads show them without it.
   *  Changes nothing else, and rewrites no document. It may get lost, also after it was answered: then they are
   *  still found by `busy`, which is harmless. Rejects when the store cannot answer. At most `settleMax`. */
  settle(docs: readonly SettledDoc[]): Promise<void>;
  /** Removes at most `limit` records. A document goes only while it is at rest: not busy, no timer; the
   *  check and the removal are one step. Of a journal only its beginning goes, up to the first entry that is
   *  young enough. An interruption may leave some of them: the next call removes them. Rejects when the
   *  store cannot answer. */
  purge(query: PurgeQuery): Promise<Purged>;
  close(): Promise<void>;
}
