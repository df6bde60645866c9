/** Which ids and scopes the nodes watch: a commit is told only to nodes that may want it.
 *  Boundary: knows keys, not listeners; watchers.ts holds those, and the bus carries the notices.
 *  1. A list is a set of buckets. Two keys in one bucket cost a notice that the bus drops: nobody subscribes to it.
 *  2. A new watch is announced to all nodes at once. What is watched is read only when each of them has acknowledged
 *     that, at most `announcedMsMax` later: a commit after that read is told.
 *  3. A node whose list is unknown or old is told everything: an older build, one that has just come, one that is not
 *     heard.
 *  4. Messages may be lost or change places: lists are numbered, and an earlier one takes nothing away. */
import { seconds, type DurationMs, type Scheduler } from '../../kernel/time.ts';
import type { Bus } from '../../bus/bus.ts';

export const bucketCount = 16_384;
/** How often a node sends its whole list. */
export const listEveryMs: DurationMs = seconds(2);
/** A list that was heard longer ago counts as unknown. */
export const listLifeMs: DurationMs = seconds(5);
/** How long a first read waits for the other nodes. */
export const announcedMsMax: DurationMs = 200;
/** Watches of so long are announced together. */
const gatherMs: DurationMs = 1;
/** More new buckets than this are sent as a whole list: a broadcast has a bound. */
const addedMax = 1_000;
const watching = 'watching';
const acknowledged = (inc: string): string => `${watching}:${inc}`;

export interface WatchListsParts {
  readonly bus: Pick<Bus, 'connected' | 'broadcast' | 'onBroadcast' | 'onReconnect'>;
  readonly scheduler: Scheduler;
  /** Of this node: another one after it was declared dead. */
  readonly incarnation: () => string;
  /** Live nodes, this one included. */
  readonly alive: () => readonly string[];
}

/** What another node watches, as far as it was heard. */
interface List {
  readonly n: number;
  /** When a whole list was heard last; null: never. */
  readonly at: DurationMs | null;
  readonly buckets: Uint8Array;
}

/** Buckets that the other nodes are being told, and who has not acknowledged them. */
interface Announcement {
  readonly missing: Set<string>;
  readonly end: () => void;
}

export class WatchLists {
  private readonly parts: WatchListsParts;
  /** How many keys are watched here, by bucket. */
  private readonly own = new Map<number, number>();
  /** Buckets that were sent since the last whole list, or with it. */
  private sent = new Set<number>();
  private readonly lists = new Map<string, List>();
  /** By the number of the message. */
  private readonly open = new Map<number, Announcement>();
  private readonly announcing = new Map<number, Promise<void>>();
  /** Not sent yet. */
  private gathered: {
    readonly buckets: Set<number>;
    readonly told: Promise<void>;
    readonly end: () => void;
  } | null = null;
  private n = 0;
  private started = false;
  /** Under which incarnation acknowledgements are received. */
  private heardAs: { readonly inc: string; readonly stop: () => void } | null = null;

  constructor(parts: WatchListsParts) {
    this.parts = parts;
  }

  /** Call it where there are other nodes, once this one has joined them. */
  start(): void {
    const { bus, scheduler } = this.parts;
    this.started = true;
    bus.onBroadcast(watching, (text) => this.hear(text));
    bus.onReconnect(() => this.beginAgain());
    const again = (): void => {
      this.sendAll(false);
      scheduler.after(listEveryMs, again);
    };
    again();
  }

  /** `told`: the other nodes need to know it at once, because the actor is on one of them. Subscribe first. */
  add(key: string, told: boolean): void {
    const bucket = bucketOf(key);
    this.own.set(bucket, (this.own.get(bucket) ?? 0) + 1);
    if (told) this.announce(bucket);
  }

  remove(key: string): void {
    const bucket = bucketOf(key);
    const left = (this.own.get(bucket) ?? 1) - 1;
    // the others learn of it with the next whole list
    if (left === 0) this.own.delete(bucket);
    else this.own.set(bucket, left);
  }

  /** Actors have gone to other nodes: these must know what is watched here. */
  moved(): void {
    for (const bucket of this.own.keys()) this.announce(bucket);
  }

  /** Resolves when the other nodes know that this is watched here, if they are being told. */
  told(key: string): Promise<void> | undefined {
    return this.announcing.size === 0 ? undefined : this.announcing.get(bucketOf(key));
  }

  /** What a commit is told with: `id`: somebody watches the actor; `any`: somebody may watch it or its scope. */
  wanted(id: string, scope: string): 'id' | 'any' | 'no' {
    const { alive, incarnation, scheduler } = this.parts;
    const others = alive().filter((inc) => inc !== incarnation());
    if (others.length === 0 && this.lists.size === 0) return 'no';
    const [ofId, ofScope] = [bucketOf(id), bucketOf(scope)];
    let wanted: 'any' | 'no' = 'no';
    for (const { buckets } of this.lists.values()) {
      if (has(buckets, ofId)) return 'id';
      if (has(buckets, ofScope)) wanted = 'any';
    }
    const now = scheduler.steady();
    return others.every((inc) => this.isKnown(inc, now)) ? wanted : 'any';
  }

  private isKnown(inc: string, now: DurationMs): boolean {
    const at = this.lists.get(inc)?.at ?? null;
    return at !== null && now - at <= listLifeMs;
  }

