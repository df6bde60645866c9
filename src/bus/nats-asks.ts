/** Asks to other nodes over core NATS. Each ends exactly once: with its answer, its timeout or the end of
 *  the connection. The library's own request costs an additional promise race, random token and timer.
 *  1. A copy is published at once or never: a copy not sent because there is no connection is `nobody`.
 *  2. An answer that arrives after the end of its ask is ignored. */
import { createInbox, type Msg } from 'nats';
import { realScheduler, type DurationMs } from '../kernel/time.ts';
import type { Envelope } from '../runtime/model/envelope.ts';
import type { CopyAnswer } from './bus.ts';
import { envelopeText, resultFrom } from './codec.ts';
import { actorSubject, assertPartition } from './subjects.ts';
import type { Wire } from './nats-wire.ts';

/** Asks of one node that wait for their answers at the same time. */
const asksOpenMax = 32_768;
const retryAfterMs = 1000;

type End = (answer: CopyAnswer) => void;

export class Asks {
  private readonly wire: Wire;
  private readonly partitions: number;
  private readonly inbox = `${createInbox()}.`;
  private readonly open = new Map<string, End>();
  private asked = 0;

  constructor(wire: Wire, partitions: number) {
    this.wire = wire;
    this.partitions = partitions;
    wire.nc.subscribe(`${this.inbox}*`, {
      callback: (err, msg) => {
        if (err === null) this.receive(msg);
        else
          wire.log.error({ err }, 'answers of other nodes cannot be received: check the permissions in NATS');
      },
    });
    wire.onLost(() => {
      for (const end of this.open.values()) end({ is: 'silent' });
    });
  }

  ask(partition: number, envelope: Envelope, waitMs: DurationMs = Infinity): Promise<CopyAnswer> {
    const left = envelope.deadline - realScheduler.now();
    if (!this.wire.connected || left <= 0) return Promise.resolve({ is: 'nobody' });
    if (this.open.size >= asksOpenMax)
      return Promise.resolve({
        is: 'answered',
        result: { is: 'not_executed', why: 'overloaded', retryAfterMs },
      });
    return new Promise((resolve) => {
      const token = (++this.asked).toString(36);
      try {
        assertPartition(partition, this.partitions);
        const reply = this.inbox + token;
        const text = envelopeText(envelope);
        this.warnOfSize(text, envelope.command);
        this.wire.nc.publish(actorSubject(partition, envelope.to), text, { reply });
      } catch (thrown) {
        // nothing was sent: larger than the server accepts, or an invalid address
        this.wire.log.error(
          { err: thrown, command: envelope.command },
          'a command could not be sent to another node',
        );
        resolve({ is: 'answered', result: { is: 'internal' } });
        return;
      }
      const cancel = realScheduler.after(Math.min(left, waitMs), () => end({ is: 'silent' }));
      const end = (answer: CopyAnswer): void => {
        this.open.delete(token);
        cancel();
        resolve(answer);
      };
      this.open.set(token, end);
    });
  }

  /** A message that is too large stays too large, however often it is retried: the log line says how to fix
   *  it. */
  private warnOfSize(text: string, command: string): void {
    const bytesMax = this.wire.nc.info?.max_payload ?? Number.POSITIVE_INFINITY;
    // a UTF-16 code unit takes at most three bytes
    if (text.length * 3 <= bytesMax) return;
    const bytes = Buffer.byteLength(text);
    if (bytes > bytesMax)
      this.wire.complaints.warn('a command is too large for NATS: raise max_payload', {
        command,
        bytes,
        bytesMax,
      });
  }

  private receive(msg: Msg): void {
    const end = this.open.get(msg.subject.slice(this.inbox.length));
    if (end === undefined) return;
    if (hasNoResponders(msg)) {
      end({ is: 'nobody' });
      return;
    }
    const result = resultFrom(msg.string());
    if (result === null) this.wire.complaints.warn('an answer from another node is not readable');
    end(result === null ? { is: 'silent' } : { is: 'answered', result });
  }
}

const noResponders = 503;

/** The server's own status. Headers are read only when the message is empty: the headers of other messages
 *  may be malformed. */
function hasNoResponders(msg: Msg): boolean {
  try {
    return msg.data.length === 0 && msg.headers?.code === noResponders;
  } catch {
    return false;
  }
}
