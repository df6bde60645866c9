/** What readers on this node follow by its id, watched and read once for all of them.
 *  Boundary: when a topic is read, and for how long it is kept. Who its readers are, what of it is news and how that is
 *  written is for whoever holds the topics. That part is not shared: an event stream is a small record, written to in
 *  its own cork, thousands by the turn, and a field more would be paid for by each; a socket of Socket.IO is an object
 *  of that library and told at once.
 *  1. A topic is watched before it is read and only while somebody follows it; it is read again on each notice, when
 *     the bus stands again, and every 15 s. So what is committed is found, whatever notice is lost.
 *  2. One read of a topic at a time; who asks during one is given the next, never one that began before he asked.
 *  3. All topics share one timer and one listener of notices: what each costs is its own record. */
import { seconds, type Cancel, type DurationMs, type Scheduler } from '../../src/kernel/time.ts';
import { SingleFlight } from './single-flight.ts';
import { Wheel, type Spoke } from './wheel.ts';

/** How often each topic is read again, notice or not. */
const rereadEveryMs: DurationMs = seconds(15);
const rereadSlots = 60;

/** What several readers follow together. */
export class Followed<Found> extends SingleFlight<Found | null> implements Spoke {
  slot = -1;
  place = 0;
  unwatch: Cancel = notWatched;
  /** Those who follow it, the ones who are not let in yet too. */
  members = 0;
}

const notWatched: Cancel = () => undefined;

export interface TopicsOptions<Found, Topic extends Followed<Found>> {
  readonly scheduler: Pick<Scheduler, 'steady' | 'after'>;
  readonly create: (id: string) => Topic;
  readonly watch: (id: string, onNotice: (id: string) => void) => Cancel;
  /** What there is of a topic, committed; null when there is none. Rejects when nothing can be read. How many are under
   *  way at once is for the reader to bound. */
  readonly read: (id: string) => Promise<Found | null>;
  /** Called when the bus stands again. */
  readonly onReconnect: (again: () => void) => Cancel;
  /** Told after each read, news or not. Never throws. */
  readonly heard: (topic: Topic, found: Found | null) => void;
  /** Told when a topic could not be read again; it is tried in 15 s. */
  readonly failed: (thrown: unknown) => void;
}

export class Topics<Found, Topic extends Followed<Found>> {
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

  /** Topics that somebody follows. */
  get size(): number {
    return this.byId.size;
  }

  /** Those who follow any of them. */
  get memberCount(): number {
    return this.members;
  }

  all(): Iterable<Topic> {
    return this.byId.values();
  }

  get(id: string): Topic | undefined {
    return this.byId.get(id);
  }

  /** One more follows it, watched from now on, until `leave`. */
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

  /** What a read that begins after this call finds; `heard` was told of it. Rejects when nothing can be read. */
  async look(topic: Topic): Promise<Found | null> {
    const found = await topic.fresh(this.options.read);
    this.options.heard(topic, found);
    return found;
  }

  /** The bus is not listened to any more. */
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

  /** One for all topics: a closure each would weigh as much as its reader. */
  private readonly noticed = (id: string): void => {
    const topic = this.byId.get(id);
    if (topic !== undefined) void this.refresh(topic);
  };

  /** Never rejects. */
  private async refresh(topic: Topic): Promise<void> {
    try {
      await this.look(topic);
    } catch (thrown) {
      this.options.failed(thrown);
    }
  }
}