  private announce(bucket: number): void {
    if (!this.started || !this.parts.bus.connected || this.sent.has(bucket)) return;
    this.sent.add(bucket);
    this.gathered ??= this.gather();
    this.gathered.buckets.add(bucket);
    this.announcing.set(bucket, this.gathered.told);
  }

  private gather(): NonNullable<WatchLists['gathered']> {
    let end = (): void => undefined;
    const told = new Promise<void>((resolve) => (end = resolve));
    this.parts.scheduler.after(gatherMs, () => this.sendGathered());
    return { buckets: new Set(), told, end };
  }

  private sendGathered(): void {
    const { gathered } = this;
    if (gathered === null) return;
    const { buckets, told, end } = gathered;
    this.gathered = null;
    const { alive, incarnation, scheduler } = this.parts;
    // nodes of an older build have no list; they never acknowledge, and tell everything
    const missing = new Set(alive().filter((inc) => inc !== incarnation() && this.lists.has(inc)));
    const n = this.send(buckets.size > addedMax ? null : buckets, true);
    const cancel = scheduler.after(announcedMsMax, () => over());
    const over = (): void => {
      cancel();
      this.open.delete(n);
      for (const bucket of buckets) if (this.announcing.get(bucket) === told) this.announcing.delete(bucket);
      end();
    };
    if (missing.size === 0) over();
    else this.open.set(n, { missing, end: over });
  }

  private sendAll(acks: boolean): void {
    const now = this.parts.scheduler.steady();
    const alive = new Set(this.parts.alive());
    for (const inc of this.lists.keys())
      if (!alive.has(inc) && !this.isKnown(inc, now)) this.lists.delete(inc);
    if (this.parts.bus.connected) this.send(null, acks);
  }

  /** Sends these buckets, or all; returns the number of the message. */
  private send(added: ReadonlySet<number> | null, acks: boolean): number {
    const { bus, incarnation } = this.parts;
    const inc = incarnation();
    this.hearAs(inc);
    if (added === null) this.sent = new Set(this.own.keys());
    const what = added === null ? { all: textOf(this.own.keys()) } : { added: [...added] };
    bus.broadcast(watching, JSON.stringify({ inc, n: ++this.n, acks, ...what }));
    return this.n;
  }

  private hearAs(inc: string): void {
    if (this.heardAs?.inc === inc) return;
    this.heardAs?.stop();
    const stop = this.parts.bus.onBroadcast(acknowledged(inc), (text) => {
      const { by, n } = fieldsOf(text);
      const one = typeof n === 'number' ? this.open.get(n) : undefined;
      if (one !== undefined && typeof by === 'string' && one.missing.delete(by) && one.missing.size === 0)
        one.end();
    });
    this.heardAs = { inc, stop };
  }

  private hear(text: string): void {
    const { bus, scheduler, incarnation } = this.parts;
    const { inc, n, acks, all, added } = fieldsOf(text);
    if (typeof inc !== 'string' || typeof n !== 'number') return;
    const before = this.lists.get(inc);
    if (typeof all === 'string') {
      const heard = Buffer.from(all, 'base64');
      if (heard.length !== emptyBytes.length) return;
      const buckets = before === undefined || n > before.n ? heard : both(before.buckets, heard);
      this.lists.set(inc, { n: Math.max(n, before?.n ?? 0), at: scheduler.steady(), buckets });
      // it has just come, and learns what is watched here before it reads what it watches itself
      if (before === undefined) this.sendAll(false);
    } else if (Array.isArray(added)) {
      const buckets = both(before?.buckets ?? emptyBytes, bytesOf(added.filter(isBucket)));
      this.lists.set(inc, { n: Math.max(n, before?.n ?? 0), at: before?.at ?? null, buckets });
    } else return;
    if (acks === true) bus.broadcast(acknowledged(inc), JSON.stringify({ by: incarnation(), n }));
  }

  /** Messages were lost in both directions. */
  private beginAgain(): void {
    for (const [inc, list] of this.lists) this.lists.set(inc, { ...list, at: null });
    this.sent.clear();
    this.moved();
    if (this.own.size === 0) this.sendAll(false);
  }
}

const emptyBytes = new Uint8Array(bucketCount / 8);

/** FNV-1a; every node must have the same. */
function bucketOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % bucketCount;
}

const has = (bytes: Uint8Array, bucket: number): boolean =>
  ((bytes[bucket >> 3] ?? 0) & (1 << (bucket & 7))) !== 0;

const isBucket = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) < bucketCount;

function bytesOf(buckets: Iterable<number>): Uint8Array {
  const bytes = new Uint8Array(emptyBytes);
  for (const bucket of buckets) bytes[bucket >> 3] = (bytes[bucket >> 3] ?? 0) | (1 << (bucket & 7));
  return bytes;
}

const textOf = (buckets: Iterable<number>): string => Buffer.from(bytesOf(buckets)).toString('base64');

const both = (a: Uint8Array, b: Uint8Array): Uint8Array => a.map((byte, at) => byte | (b[at] ?? 0));

function fieldsOf(text: string): { readonly [name: string]: unknown } {
  try {
    return Object(JSON.parse(text)) as { readonly [name: string]: unknown };
  } catch {
    return {};
  }
}
