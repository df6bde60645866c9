/** The JetStream streams: MAILBOX, the durable mailbox of addresses, EVENTS, for other systems, and COMMANDS, of other
 *  programs.
 *  Boundary: makes sure they exist. What an operator has created or changed stays as it is.
 *  1. No essential data exists only in a stream: a lost stream is created again and starts empty. */
import { setTimeout as pause } from 'node:timers/promises';
import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type Consumer,
  type JetStreamClient,
  type JetStreamManager,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';
import { nanos } from 'nats';
import {
  days,
  hours,
  minutes,
  realScheduler,
  seconds,
  type Cancel,
  type DurationMs,
} from '../kernel/time.ts';
import { BusUnusable, reasonOf } from './nats-connect.ts';
import { commandSubjects, eventSubjects, mailboxSubjects } from './subjects.ts';
import type { Wire } from './nats-wire.ts';

export const mailboxStream = 'MAILBOX';
export const eventsStream = 'EVENTS';
export const commandsStream = 'COMMANDS';
/** The one consumer of MAILBOX, and of COMMANDS, shared by all nodes. */
export const mailboxConsumer = 'nodes';

/** A hint not accepted for this long is useless. */
const mailboxAgeMax = hours(24);
const mailboxBytesMax = 256 * 1024 * 1024;
const eventsAgeMax = days(7);
const eventsBytesMax = 1024 * 1024 * 1024;
/** The deduplication window: a repeated event is stored once within this time. */
const eventsDuplicateWindow = minutes(10);
/** The ack timeout: a copy whose node does not answer goes to another node after this time. */
export const mailboxAckWait = seconds(30);
/** Copies in progress at all nodes together. */
const mailboxUnackedMax = 1024;
/** A command that no node has executed for this long never will be. */
const commandsAgeMax = hours(24);
const commandsBytesMax = 256 * 1024 * 1024;
export const commandBytesMax = 64 * 1024;
/** The shortest there is: a repeat is to be answered, and ids of two senders have nothing to do with each other. */
const commandsDuplicateWindow: DurationMs = 100;
/** After this time without a word a command goes to another node. */
export const commandsAckWait = seconds(30);
/** Commands taken by all nodes together: no bound, since each node has one (waiting-commands.ts). One for all would let
 *  the commands of some projects that cannot end stop all others. */
const commandsUnackedMax = -1;
/** How long a call of JetStream's own API may take. */
const apiMsMax = seconds(5);
const apiAgainMs = 500;
/** Nodes that collided while creating the same streams retry at different times, by their connection
 *  number. */
const apiSpread = 8;
const apiSpreadMs = 70;
/** How often storage may be reported missing: while several nodes start, each reserves the streams' size
 *  for a moment. */
const storageTriesMax = 8;

const filled = 'Events of all projects';
/** The mark on an events stream that was created again and does not hold yet what the journals hold. */
const beingFilled = ': being filled';
const unfilled = filled + beingFilled;
/** The same of one that has lost a part; tells one loss from another. */
const withHole = (seenAt: string): string => `${filled}, incomplete since ${seenAt}${beingFilled}`;

type Needed = Partial<StreamConfig> & { readonly name: string; readonly subjects: string[] };

/** The current stream of events. */
export interface EventsSeen {
  /** Distinguishes streams of the same name, and losses of one stream. */
  readonly made: string;
  /** Created by this node, since it started, or found incomplete by it. */
  readonly ours: boolean;
  readonly filled: boolean;
}

type StreamName = 'MAILBOX' | 'EVENTS' | 'COMMANDS';

const streams: Readonly<Record<StreamName, Needed>> = {
  MAILBOX: {
    name: mailboxStream,
    subjects: [mailboxSubjects],
    // a copy stays until a node has accepted it, also while no node listens
    retention: RetentionPolicy.Workqueue,
    // when the stream is full, the sender must be refused
    discard: DiscardPolicy.New,
    max_age: nanos(mailboxAgeMax),
    max_bytes: mailboxBytesMax,
  },
  EVENTS: {
    name: eventsStream,
    subjects: [eventSubjects],
    description: unfilled,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_age: nanos(eventsAgeMax),
    max_bytes: eventsBytesMax,
    duplicate_window: nanos(eventsDuplicateWindow),
  },
  COMMANDS: {
    name: commandsStream,
    subjects: [commandSubjects],
    retention: RetentionPolicy.Workqueue,
    // when the stream is full, the sender must be refused
    discard: DiscardPolicy.New,
    max_age: nanos(commandsAgeMax),
    max_bytes: commandsBytesMax,
    max_msg_size: commandBytesMax,
    duplicate_window: nanos(commandsDuplicateWindow),
  },
};

