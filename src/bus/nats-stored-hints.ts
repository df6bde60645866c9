/** The mailbox of an address: hints that wait in stream MAILBOX until a node has accepted them.
 *  1. A copy is acked only after it was accepted; when a node dies, its copies go to another node.
 *  2. A missing stream or consumer is created again by the first node that notices. */
import type { ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import { pause, realScheduler, seconds, type Cancel, type DurationMs } from '../kernel/time.ts';
import type { Envelope } from '../runtime/model/envelope.ts';
import { hintFrom, hintText } from './codec.ts';
import { isOff, mailboxAckWait, type Streams } from './nats-streams.ts';
import { mailboxSubject } from './subjects.ts';
import type { Wire } from './nats-wire.ts';

/** How long a sender waits for the stream's confirmation. */
const postMsMax = seconds(2);
/** Copies in progress at one node. */
const takenMax = 64;
/** One pull waits this long for copies. */
const pullMs = seconds(30);
/** The server's heartbeat interval for an active pull; two missing heartbeats end the pull. */
const heartbeatMs = seconds(5);
const againMs = seconds(1);
/** How long the execution of one copy may take, within the time it is assigned to us. */
const executeMsMax = mailboxAckWait - seconds(10);
/** The redelivery delays of a copy that was not accepted, by delivery count. */
const retryDelays: readonly DurationMs[] = [seconds(1), seconds(2), seconds(5), seconds(15), seconds(60)];

type Deliver = (envelope: Envelope) => Promise<boolean>;

export class StoredHints {
  private readonly wire: Wire;
  private readonly streams: Streams;

  constructor(wire: Wire, streams: Streams) {
    this.wire = wire;
    this.streams = streams;
  }

  async post(envelope: Envelope): Promise<boolean> {
    const until = realScheduler.steady() + postMsMax;
    try {
      if (!this.wire.connected) return false;
      const [subject, text] = [mailboxSubject(envelope.to), hintText(envelope)];
      if (await this.store(subject, text, until)) return true;
      await this.streams.ensure('MAILBOX');
      const left = until - realScheduler.steady();
      return left > 0 && (await this.store(subject, text, until));
    } catch (thrown) {
      this.wire.complaints.warn('a hint could not be stored in MAILBOX: polling finds the payment', {
        err: thrown,
      });
      return false;
    }
  }

  forward(deliver: Deliver): Cancel {
    const pump = new Pump(this.wire, this.streams, deliver);
    void pump.run();
    return () => pump.stop();
  }

  /** False when the stream does not exist. */
  private async store(subject: string, text: string, until: DurationMs): Promise<boolean> {
    try {
      const timeout = Math.max(1, until - realScheduler.steady());
      await this.wire.whileUp(this.streams.js.publish(subject, text, { timeout }));
      return true;
    } catch (thrown) {
      if (isOff(thrown)) return false;
      throw thrown;
    }
  }
}

/** One pull after the other, never more copies in progress than allowed. */
class Pump {
  private readonly wire: Wire;
  private readonly streams: Streams;
  private readonly deliver: Deliver;
  private stopped = false;
  private pull: ConsumerMessages | null = null;
  private inHand = 0;
  private readonly cancelOnLost: Cancel;
  /** Wakes a pump that waits for room. */
  private wake: () => void = () => undefined;

  constructor(wire: Wire, streams: Streams, deliver: Deliver) {
    this.wire = wire;
    this.streams = streams;
    this.deliver = deliver;
    // the server may not know a pull sent before the connection broke
    this.cancelOnLost = wire.onLost(() => this.pull?.stop());
  }

  stop(): void {
    this.stopped = true;
    this.cancelOnLost();
    this.pull?.stop();
    this.wake();
  }

  async run(): Promise<void> {
    while (!this.ended) {
      try {
        if (this.wire.connected) await this.pulls();
      } catch (thrown) {
        if (!this.ended && this.wire.connected)
          this.wire.complaints.warn('MAILBOX cannot be read: retrying', { err: thrown });
      }
      if (!this.ended) await pause(realScheduler, againMs);
    }
  }

  private get ended(): boolean {
    return this.stopped || this.wire.closed;
  }

  private async pulls(): Promise<void> {
    const consumer = await this.streams.mailbox();
    while (!this.ended && this.wire.connected) {
      if (this.inHand >= takenMax) await new Promise<void>((resolve) => (this.wake = resolve));
      if (this.ended) return;
      const pull = await consumer.fetch({
        max_messages: takenMax - this.inHand,
        expires: pullMs,
        idle_heartbeat: heartbeatMs,
      });
      this.pull = pull;
      if (this.ended) pull.stop();
      try {
        for await (const msg of pull) void this.take(msg);
      } finally {
        this.pull = null;
      }
    }
  }

  private async take(msg: JsMsg): Promise<void> {
    const envelope = hintFrom(msg.string(), realScheduler.now() + executeMsMax);
    if (envelope === null) {
      this.wire.complaints.warn('MAILBOX contains a message that is not a hint of this service: deleted');
      msg.term();
      return;
    }
    this.inHand++;
    const taken = await this.taken(envelope);
    this.inHand--;
    this.wake();
    // without a connection no ack is sent: the copy is delivered again
    if (!this.wire.connected) return;
    if (taken) msg.ack();
    else msg.nak(retryDelays[Math.min(msg.info.deliveryCount, retryDelays.length) - 1] ?? againMs);
  }

  private async taken(envelope: Envelope): Promise<boolean> {
    try {
      return await this.deliver(envelope);
    } catch (thrown) {
      this.wire.log.error(
        { err: thrown, command: envelope.command },
        'a hint from MAILBOX could not be processed',
      );
      return false;
    }
  }
}
