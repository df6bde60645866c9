/** How much one connection may send: sockets only deliver updates, clients need to send almost nothing.
 *  1. More than 10 messages within any 10 s, or more than 10 protocol packets (answers to pings, joining
 *     and leaving a namespace), are too many. Protocol packets do not count as messages: a client that
 *     keeps to the bound is never ended because of its own heartbeat. */
import { seconds, type DurationMs, type Scheduler } from '../../src/kernel/time.ts';

export const messagesMax = 10;
export const messagesWithinMs: DurationMs = seconds(10);

/** A packet of Engine.IO as received. */
export interface Packet {
  readonly type: string;
  /** Of a message: Socket.IO text or bytes. */
  readonly data?: unknown;
}

export class MessageBudget {
  private readonly scheduler: Pick<Scheduler, 'steady'>;
  private readonly messages: DurationMs[] = [];
  private readonly words: DurationMs[] = [];

  constructor(scheduler: Pick<Scheduler, 'steady'>) {
    this.scheduler = scheduler;
  }

  /** Whether this packet is still within the budget. */
  takes(packet: Packet): boolean {
    const counted = isMessage(packet) ? this.messages : this.words;
    const now = this.scheduler.steady();
    counted.push(now);
    if (counted.length <= messagesMax) return true;
    const oldest = counted.shift() ?? now;
    return now - oldest >= messagesWithinMs;
  }
}

/** The first character of a Socket.IO text is its type: 0 joins a namespace, 1 leaves it. */
const isMessage = ({ type, data }: Packet): boolean =>
  type === 'message' && !(typeof data === 'string' && (data.startsWith('0') || data.startsWith('1')));
