/** All streams of this node that follow a topic by its id: who reads what, and when each is written to.
 *  1. A reader misses nothing: Topics keeps its topic. It receives nothing twice: it has a position.
 *  2. An event is encoded once for all its readers. Writes to many readers start in their own turn of the
 *     event loop, never inside another socket's cork, and yield to other work after every 2,000.
 *  3. The only timer here is the wheel of pings.
 *  4. A draining hub opens no stream, and tells each of its streams when to reconnect before it ends. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Complaints } from '../../src/kernel/complaints.ts';
import type { Cancel, Scheduler } from '../../src/kernel/time.ts';
import type { Client } from '../../src/runtime/model/client.ts';
import type { LiveLimit, OnLimit } from '../../src/telemetry/live-meters.ts';
import type { Log } from '../../src/telemetry/log.ts';
import { Topics, type ContentOf } from '../live/topics.ts';
import { Wheel } from '../live/wheel.ts';
import { networkOf } from '../server/client-address.ts';
import { Connection, type ConnectionKeeper, type Opener } from './connection.ts';
import { CorkedWriter, type Bytes } from '../server/corked.ts';
import { pingEveryMs, pingSlots, retryBlock } from './frame.ts';
import { Topic, type TopicContent, type Read } from './topic.ts';

/** Open streams of one address. */
export const streamsPerAddressMax = 1000;
/** Open streams of one topic; beyond it the oldest is ended. */
export const streamsPerTopicMax = 10_000;
/** Open streams of this node. */
export const streamsMax = 100_000;
/** Writes to sockets before yielding to other work. */
const writesAtOnceMax = 2000;
export interface HubOptions {
  readonly scheduler: Pick<Scheduler, 'steady' | 'after'>;
  readonly log: Pick<Log, 'warn' | 'error'>;
  readonly watch: Client['watch'];
  /** The reader itself bounds how many reads run at once. */
  readonly read: Read;
  readonly contentOf?: ContentOf<TopicContent>;
  /** Called when the bus reconnects. */
  readonly onReconnect: (again: () => void) => Cancel;
  readonly streamsPerAddressMax?: number;
  readonly streamsPerTopicMax?: number;
  readonly streamsMax?: number;
  readonly onLimit: OnLimit;
}

type ViewedTopic = Topic<Connection>;

export class Hub implements ConnectionKeeper {
  readonly writer = new CorkedWriter();
  private readonly options: HubOptions;
  private readonly topics: Topics<TopicContent, ViewedTopic>;
  private readonly openers = new Map<string, Opener>();
  private readonly pings: Wheel<Connection>;
  private draining = false;

  constructor(options: HubOptions) {
    const { scheduler, watch, read, contentOf, onReconnect } = options;
    const complaints = new Complaints(options.log, scheduler);
    this.options = options;
    this.pings = new Wheel({
      scheduler,
      turnMs: pingEveryMs,
      slots: pingSlots,
      visit: (connection) => connection.ping(),
    });
    this.topics = new Topics({
      scheduler,
      watch,
      read,
      ...(contentOf === undefined ? {} : { contentOf }),
      onReconnect,
      create: (id): ViewedTopic => new Topic(id),
      onRead: (topic, content) => this.onRead(topic, content),
      onFailed: (err) => complaints.warn('streams could not be updated: retrying', { err }),
    });
  }

  /** All sizes that grow with the number of readers, for tests and metrics. */
  get sizes(): { readonly streams: number; readonly topics: number; readonly addresses: number } {
    return { streams: this.pings.size, topics: this.topics.size, addresses: this.openers.size };
  }

