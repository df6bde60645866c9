/** Topics that readers on this node follow by id. Each topic is watched and read once for all its readers.
 *  Boundary: when a topic is read, and how long it is kept. The hub that holds the topics decides who the
 *  readers are, what is news to them and how it is written. That part is not shared: an event stream is a
 *  small record, written in its own cork, thousands per turn, so every extra field costs memory per stream;
 *  a Socket.IO socket is an object of that library and is notified at once.
 *  1. A topic is watched before it is read, and only while it has readers. It is read again on each notice,
 *     when the bus reconnects, and every 15 s. So a committed change is found even if its notice is lost.
 *  2. One read of a topic at a time. A read requested during another one is the next read, never one that
 *     began earlier.
 *  3. What a notice carries needs no read if it is the next version; any other is followed by a read. Whoever shows it
 *     drops what is older than what it has.
 *  4. All topics share one timer and one listener for notices: each topic costs only its own record. */
import { seconds, type Cancel, type DurationMs, type Scheduler } from '../../src/kernel/time.ts';
import { SingleFlight } from '../../src/kernel/single-flight.ts';
import type { Client, OnNotice, Snapshot } from '../../src/runtime/model/client.ts';
import { Wheel, type WheelItem } from './wheel.ts';

/** How often each topic is read again, with or without a notice. */
const rereadEveryMs: DurationMs = seconds(15);
const rereadSlots = 60;

/** What is committed of a topic, and its version. */
export interface Versioned {
  readonly v: number;
}

/** A topic shared by its readers. */
export class Followed<Found extends Versioned> extends SingleFlight<Found | null> implements WheelItem {
  slot = -1;
  place = 0;
  unwatch: Cancel = notWatched;
  /** The newest version that was read or carried; 0: none. */
  v = 0;
  /** Number of its readers, including those not admitted yet. */
  members = 0;
}

const notWatched: Cancel = () => undefined;

export type ContentOf<Found> = (seen: Snapshot) => Found | null;

export interface TopicsOptions<Found extends Versioned, Topic extends Followed<Found>> {
  readonly scheduler: Pick<Scheduler, 'steady' | 'after'>;
  readonly create: (id: string) => Topic;
  readonly watch: Client['watch'];
  /** The committed content of a topic; null when there is none. Rejects when nothing can be read. The
   *  implementation bounds how many reads run at once. */
  readonly read: (id: string) => Promise<Found | null>;
  /** The content of a topic from what a notice carries; null: it must be read. */
  readonly contentOf?: ContentOf<Found>;
  /** Called when the bus reconnects. */
  readonly onReconnect: (again: () => void) => Cancel;
  /** Called after each read, even if nothing changed. Never throws. */
  readonly onRead: (topic: Topic, found: Found | null) => void;
  /** Called when a topic could not be read again; the read is retried after 15 s. */
  readonly onFailed: (thrown: unknown) => void;
}

export class Topics<Found extends Versioned, Topic extends Followed<Found>> {
  private readonly options: TopicsOptions<Found, Topic>;
  private readonly byId = new Map<string, Topic>();
  private readonly rereads: Wheel<Topic>;
  private readonly stopListening: Cancel;
  private members = 0;

  constructor(options: TopicsOptions<Found, Topic>) {
    this.options = options;
    this.rereads = new Wheel({
      scheduler: options.scheduler,
      turnMs: rereadEveryMs,
      slots: rereadSlots,
      visit: (topic) => void this.refresh(topic),
    });
    this.stopListening = options.onReconnect(() => {
      for (const topic of this.byId.values()) void this.refresh(topic);
    });
  }

  /** Topics with at least one reader. */
  get size(): number {
    return this.byId.size;
  }

  /** Readers of all topics. */
  get memberCount(): number {
    return this.members;
  }

  all(): Iterable<Topic> {
    return this.byId.values();
  }

  get(id: string): Topic | undefined {
    return this.byId.get(id);
  }

  /** Adds a reader to the topic and watches it from now on, until `leave`. */
  join(id: string): Topic {
    const topic = this.byId.get(id) ?? this.opened(id);
    topic.members++;
    this.members++;
    return topic;
  }

  /** Once for each `join`. */
  leave(topic: Topic): void {
    this.members--;
    if (--topic.members > 0) return;
    this.byId.delete(topic.id);
    this.rereads.remove(topic);
    topic.unwatch();
  }

  /** The result of a read that begins after this call; `heard` has been called with it. Rejects when
   *  nothing can be read. */
  async look(topic: Topic): Promise<Found | null> {
    const found = await topic.fresh(this.options.read);
    this.found(topic, found);
    return found;
  }

  /** Stops listening to the bus. */
  drain(): void {
    this.stopListening();
  }

  private opened(id: string): Topic {
    const topic = this.options.create(id);
    this.byId.set(id, topic);
    this.rereads.add(topic);
    topic.unwatch = this.options.watch(id, this.noticed);
    return topic;
  }

  /** One callback for all topics: a closure per topic would weigh as much as its reader. */
  private readonly noticed: OnNotice = (id, seen) => {
    const topic = this.byId.get(id);
    if (topic === undefined) return;
    const next = this.next(topic, seen?.() ?? null);
    if (next === null) void this.refresh(topic);
    else this.found(topic, next);
  };

  private next(topic: Topic, seen: Snapshot | null): Found | null {
    return topic.v > 0 && seen?.v === topic.v + 1 ? (this.options.contentOf?.(seen) ?? null) : null;
  }

  private found(topic: Topic, found: Found | null): void {
    topic.v = Math.max(topic.v, found?.v ?? 0);
    this.options.onRead(topic, found);
  }

  /** Never rejects. */
  private async refresh(topic: Topic): Promise<void> {
    try {
      await this.look(topic);
    } catch (thrown) {
      this.options.onFailed(thrown);
    }
  }
}
