/** The durable road of an address: hints that wait in stream MAILBOX until some node has taken them.
 *  1. A copy is acked only when it was taken; a node that dies with it leaves it to another.
 *  2. A stream or consumer that is gone is made anew, whoever notices first. */
import type { ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import { pause, realScheduler, seconds, type Cancel, type DurationMs } from '../kernel/time.ts';
import type { Envelope } from '../runtime/model/envelope.ts';
import { hintFrom, hintText } from './codec.ts';
import { isOff, mailboxAckWait, type Streams } from './nats-streams.ts';
import { mailboxSubject } from './subjects.ts';
import type { Wire } from './nats-wire.ts';

/** How long a door waits for the stream's word. */
const postMsMax = seconds(2);
/** Copies one node has in hand. */
const takenMax = 64;
/** One pull waits this long for copies. */
const pullMs = seconds(30);
/** The server says this often that a pull is still known; two silences end it. */
const heartbeatMs = seconds(5);
const againMs = seconds(1);
/** How long the execution of one copy may take, within the time it is ours. */
const executeMsMax = mailboxAckWait - seconds(10);
/** After which time a copy nobody could take comes again, by how often it came. */
const retryDelays: readonly DurationMs[] = [seconds(1), seconds(2), seconds(5), seconds(15), seconds(60)];

type Deliver = (envelope: Envelope) => Promise<boolean>;

export class Mailbox {
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
      this.wire.complaints.warn('MAILBOX did not take a hint', { err: thrown });
      return false;
    }
  }

  forward(deliver: Deliver): Cancel {
    const pump = new Pump(this.wire, this.streams, deliver);
    void pump.run();
    return () => pump.stop();
  }

  /** False when there is no such stream. */
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

/** One pull after the other, never more in hand than allowed. */
class Pump {
  private readonly wire: Wire;
  private readonly streams: Streams;
  private readonly deliver: Deliver;
  private stopped = false;
  private pull: ConsumerMessages | null = null;
  private inHand = 0;
  private readonly deaf: Cancel;
  /** Wakes a pump that waits for room. */
  private wake: () => void = () => undefined;

  constructor(wire: Wire, streams: Streams, deliver: Deliver) {
    this.wire = wire;
    this.streams = streams;
    this.deliver = deliver;
    // a pull of before the break may be unknown to the server that is there now
    this.deaf = wire.onLost(() => this.pull?.stop());
  }

  stop(): void {
    this.stopped = true;
    this.deaf();
    this.pull?.stop();
    this.wake();
  }

  async run(): Promise<void> {
    while (!this.ended) {
      try {
        if (this.wire.connected) await this.pulls();
      } catch (thrown) {
        if (!this.ended && this.wire.connected)
          this.wire.complaints.warn('MAILBOX cannot be read; it is tried again', { err: thrown });
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
      this.wire.complaints.warn('MAILBOX holds something that is no hint of ours; it is dropped');
      msg.term();
      return;
    }
    this.inHand++;
    const taken = await this.taken(envelope);
    this.inHand--;
    this.wake();
    // without a connection no word is said: the copy comes again by itself
    if (!this.wire.connected) return;
    if (taken) msg.ack();
    else msg.nak(retryDelays[Math.min(msg.info.deliveryCount, retryDelays.length) - 1] ?? againMs);
  }

  private async taken(envelope: Envelope): Promise<boolean> {
    try {
      return await this.deliver(envelope);
    } catch (thrown) {
      this.wire.log.error({ err: thrown, command: envelope.command }, 'a hint of MAILBOX failed');
      return false;
    }
  }
}
