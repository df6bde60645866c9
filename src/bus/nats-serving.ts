/** The other end of questions: what reaches the partitions this node serves.
 *  Boundary: "served" is the word of the server we are connected to. Between the servers of one NATS cluster it takes a
 *  moment more: meanwhile askers over there hear `nobody` of a new owner, or nothing of one that has just stopped.
 *  1. One plain subscription per partition, no queue group: a half-open dead member would keep its share.
 *  2. What is no copy of ours is answered with nothing. */
import type { Msg } from 'nats';
import { seconds } from '../kernel/time.ts';
import type { AskResult, Envelope } from '../runtime/model/envelope.ts';
import type { Answering } from './bus.ts';
import { envelopeFrom, resultText } from './codec.ts';
import { actorSubject, assertPartition, partitionSubject } from './subjects.ts';
import type { Wire } from './nats-wire.ts';

/** Copies of other nodes under way here at the same time; above it they are not taken. */
export const inHandMax = 16_384;
/** How long the server's word for an unsubscribe is waited for; afterwards nothing is heard in any case. */
const drainMsMax = seconds(5);

export class Serving {
  private readonly wire: Wire;
  private readonly partitions: number;
  private readonly most: number;
  private inHand = 0;

  constructor(wire: Wire, partitions: number, most: number) {
    this.wire = wire;
    this.partitions = partitions;
    this.most = most;
  }

  async serve(partition: number, answer: Answering): Promise<() => Promise<void>> {
    assertPartition(partition, this.partitions);
    if (this.wire.closed) return () => Promise.resolve();
    const sub = this.wire.nc.subscribe(partitionSubject(partition), {
      callback: (err, msg) => {
        if (err === null) this.take(partition, answer, msg);
        else
          this.wire.log.error(
            { err, partition },
            'a partition cannot be heard: check the permissions in NATS',
          );
      },
    });
    await this.wire.flushed();
    let stopped: Promise<void> | undefined;
    const stop = async (): Promise<void> => {
      // copies the server sent before it took the unsubscribe still come, and are answered
      if (this.wire.connected && !sub.isClosed()) await this.wire.within(drainMsMax, sub.drain());
      if (!sub.isClosed()) sub.unsubscribe();
    };
    return () => (stopped ??= stop());
  }

  private take(partition: number, answer: Answering, msg: Msg): void {
    const envelope = envelopeFrom(msg.string());
    const { reply } = msg;
    if (
      envelope === null ||
      reply === undefined ||
      reply === '' ||
      !isAt(msg.subject, partition, envelope.to)
    ) {
      this.wire.complaints.warn('something that is no command of ours came over NATS', { partition });
      return;
    }
    if (this.inHand >= this.most) {
      this.wire.complaints.warn('more commands than can be taken come over NATS');
      // only silence is true for whoever cannot say whether this node may still speak
      return;
    }
    void this.answer(answer, envelope, msg);
  }

  /** Never throws: what a callback throws ends the library's reading. */
  private async answer(answer: Answering, envelope: Envelope, msg: Msg): Promise<void> {
    this.inHand++;
    try {
      const result = await answer(envelope);
      if (result !== null) this.speak(msg, result);
    } catch (thrown) {
      this.wire.log.error({ err: thrown, command: envelope.command }, 'a command of another node failed');
    } finally {
      this.inHand--;
    }
  }

  /** Never throws. */
  private speak(msg: Msg, result: AskResult): void {
    // without a connection the asker has given up; the library would keep the answer and send it later
    if (!this.wire.standing) return;
    try {
      msg.respond(resultText(result));
    } catch (thrown) {
      if (this.wire.closed) return;
      this.wire.log.error({ err: thrown }, 'an answer cannot be sent');
      // it was executed: an answer nobody can carry leaves the asker in doubt, never with a wrong word
      if (result.is !== 'unknown') this.speak(msg, { is: 'unknown' });
    }
  }
}

/** Whether the envelope speaks to whom the subject names: permissions in NATS go by subjects. */
function isAt(
  subject: string,
  partition: number,
  to: { readonly kind: string; readonly id: string },
): boolean {
  try {
    return subject === actorSubject(partition, to);
  } catch {
    return false;
  }
}
