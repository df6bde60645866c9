/** The bus of a cluster, on NATS core and JetStream. Works on nats-server 2.9 and newer.
 *  1. NATS only carries messages. Loss, delay and duplicates are handled above: by identities, deadlines,
 *     epochs and the journal.
 *  2. A copy reaches every node that holds a subscription of its partition, including a former owner that
 *     was paused, once it resumes. Its session decides whether it may execute or answer. */
import { realScheduler, type Cancel, type DurationMs } from '../kernel/time.ts';
import type { Scope } from '../runtime/model/address.ts';
import type { Envelope } from '../runtime/model/envelope.ts';
import type { RuntimeLog } from '../runtime/model/runtime-log.ts';
import type { Answering, Bus, Carried, CopyAnswer, OnNotice, PublishedEvent } from './bus.ts';
import type { OutsideCommands } from './commands.ts';
import { noticeFrom, noticeText } from './codec.ts';
import { Asks } from './nats-asks.ts';
import { NatsCommands } from './nats-commands.ts';
import { connectNats, connectWaitMs } from './nats-connect.ts';
import { Events } from './nats-events.ts';
import { Notices } from './nats-notices.ts';
import { StoredHints } from './nats-stored-hints.ts';
import { Refilling } from './nats-refilling.ts';
import { inHandMax, Serving } from './nats-serving.ts';
import { openStreams, type Streams } from './nats-streams.ts';
import { Unreached } from './nats-unreached.ts';
import { warningsOfServer } from './nats-warnings.ts';
import { Wire } from './nats-wire.ts';
import { broadcastSubject, idNoticed, liveSubject, liveSubjectOfId, liveSubjectOfScope } from './subjects.ts';

/** Loaded together, and only by those who have a NATS. */
export { examineNats } from './nats-examine.ts';

export interface NatsBusOptions {
  /** `nats://user:pass@host:4222`, several separated by commas; `tls://` for TLS. */
  readonly url: string;
  /** The name shown in NATS tools. */
  readonly name: string;
  /** How many partitions the cluster has. */
  readonly partitions: number;
  readonly log: RuntimeLog;
  /** Replicas of both streams, default 1; applied when they are created. */
  readonly replicas?: number;
  /** How long the start waits for NATS, and then for its JetStream; default 15 s each. */
  readonly waitMs?: DurationMs;
  /** Commands of other nodes in progress here; default 16,384. */
  readonly inHandMax?: number;
  /** How often EVENTS is checked for completeness; default one minute. */
  readonly refillEveryMs?: DurationMs;
  /** How often the server is pinged; default 5 s. */
  readonly pingMs?: DurationMs;
}

/** Connects and creates the streams. Throws BusUnusable, whose message is one line for the operator. */
export async function openNatsBus(
  options: NatsBusOptions,
): Promise<Bus & { readonly commands: OutsideCommands }> {
  const { url, name, replicas = 1, waitMs = connectWaitMs } = options;
  const wire = new Wire(await connectNats(url, name, waitMs, options.pingMs), options.log);
  for (const { fields, line } of warningsOfServer(wire.nc.info)) wire.log.warn(fields, line);
  try {
    return new NatsBus(options, wire, await openStreams(wire, replicas, waitMs));
  } catch (thrown) {
    await wire.close();
    throw thrown;
  }
}

class NatsBus implements Bus {
  readonly commands: OutsideCommands;
  private readonly wire: Wire;
  private readonly asks: Asks;
  private readonly serving: Serving;
  private readonly notices: Notices;
  private readonly mailbox: StoredHints;
  private readonly events: Events;
  private readonly refilling: Refilling;
  private readonly missed = new Unreached(realScheduler);

  constructor(options: NatsBusOptions, wire: Wire, streams: Streams) {
    const { partitions, inHandMax: most = inHandMax, refillEveryMs } = options;
    this.wire = wire;
    this.asks = new Asks(wire, partitions);
    this.serving = new Serving(wire, partitions, most);
    this.notices = new Notices(wire);
    this.mailbox = new StoredHints(wire, streams);
    this.events = new Events(wire, streams);
    this.commands = new NatsCommands(wire, streams);
    this.refilling = new Refilling(wire, streams, refillEveryMs);
    wire.onLost(() => this.missed.clear());
  }

  get connected(): boolean {
    return this.wire.connected;
  }

  async ask(partition: number, envelope: Envelope, waitMs?: DurationMs): Promise<CopyAnswer> {
    const answer = await this.asks.ask(partition, envelope, waitMs);
    if (this.wire.connected) this.missed.note(partition, answer);
    return answer;
  }

  serve(partition: number, answer: Answering): Promise<() => Promise<void>> {
    return this.serving.serve(partition, answer);
  }

  notice(id: string, scope: Scope, carried?: Carried): void {
    this.notices.publish(liveSubject(scope, id), carried === undefined ? '' : noticeText(carried));
  }

  watch(id: string, onNotice: OnNotice): Cancel {
    return this.notices.listen(liveSubjectOfId(id), (text) => onNotice(id, noticeFrom(text)));
  }

  watchScope(scope: Scope, onNotice: (id: string) => void): Cancel {
    return this.notices.listen(liveSubjectOfScope(scope), (_text, subject) => onNotice(idNoticed(subject)));
  }

  broadcast(topic: string, text: string): void {
    this.notices.publish(broadcastSubject(topic), text);
  }

  onBroadcast(topic: string, listener: (text: string) => void): Cancel {
    return this.notices.listen(broadcastSubject(topic), listener);
  }

  post(envelope: Envelope): Promise<boolean> {
    return this.mailbox.post(envelope);
  }

  forward(deliver: (envelope: Envelope) => Promise<boolean>): Cancel {
    return this.mailbox.forward(deliver);
  }

  publish(events: readonly PublishedEvent[]): Promise<void> {
    return this.events.publish(events);
  }

  onEventsLost(refill: (made: string) => Promise<boolean>): Cancel {
    return this.refilling.by(refill);
  }

  onReconnect(again: () => void): Cancel {
    return this.wire.onBack(again);
  }

  reconnect(): boolean {
    return this.wire.reconnect();
  }

  unreached(forMs: DurationMs): readonly number[] {
    return this.missed.lasting(forMs);
  }

  subscribeAgain(): void {
    this.serving.subscribeAgain();
  }

  close(): Promise<void> {
    return this.wire.close();
  }
}