export class Streams {
  readonly js: JetStreamClient;
  private readonly wire: Wire;
  private readonly jsm: JetStreamManager;
  private readonly replicas: number;
  /** The stream of events this node created last. */
  private ours: string | null = null;
  /** The stream of events as this node has last seen it created. */
  private known: string | null = null;
  private readonly listeners = new Set<() => void>();
  /** Streams whose other number of replicas was logged. */
  private readonly compared = new Set<string>();
  /** Repairs in progress, so that many callers that miss a stream create it once. */
  private readonly making = new Map<string, Promise<void>>();

  constructor(wire: Wire, jsm: JetStreamManager, replicas: number) {
    this.wire = wire;
    this.js = jetstream(wire.nc, { timeout: apiMsMax });
    this.jsm = jsm;
    this.replicas = replicas;
  }

  /** Creates the stream unless it exists. Rejects when that cannot be determined or done. */
  ensure(name: StreamName): Promise<void> {
    const running = this.making.get(name);
    if (running !== undefined) return running;
    const made = this.wire.whileUp(this.make(streams[name])).finally(() => this.making.delete(name));
    this.making.set(name, made);
    return made;
  }

  /** The stream of events, created unless it exists. A stream without our mark counts as filled, also one
   *  an operator has created or changed. */
  async events(): Promise<EventsSeen> {
    await this.ensure('EVENTS');
    const { created, config } = await this.wire.whileUp(this.jsm.streams.info(eventsStream));
    const { description = '' } = config;
    const isFilled = !description.endsWith(beingFilled);
    const made = isFilled || description === unfilled ? created : `${created} ${description}`;
    this.known = created;
    return { made, ours: made === this.ours, filled: isFilled };
  }

  /** Marks the stream of events as incomplete, so that it is filled again: it lost what it had acknowledged. One that
   *  was created anew has a mark already, or is an operator's. */
  async eventsLost(): Promise<void> {
    const before = this.known;
    await this.events();
    if (before !== this.known) return;
    const description = withHole(new Date(realScheduler.now()).toISOString());
    await this.wire.whileUp(this.jsm.streams.update(eventsStream, { description }));
    this.wire.log.error(
      {},
      'JetStream lost events that it had stored: EVENTS is filled again from the journals',
    );
    this.madeHere(`${before} ${description}`);
  }

  /** Calls `listener` each time this node has created the stream of events, or has found that it lost some. */
  onEventsMade(listener: () => void): Cancel {
    const own = (): void => listener();
    this.listeners.add(own);
    return () => void this.listeners.delete(own);
  }

  /** Marks the stream of events as filled, if it is still that one. */
  async eventsFilled(made: string): Promise<void> {
    const now = await this.events();
    if (now.made !== made || now.filled) return;
    await this.wire.whileUp(this.jsm.streams.update(eventsStream, { description: filled }));
  }

  /** The consumer shared by all nodes; created unless it exists, together with its stream. */
  mailbox(): Promise<Consumer> {
    return this.shared('MAILBOX', mailboxAckWait, mailboxUnackedMax);
  }

  /** The same of the commands of other programs. */
  commands(): Promise<Consumer> {
    return this.shared('COMMANDS', commandsAckWait, commandsUnackedMax);
  }

  private async shared(name: StreamName, ackWaitMs: DurationMs, unackedMax: number): Promise<Consumer> {
    await this.ensure(name);
    try {
      return await this.consumer(name);
    } catch (thrown) {
      if (codeOf(thrown) !== JetStreamApiCodes.ConsumerNotFound) throw thrown;
    }
    await this.wire.whileUp(
      this.jsm.consumers.add(name, {
        durable_name: mailboxConsumer,
        ack_policy: AckPolicy.Explicit,
        deliver_policy: DeliverPolicy.All,
        ack_wait: nanos(ackWaitMs),
        max_ack_pending: unackedMax,
        max_deliver: -1,
      }),
    );
    return this.consumer(name);
  }