  /** Reserves a slot for one more reader of a topic, watched from now on; null when there is none. The
   *  caller must either hand it to the listener or leave. */
  join(topicId: string, address: string): Connection | null {
    const max = this.options.streamsPerAddressMax ?? streamsPerAddressMax;
    const network = networkOf(address);
    const known = this.openers.get(network);
    if (this.draining) return null;
    if (this.topics.memberCount >= (this.options.streamsMax ?? streamsMax)) return this.rejected('per_node');
    if (known !== undefined && known.open >= max) return this.rejected('per_address');
    const opener = known ?? { network, open: 0 };
    if (known === undefined) this.openers.set(network, opener);
    opener.open++;
    return new Connection(this, this.topics.join(topicId), opener);
  }

  /** The current content of the topic, read after this reader joined. Rejects when it cannot be read. */
  look({ topic }: Connection): Promise<TopicContent | null> {
    return this.topics.look(topic);
  }

  /** The response belongs to this connection: it receives new events, and those since its read. */
  begun(connection: Connection): void {
    const { topic } = connection;
    topic.add(connection);
    this.pings.add(connection);
    const isFull = topic.viewerCount > (this.options.streamsPerTopicMax ?? streamsPerTopicMax);
    if (!this.draining && !isFull && !this.owes(connection)) return;
    // this socket's cork is open: writes must wait for their own turn
    setImmediate(() => {
      if (this.draining) connection.finish(retryBlock());
      if (isFull) {
        this.options.onLimit('per_session');
        topic.oldest?.finish(retryBlock());
      }
      this.caughtUp(connection);
    });
  }

  /** It reads, or reads again: send what it has missed. */
  caughtUp(connection: Connection): void {
    const { content } = connection.topic;
    if (content === null || connection.lagging || !this.owes(connection)) return;
    write(connection, content, content.after(connection.at));
  }

  left(connection: Connection): void {
    const { topic, opener } = connection;
    this.pings.remove(connection);
    topic.remove(connection);
    if (--opener.open === 0) this.openers.delete(opener.network);
    this.topics.leave(topic);
  }

  /** Tells every stream when to reconnect and ends it; opens none from now on. */
  async drain(): Promise<void> {
    this.draining = true;
    this.topics.drain();
    let writes = 0;
    for (const topic of this.topics.all())
      for (const viewer of topic.all()) {
        if (writes++ % writesAtOnceMax === 0) await nextTurn();
        viewer.finish(retryBlock());
      }
  }

  private rejected(limit: LiveLimit): null {
    this.options.onLimit(limit);
    return null;
  }

  private owes({ topic, at }: Connection): boolean {
    return topic.content !== null && topic.content.last > at;
  }

  /** Sends a topic's readers what a read has found, if it is new. */
  private onRead(topic: ViewedTopic, content: TopicContent | null): void {
    if (content === null || content.last <= (topic.content?.last ?? 0)) return;
    topic.content = content;
    if (topic.fanningOut || topic.viewerCount === 0) return;
    topic.fanningOut = true;
    this.fanOut(topic)
      .catch((thrown: unknown) =>
        this.options.log.error({ err: thrown }, 'an event could not be sent to its streams'),
      )
      .finally(() => (topic.fanningOut = false));
  }

  /** Repeats until everything read meanwhile has been sent as well. */
  private async fanOut(topic: ViewedTopic): Promise<void> {
    for (let sent: TopicContent | null = null; topic.content !== null && sent !== topic.content;) {
      sent = topic.content;
      await nextTurn();
      await this.fanOutOnce(topic, sent);
    }
  }

  private async fanOutOnce(topic: ViewedTopic, content: TopicContent): Promise<void> {
    let [bytes, from]: [Bytes, number] = ['', -1];
    let writes = 0;
    for (const viewer of topic.all()) {
      if (viewer.at >= content.last || viewer.lagging) continue;
      // nearly all have the same position
      if (viewer.at !== from) [bytes, from] = [content.after(viewer.at), viewer.at];
      write(viewer, content, bytes);
      if (++writes % writesAtOnceMax === 0) await nextTurn();
    }
  }
}

function write(connection: Connection, content: TopicContent, bytes: Bytes): void {
  if (content.over) connection.finish(bytes);
  else connection.send(bytes, content.last);
}
