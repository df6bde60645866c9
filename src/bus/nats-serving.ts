/** The receiving side of asks: the partitions this node serves.
 *  Boundary: "served" means confirmed by the server we are connected to. Other servers of a NATS cluster
 *  learn it a moment later: until then, callers connected to them get `nobody` for a new owner, or no
 *  answer for one that has just stopped.
 *  1. One plain subscription per partition, no queue group: a half-open dead member would keep its share.
 *  2. A message that is not one of our copies gets no answer. */
import type { Msg, Subscription } from 'nats';
import { seconds } from '../kernel/time.ts';
import type { AskResult, Envelope } from '../runtime/model/envelope.ts';
import type { Answering } from './bus.ts';
import { envelopeFrom, resultText } from './codec.ts';
import { actorSubject, assertPartition, partitionSubject } from './subjects.ts';
import type { Wire } from './nats-wire.ts';

/** Copies of other nodes in progress here at the same time; above it they are not accepted. */
export const inHandMax = 16_384;
/** How long to wait for the server's confirmation of an unsubscribe; after that nothing is received in any
 *  case. */
const drainMsMax = seconds(5);

export class Serving {
  private readonly wire: Wire;
  private readonly partitions: number;
  private readonly most: number;
  private inHand = 0;
  /** Partition -> subscribes it anew. */
  private readonly served = new Map<number, () => void>();

  constructor(wire: Wire, partitions: number, most: number) {
    this.wire = wire;
    this.partitions = partitions;
    this.most = most;
  }

  async serve(partition: number, answer: Answering): Promise<() => Promise<void>> {
    assertPartition(partition, this.partitions);
    if (this.wire.closed) return () => Promise.resolve();
    let sub = this.subscribe(partition, answer);
    const again = (): void => {
      // first without, then with: a server that still counts one subscription would not tell the others of a second
      sub.unsubscribe();
      sub = this.subscribe(partition, answer);
    };
    this.served.set(partition, again);
    await this.wire.flushed();
    let stopped: Promise<void> | undefined;
    const stop = async (): Promise<void> => {
      if (this.served.get(partition) === again) this.served.delete(partition);
      // copies the server sent before it processed the unsubscribe still arrive and are answered
      if (this.wire.connected && !sub.isClosed()) await this.wire.within(drainMsMax, sub.drain());
      if (!sub.isClosed()) sub.unsubscribe();
    };
    return () => (stopped ??= stop());
  }

  /** A copy that comes in between reaches nobody, which is proof for its sender. */
  subscribeAgain(): void {
    if (!this.wire.connected) return;
    for (const again of this.served.values()) again();
  }

  private subscribe(partition: number, answer: Answering): Subscription {
    return this.wire.nc.subscribe(partitionSubject(partition), {
      callback: (err, msg) => {
        if (err === null) this.take(partition, answer, msg);
        else
          this.wire.log.error(
            { err, partition },
            'commands of a partition cannot be received: check the permissions in NATS',
          );
      },
    });
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
      this.wire.complaints.warn('a message from NATS is not a command of this service: ignored', {
        partition,
      });
      return;
    }
    if (this.inHand >= this.most) {
      this.wire.complaints.warn('too many commands arrive over NATS: some are rejected');
      // no answer is the only correct one when it is unknown whether this node is still the owner
      return;
    }
    void this.answer(answer, envelope, msg);
  }

  /** Never throws: an error from a callback would end the library's read loop. */
  private async answer(answer: Answering, envelope: Envelope, msg: Msg): Promise<void> {
    this.inHand++;
    try {
      const result = await answer(envelope);
      if (result !== null) this.reply(msg, result, envelope.shows);
    } catch (thrown) {
      this.wire.log.error({ err: thrown, command: envelope.command }, 'a command of another node failed');
    } finally {
      this.inHand--;
    }
  }

  /** Never throws. */
  private reply(msg: Msg, result: AskResult, shows: Envelope['shows']): void {
    // without a connection the caller has given up; the library would buffer the answer and send it later
    if (!this.wire.established) return;
    try {
      msg.respond(resultText(result, shows));
    } catch (thrown) {
      if (this.wire.closed) return;
      this.wire.log.error({ err: thrown }, 'an answer could not be sent to another node');
      // it was executed: an answer that cannot be sent leaves the caller in doubt, never with a wrong
      // answer
      if (result.is !== 'unknown') this.reply(msg, { is: 'unknown' }, shows);
    }
  }
}

/** Whether the envelope's target is the one the subject names: NATS permissions are based on subjects. */
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