  private consumer(name: StreamName): Promise<Consumer> {
    return this.wire.whileUp(this.js.consumers.get(name, mailboxConsumer));
  }

  private async make(needed: Needed): Promise<void> {
    const there = await this.infoOf(needed.name);
    if (there === null) {
      const { created } = await this.jsm.streams.add({
        ...needed,
        storage: StorageType.File,
        num_replicas: this.replicas,
      });
      if (needed.name !== eventsStream) return;
      this.known = created;
      this.madeHere(created);
      return;
    }
    this.compareReplicas(needed.name, there.config.num_replicas);
    if (needed.name === eventsStream) this.known ??= there.created;
    if (!needed.subjects.every((subject) => there.config.subjects.includes(subject)))
      throw new BusUnusable(
        `the stream ${needed.name} in NATS belongs to another program (it does not accept ` +
          `${needed.subjects.join(', ')}): ` +
          'give this service its own account',
      );
  }

  private madeHere(made: string): void {
    this.ours = made;
    for (const listener of this.listeners) listener();
  }

  /** A stream that is there keeps its replicas: changing them moves data between servers. */
  private compareReplicas(name: string, has: number): void {
    if (has === this.replicas || this.compared.has(name)) return;
    this.compared.add(name);
    this.wire.log.warn(
      { stream: name, replicas: has, wanted: this.replicas },
      otherReplicas(name, this.replicas),
    );
  }

  private async infoOf(name: string): Promise<StreamInfo | null> {
    try {
      return await this.jsm.streams.info(name);
    } catch (thrown) {
      if (codeOf(thrown) === JetStreamApiCodes.StreamNotFound) return null;
      throw thrown;
    }
  }
}

/** What to do about a stream that has another number of replicas. */
export const otherReplicas = (stream: string, wanted: number): string =>
  `the stream has other replicas than NATS_REPLICAS says: nats stream edit ${stream} --replicas ${wanted}`;

/** Finds JetStream and creates the streams; retries for `waitMs` while a cluster of NATS may still be
 *  electing. Throws BusUnusable. */
export async function openStreams(wire: Wire, replicas: number, waitMs: DurationMs): Promise<Streams> {
  const { nc } = wire;
  const until = realScheduler.steady() + waitMs;
  for (let tries = 1; ; tries++) {
    try {
      const jsm = await wire.whileUp(jetstreamManager(nc, { timeout: apiMsMax }));
      const opened = new Streams(wire, jsm, replicas);
      await opened.ensure('MAILBOX');
      await opened.ensure('EVENTS');
      return opened;
    } catch (thrown) {
      if (thrown instanceof BusUnusable) throw thrown;
      const off = isOff(thrown);
      const code = codeOf(thrown) ?? 0;
      const full = storageCodes.has(code) && tries >= storageTriesMax;
      const final = full || (off ? nc.info?.jetstream !== true : finalCodes.has(code));
      if (final || realScheduler.steady() + apiAgainMs > until)
        throw new BusUnusable(
          off
            ? jetStreamOff(nc.getServer())
            : `JetStream at ${nc.getServer()} refuses to create the streams of this service: ${reasonOf(thrown)}`,
        );
      const delay = apiAgainMs + ((nc.info?.client_id ?? 0) % apiSpread) * apiSpreadMs;
      // a kernel timer would not keep the process alive until its bus is open
      await pause(delay);
    }
  }
}

export const jetStreamOff = (server: string): string =>
  `NATS at ${server} has JetStream off: start nats-server with -js, or enable it for this account`;

/** Whether the JetStream API has no responders. */
export const isOff = (thrown: unknown): boolean =>
  codeOf(thrown) === JetStreamApiCodes.JetStreamNotEnabledForAccount ||
  (thrown instanceof Error && thrown.name === 'JetStreamNotEnabled');

const codeOf = (thrown: unknown): number | null => (thrown instanceof JetStreamApiError ? thrown.code : null);

const storageCodes: ReadonlySet<number> = new Set([
  10047, // the server does not have it
  10002, // the account does not have it
]);

/** Errors that remain until an operator acts; any other error means that NATS has not settled yet. */
const finalCodes: ReadonlySet<number> = new Set([
  10074, // copies on a server that is alone
  10065, // subjects another stream has
  10027, // more streams than the account may have
]);
