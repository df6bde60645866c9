/** The log of requests: every request of an API key, whatever its answer. Nothing is sampled.
 *  Boundary: collects in memory and writes blocks of entries; search.ts finds them again.
 *  1. Nothing waits for the log. An entry is a few fields; once a second what has gathered is written, many
 *     entries as one row. A process that dies loses at most what it has not yet written: about the last
 *     second, or more if the store has not answered.
 *  2. Bounded: with `entriesMax` entries not yet written it is full. Then keys are answered 503 before
 *     anything is done for them, so that no request is executed without an entry.
 *  3. An entry holds no query, no header, no body and no address: nothing of a buyer, and no secret. What looks
 *     like a key in a path is cut out. */
import { mintId } from '../../src/kernel/id.ts';
import {
  days,
  pause,
  seconds,
  type Cancel,
  type DurationMs,
  type Instant,
  type Scheduler,
} from '../../src/kernel/time.ts';
import type { Scope } from '../../src/runtime/model/address.ts';
import type { Row, Store } from '../../src/store/store.ts';
import type { Log } from '../../src/telemetry/log.ts';
import type { DoorRequest } from '../server/door.ts';
import { secondOf } from '../server/request-id.ts';

export const requestLogKind = 'request_log';
/** In real time. */
export const requestsKeptMs: DurationMs = days(30);

export const flushEveryMs: DurationMs = seconds(1);
/** Entries of one row: some 60 KiB. */
export const blockEntriesMax = 500;
/** Of a thousand projects that are active at once, each has a block: one write for each would fall behind. */
export const blocksPerWriteMax = 100;
const entriesPerWriteMax = 2 * blockEntriesMax;
/** Entries in memory that are not yet written: some 25 MiB. */
export const entriesMax = 100_000;
/** Characters of a path that are kept; more than any path of ours has. */
export const pathCharsMax = 300;
const againMs: DurationMs = 200;
/** How long `close` waits for the store. */
const closeMsMax: DurationMs = seconds(2);
const complaintEveryMs: DurationMs = seconds(60);

/** A request as it is found. */
export interface Entry {
  readonly id: string;
  readonly at: Instant;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly keyId: string;
  readonly tookMs: number;
}

export interface RequestLogParts {
  readonly store: Pick<Store, 'putRows'>;
  readonly scheduler: Scheduler;
  readonly log: Pick<Log, 'warn' | 'error'>;
}

export class RequestLog {
  private readonly parts: RequestLogParts;
  /** Blocks with entries that are not written. */
  private blocks: Block[] = [];
  /** The block of a scope that takes the next entry. */
  private readonly open = new Map<Scope, Block>();
  /** Entries in `blocks`, and those being written. */
  private waiting = 0;
  private timer: Cancel | null = null;
  private writing: Promise<void> | null = null;
  private closed = false;
  private complainedAt = -Infinity;

  constructor(parts: RequestLogParts) {
    this.parts = parts;
  }

  get full(): boolean {
    return this.waiting >= entriesMax;
  }

  /** Call once for each answer. */
  note(
    request: Pick<DoorRequest, 'requestId' | 'method' | 'path' | 'keyUsed'>,
    status: number,
    tookMs: DurationMs,
  ): void {
    const { keyUsed } = request;
    if (keyUsed === undefined) return;
    if (this.full) return this.complain();
    const now = this.parts.scheduler.now();
    // a caller's scope: the listener knows it as text only
    const scope = keyUsed.scope as Scope;
    const open = this.open.get(scope);
    const block = open === undefined || open.isFull ? this.opened(scope, now) : open;
    block.add(request, keyUsed.keyId, now, status, tookMs);
    this.waiting++;
    if (this.timer === null && this.writing === null) this.later();
  }

  /** Writes what is left; for a stop, after the port has closed. */
  async close(): Promise<void> {
    this.closed = true;
    this.timer?.();
    await this.writing;
    await this.flush();
  }

  private later(): void {
    this.timer = this.parts.scheduler.after(flushEveryMs, () => {
      this.timer = null;
      this.writing = this.flush().then(() => {
        this.writing = null;
        if (this.blocks.length > 0 && !this.closed) this.later();
      });
    });
  }

  /** Never rejects. */
  private async flush(): Promise<void> {
    const taken = this.blocks;
    this.blocks = [];
    this.open.clear();
    const [now, until] = [this.parts.scheduler.now(), this.parts.scheduler.steady() + closeMsMax];
    for (let from = 0; from < taken.length;) {
      const blocks = togetherFrom(taken, from);
      // no two in one millisecond: a search goes on after the instant of a block
      const rows = blocks.map((block, place) => block.row(now + from + place));
      while (!(await this.stored(rows))) {
        if (this.closed && this.parts.scheduler.steady() > until) break;
        await pause(this.parts.scheduler, againMs);
      }
      this.waiting -= entriesIn(blocks);
      from += blocks.length;
    }
  }

  private opened(scope: Scope, now: Instant): Block {
    const block = new Block(scope, now);
    this.blocks.push(block);
    this.open.set(scope, block);
    return block;
  }

