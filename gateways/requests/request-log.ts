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
/** Entries in memory that are not yet written: some 25 MiB. */
export const entriesMax = 100_000;
/** Characters of a path that are kept; more than any path of ours has. */
export const pathCharsMax = 300;
const againMs: DurationMs = 200;
/** How long `close` waits for the store. */
const closeMsMax: DurationMs = seconds(2);
const complaintEveryMs: DurationMs = seconds(60);

/** As it is stored: short, because there is one for each request. */
export type Entry = readonly [
  id: string,
  at: Instant,
  method: string,
  path: string,
  status: number,
  keyId: string,
  tookMs: number,
];

interface Noted {
  readonly scope: Scope;
  readonly entry: Entry;
}

export interface RequestLogParts {
  readonly store: Pick<Store, 'putRows'>;
  readonly scheduler: Scheduler;
  readonly log: Pick<Log, 'warn' | 'error'>;
}

export class RequestLog {
  private readonly parts: RequestLogParts;
  private noted: Noted[] = [];
  /** Entries being written. */
  private leaving = 0;
  private timer: Cancel | null = null;
  private writing: Promise<void> | null = null;
  private closed = false;
  private complainedAt = -Infinity;

  constructor(parts: RequestLogParts) {
    this.parts = parts;
  }

  get full(): boolean {
    return this.noted.length + this.leaving >= entriesMax;
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
    const { requestId, method, path } = request;
    const at = this.parts.scheduler.now();
    const entry: Entry = [requestId, at, method, cut(path), status, keyUsed.keyId, Math.round(tookMs)];
    // a caller's scope: the listener knows it as text only
    this.noted.push({ scope: keyUsed.scope as Scope, entry });
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
        if (this.noted.length > 0 && !this.closed) this.later();
      });
    });
  }

  /** Never rejects. */
  private async flush(): Promise<void> {
    const taken = this.noted;
    this.noted = [];
    this.leaving = taken.length;
    const until = this.parts.scheduler.steady() + closeMsMax;
    for (const block of blocksOf(taken, this.parts.scheduler.now())) {
      while (!(await this.stored(block))) {
        if (this.closed && this.parts.scheduler.steady() > until) break;
        await pause(this.parts.scheduler, againMs);
      }
      this.leaving -= entriesIn(block);
    }
    this.leaving = 0;
  }

  /** Whether there is nothing more to do for it. The row is insert-only: it may be sent again. */
  private async stored(block: Row): Promise<boolean> {
    try {
      return (await this.parts.store.putRows([block])) === 'applied';
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

const entriesIn = ({ body }: Row): number => (body['entries'] as readonly unknown[]).length;

/** One scope each, in the order of the answers. */
function blocksOf(noted: readonly Noted[], now: Instant): readonly Row[] {
  const byScope = new Map<Scope, Entry[]>();
  for (const { scope, entry } of noted) {
    const entries = byScope.get(scope);
    if (entries === undefined) byScope.set(scope, [entry]);
    else entries.push(entry);
  }
  const blocks: Row[] = [];
  for (const [scope, entries] of byScope)
    for (let from = 0; from < entries.length; from += blockEntriesMax)
      // no two in one millisecond: a search goes on after the instant of a block
      blocks.push(blockOf(scope, entries.slice(from, from + blockEntriesMax), now + blocks.length));
  return blocks;
}

function blockOf(scope: Scope, entries: readonly Entry[], created: Instant): Row {
  const id = mintId('rql');
  return {
    kind: requestLogKind,
    id,
    owner: { kind: requestLogKind, id },
    scope,
    v: 1,
    once: true,
    gone: false,
    created,
    tags: [
      ...new Set(
        entries.flatMap(([request, , , , status, keyId]) => [
          secondTag(secondOf(request) ?? ''),
          statusTag(status),
          keyTag(keyId),
        ]),
      ),
    ],
    body: {
      entries: entries.map(([request, at, method, path, ...rest]) => [
        request,
        at,
        method,
        shown(path),
        ...rest,
      ]),
    },
  };
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
