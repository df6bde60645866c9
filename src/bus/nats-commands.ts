/** Commands of other programs: stream COMMANDS, read by all nodes together.
 *  1. A command is acked after its outcome was told; when a node dies, its commands go to another one.
 *  2. What a node has taken it keeps, and says so to the server; one that cannot be executed yet waits here.
 *  3. A missing stream or consumer is created again by the first node that notices. */
import type { ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import { pause, realScheduler, seconds, type Cancel, type DurationMs } from '../kernel/time.ts';
import type { CommandEnd, ExecuteCommand, OutsideCommands } from './commands.ts';
import { commandBytesMax, commandsAckWait, type Streams } from './nats-streams.ts';
import { takenBytesMax, takenMax, WaitingCommands, type WaitingCommand } from './waiting-commands.ts';
import type { Wire } from './nats-wire.ts';

const pullMax = 256;
/** Subject and headers of a usual command. */
const headBytesFree = 1024;
/** Commands that are just being refused as too many; above it nothing more is taken. */
const refusingMax = 256;
/** One pull waits this long for commands. */
const pullMs = seconds(30);
/** The server's heartbeat interval for an active pull; two missing heartbeats end the pull. */
const heartbeatMs = seconds(5);
const againMs = seconds(1);
/** How often the server is told that what was taken is still at work. */
const workingEveryMs = commandsAckWait / 3;
/** The delays before a command that could not be executed is tried again, by try. */
const retryDelays: readonly DurationMs[] = [seconds(1), seconds(2), seconds(5), seconds(15), seconds(60)];

interface Taken extends WaitingCommand {
  /** Of the newest delivery: the ack of an older one may count for nothing. */
  msg: JsMsg;
  tries: number;
}

export class NatsCommands implements OutsideCommands {
  private readonly wire: Wire;
  private readonly streams: Streams;

  constructor(wire: Wire, streams: Streams) {
    this.wire = wire;
    this.streams = streams;
  }

  receive(execute: ExecuteCommand): Cancel {
    const pump = new Pump(this.wire, this.streams, execute);
    void pump.run();
    return () => pump.stop();
  }
}

class Pump {
  private readonly wire: Wire;
  private readonly streams: Streams;
  private readonly execute: ExecuteCommand;
  private readonly waiting = new WaitingCommands<Taken>();
  /** By their place in the stream, and when they came there: a stream that was lost begins again with place 1. */
  private readonly taken = new Map<string, Taken>();
  private refusing = 0;
  private stopped = false;
  private pull: ConsumerMessages | null = null;
  private readonly cancelOnLost: Cancel;
  /** Wakes a pump that waits for room. */
  private wake: () => void = () => undefined;

  constructor(wire: Wire, streams: Streams, execute: ExecuteCommand) {
    this.wire = wire;
    this.streams = streams;
    this.execute = execute;
    // the server may not know a pull sent before the connection broke
    this.cancelOnLost = wire.onLost(() => this.pull?.stop());
    this.workingLater();
  }

  /** What has not ended goes to other nodes at once. */
  stop(): void {
    if (this.stopped) return;
    this.stopped = true;
    this.cancelOnLost();
    this.pull?.stop();
    this.wake();
    if (this.wire.connected) for (const { msg } of this.taken.values()) msg.nak();
    this.taken.clear();
  }

  async run(): Promise<void> {
    while (!this.over) {
      try {
        if (this.wire.connected) await this.pulls();
      } catch (thrown) {
        if (!this.over && this.wire.connected)
          this.wire.complaints.warn('COMMANDS cannot be read: retrying', { err: thrown });
      }
      if (!this.over) await pause(realScheduler, againMs);
    }
  }

  private get over(): boolean {
    return this.stopped || this.wire.closed;
  }

  private get room(): number {
    if (this.waiting.bytes >= takenBytesMax || this.refusing >= refusingMax) return 0;
    return Math.min(pullMax, takenMax - this.taken.size);
  }

  private async pulls(): Promise<void> {
    const consumer = await this.streams.commands();
    while (!this.over && this.wire.connected) {
      while (this.room <= 0 && !this.over) await new Promise<void>((resolve) => (this.wake = resolve));
      if (this.over) return;
      const pull = await consumer.fetch({
        max_messages: this.room,
        expires: pullMs,
        idle_heartbeat: heartbeatMs,
      });
      this.pull = pull;
      if (this.over) pull.stop();
      try {
        for await (const msg of pull) this.take(msg);
      } finally {
        this.pull = null;
      }
    }
  }

  private take(msg: JsMsg): void {
    if (this.stopped) {
      msg.nak();
      return;
    }
    const known = this.taken.get(placeOf(msg));
    if (known !== undefined) {
      // the connection was lost, or this process stood still for too long
      known.msg = msg;
      return;
    }
    const [, projectId = ''] = msg.subject.split('.');
    const taken: Taken = { projectId, bytes: bytesOf(msg), msg, tries: 0 };
    this.taken.set(placeOf(msg), taken);
    // without an id it is refused anyhow. It may be of another project's sender: the acknowledgement of a publish whose
    // reply was such a subject
    if (headerOf(msg, 'Nats-Msg-Id') === '') void this.refused(taken, false);
    else if (this.waiting.add(taken)) this.work();
    else void this.refused(taken, true);
  }

  private async refused(taken: Taken, tooMany: boolean): Promise<void> {
    this.refusing++;
    this.end(taken, await this.one(taken, tooMany));
    this.refusing--;
    this.wake();
  }

  private work(): void {
    for (let next = this.waiting.next(); next !== undefined; next = this.waiting.next())
      void this.tried(next);
  }

  private async tried(taken: Taken): Promise<void> {
    const end = await this.one(taken, false);
    if (end.is === 'again') this.later(taken);
    else {
      this.waiting.ended(taken);
      this.end(taken, end);
    }
    this.wake();
    this.work();
  }

  private later(taken: Taken): void {
    this.waiting.rests(taken);
    const delay = retryDelays[Math.min(taken.tries++, retryDelays.length - 1)] ?? againMs;
    realScheduler.after(delay, () => {
      if (this.stopped) return;
      this.waiting.again(taken);
      this.work();
    });
  }

  private async one({ msg }: Taken, tooMany: boolean): Promise<CommandEnd> {
    const { subject, data } = msg;
    const [id, replyTo] = [headerOf(msg, 'Nats-Msg-Id'), headerOf(msg, 'Reply-To')];
    try {
      return await this.execute({ subject, id, replyTo, data, tooMany });
    } catch (thrown) {
      this.wire.log.error({ err: thrown, subject }, 'a command from COMMANDS could not be processed');
      return { is: 'again' };
    }
  }

  /** Without a connection nothing is told and nothing acked: the command is delivered again. */
  private end({ msg }: Taken, end: CommandEnd): void {
    this.taken.delete(placeOf(msg));
    if (end.is === 'again' || !this.wire.established) return;
    try {
      if (end.subject !== null) this.wire.nc.publish(end.subject, end.text);
      msg.ack();
    } catch (thrown) {
      // closing, or an outcome larger than the server accepts
      this.wire.log.error(
        { err: thrown, subject: msg.subject },
        'the outcome of a command could not be told',
      );
    }
  }

  private workingLater(): void {
    realScheduler.after(workingEveryMs, () => {
      if (this.over) return;
      if (this.wire.connected) for (const { msg } of this.taken.values()) msg.working();
      this.workingLater();
    });
  }
}

/** Its text, and what is beyond 1 KiB of subject and headers. */
function bytesOf(msg: JsMsg): number {
  let head = msg.subject.length;
  try {
    for (const [name, values] of msg.headers ?? [])
      for (const value of values) head += name.length + value.length;
  } catch {
    // malformed: it may be as large as the server accepts
    head = commandBytesMax;
  }
  return msg.data.length + Math.max(0, head - headBytesFree);
}

const placeOf = ({ seq, info }: JsMsg): string => `${seq} ${info.timestampNanos}`;

/** '' also where its headers are malformed. */
function headerOf({ headers }: JsMsg, name: string): string {
  try {
    return headers?.get(name) ?? '';
  } catch {
    return '';
  }
}
