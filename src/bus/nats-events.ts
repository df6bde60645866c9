/** Publishes events for other systems to the stream EVENTS.
 *  1. Sent in order, many at a time; a repeated key is stored once within the stream's window.
 *  2. The order in the stream may break only where the stream refused an event in the middle: events sent
 *     after it may already be stored when it is sent again. Every event carries its own position. */
import { seconds } from '../kernel/time.ts';
import type { PublishedEvent } from './bus.ts';
import { isOff, type Streams } from './nats-streams.ts';
import { eventSubject } from './subjects.ts';
import type { Wire } from './nats-wire.ts';

/** Events sent that the stream has not confirmed yet. */
const unconfirmedMax = 128;
const confirmMsMax = seconds(5);
const headerBytes = 512;

export class Events {
  private readonly wire: Wire;
  private readonly streams: Streams;

  constructor(wire: Wire, streams: Streams) {
    this.wire = wire;
    this.streams = streams;
  }

  async publish(events: readonly PublishedEvent[]): Promise<void> {
    const carried = events.filter((event) => this.fits(event));
    for (let at = 0; at < carried.length; at += unconfirmedMax) {
      const page = carried.slice(at, at + unconfirmedMax);
      if (await this.store(page)) continue;
      await this.streams.ensure('EVENTS');
      if (!(await this.store(page))) throw new Error('EVENTS is gone');
    }
  }

  /** False when the stream does not exist. */
  private async store(page: readonly PublishedEvent[]): Promise<boolean> {
    if (!this.wire.connected) throw new Error('the connection to NATS is lost');
    const words = await this.wire.whileUp(
      Promise.allSettled(
        page.map((event) =>
          this.streams.js.publish(eventSubject(event), event.envelope, {
            msgID: event.key,
            timeout: confirmMsMax,
          }),
        ),
      ),
    );
    const refused = words.find((word) => word.status === 'rejected');
    if (refused === undefined) return true;
    if (isOff(refused.reason)) return false;
    throw refused.reason;
  }

  /** An event that NATS can never carry is skipped with a log line: it must not block all later ones, and
   *  the journal and the webhooks have it. */
  private fits(event: PublishedEvent): boolean {
    const bytesMax = this.wire.nc.info?.max_payload ?? Number.POSITIVE_INFINITY;
    const fits = Buffer.byteLength(event.envelope) + headerBytes <= bytesMax;
    if (!fits)
      this.wire.log.error(
        { event: event.event, eventKey: event.key },
        'an event is too large for NATS and is not in EVENTS: raise max_payload',
      );
    return fits;
  }
}