  /** Whether there is nothing more to do for them. The rows are insert-only: they may be sent again. */
  private async stored(rows: readonly Row[]): Promise<boolean> {
    try {
      return (await this.parts.store.putRows(rows)) === 'applied';
    } catch (err) {
      this.parts.log.warn({ err }, 'the log of requests could not be written: retrying');
      return false;
    }
  }

  private complain(): void {
    const now = this.parts.scheduler.steady();
    if (now - this.complainedAt < complaintEveryMs) return;
    this.complainedAt = now;
    this.parts.log.error(
      { entries: entriesMax },
      'the log of requests is full, because the store does not take it: requests of keys are answered 503',
    );
  }
}

const entriesIn = (blocks: readonly Block[]): number => blocks.reduce((sum, { length }) => sum + length, 0);

/** The blocks that are written next: many small ones, or a few full ones. */
function togetherFrom(blocks: readonly Block[], from: number): readonly Block[] {
  let [to, entries] = [from, 0];
  for (const block of blocks.slice(from, from + blocksPerWriteMax)) {
    entries += block.length;
    if (entries > entriesPerWriteMax) break;
    to++;
  }
  return blocks.slice(from, to);
}

/** Entries of one scope, in the order of the answers, as columns: on a hot path, few objects for each. */
class Block {
  private readonly scope: Scope;
  private readonly from: Instant;
  private readonly ids: string[] = [];
  private readonly ats: number[] = [];
  private readonly methods: string[] = [];
  private readonly paths: string[] = [];
  private readonly statuses: number[] = [];
  private readonly keys: string[] = [];
  private readonly tooks: number[] = [];

  constructor(scope: Scope, from: Instant) {
    this.scope = scope;
    this.from = from;
  }

  get length(): number {
    return this.ids.length;
  }

  get isFull(): boolean {
    return this.ids.length >= blockEntriesMax;
  }

  add(
    { requestId, method, path }: Pick<DoorRequest, 'requestId' | 'method' | 'path'>,
    keyId: string,
    now: Instant,
    status: number,
    tookMs: DurationMs,
  ): void {
    this.ids.push(requestId);
    this.ats.push(now - this.from);
    this.methods.push(method);
    this.paths.push(cut(path));
    this.statuses.push(status);
    this.keys.push(keyId);
    this.tooks.push(Math.round(tookMs));
  }

  row(created: Instant): Row {
    const id = mintId('rql');
    const keys = [...new Set(this.keys)];
    const seconds = new Set(this.ids.map((request) => secondOf(request) ?? ''));
    const tags = [
      ...[...seconds].map(secondTag),
      ...[...new Set(this.statuses)].map(statusTag),
      ...keys.map(keyTag),
    ];
    const places = new Map(keys.map((key, place) => [key, place]));
    const body = {
      from: this.from,
      ids: this.ids.join(' '),
      ats: this.ats,
      methods: this.methods.join(' '),
      // there is no space in a path that was sent
      paths: this.paths.map(shown).join(' '),
      statuses: this.statuses,
      keys,
      keyPlaces: this.keys.map((key) => places.get(key) ?? 0),
      tooks: this.tooks,
    };
    const owner = { kind: requestLogKind, id };
    return {
      kind: requestLogKind,
      id,
      owner,
      scope: this.scope,
      v: 1,
      once: true,
      gone: false,
      created,
      tags,
      body,
    };
  }
}

interface Columns {
  readonly from: Instant;
  readonly ids: string;
  readonly ats: readonly number[];
  readonly methods: string;
  readonly paths: string;
  readonly statuses: readonly number[];
  readonly keys: readonly string[];
  readonly keyPlaces: readonly number[];
  readonly tooks: readonly number[];
}

/** The entries of a stored block, in the order of the answers. */
export function entriesOf({ body }: Row): readonly Entry[] {
  const { from, ids, ats, methods, paths, statuses, keys, keyPlaces, tooks } = body as unknown as Columns;
  const [everyMethod, everyPath] = [methods.split(' '), paths.split(' ')];
  return ids.split(' ').map((id, at) => ({
    id,
    at: from + (ats[at] ?? 0),
    method: everyMethod[at] ?? '',
    path: everyPath[at] ?? '',
    status: statuses[at] ?? 0,
    keyId: keys[keyPlaces[at] ?? 0] ?? '',
    tookMs: tooks[at] ?? 0,
  }));
}

/** What a block can be found by. */
export const secondTag = (second: string): string => `second=${second}`;
export const statusTag = (status: number): string => `status=${status}`;
export const keyTag = (keyId: string): string => `key=${keyId}`;

const secret = /[ps]k_(?:test|sandbox|live)_[0-9A-Za-z]+|whsec_[0-9A-Za-z+/=]+/g;

const shown = (path: string): string =>
  path.includes('k_') || path.includes('whsec') ? path.replace(secret, '[removed]') : path;

/** Copied: a slice would keep the whole path in memory. */
const cut = (path: string): string =>
  path.length > pathCharsMax ? Buffer.from(path.slice(0, pathCharsMax)).toString() : path;
