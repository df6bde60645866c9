/** Publishes events for other systems to the stream EVENTS.
 *  1. Sent in order, many at a time; a repeated key is stored once within the stream's window.
 *  2. The order in the stream may break only where the stream refused an event in the middle: events sent
 *     after it may already be stored when it is sent again. Every event carries its position in its log.
 *  3. JetStream may lose what it has acknowledged (its disk is not synced by default). Places in the stream only rise:
 *     one that is given twice proves a loss, and the stream is filled again. */
import { headers } from 'nats';
import { seconds } from '../kernel/time.ts';
import type { PublishedEvent } from './bus.ts';
import { isOff, type Streams } from './nats-streams.ts';
import { eventSubject } from './subjects.ts';
import type { Wire } from './nats-wire.ts';

/** Events sent that the stream has not confirmed yet. */
const unconfirmedMax = 128;
const confirmMsMax = seconds(5);
const headerBytes = 512;
/** The position of an event in the log of its project and mode: rises, with gaps. */
export const positionHeader = 'Galla-Position';

export class Events {
  private readonly wire: Wire;
  private readonly streams: Streams;
  /** The highest place in the stream that this node was told of. */
  private stored = 0;

  constructor(wire: Wire, streams: Streams) {
    this.wire = wire;
    this.streams = streams;
    streams.onEventsMade(() => {
      this.stored = 0;
    });
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
    const storedBefore = this.stored;
    const words = await this.wire.whileUp(
      Promise.allSettled(
        page.map((event) =>
          this.streams.js.publish(eventSubject(event), event.envelope, {
            msgID: event.key,
            headers: headersOf(event),
            timeout: confirmMsMax,
          }),
        ),
      ),
    );
    const acks = words.flatMap((word) => (word.status === 'fulfilled' ? [word.value] : []));
    const places = acks.filter(({ duplicate }) => !duplicate).map(({ seq }) => seq);
    if (places.some((seq) => seq <= storedBefore)) {
      // before the log writes down that these are published: the next try, or the next node, does it again
      await this.streams.eventsLost();
      this.stored = 0;
    }
    this.stored = Math.max(this.stored, ...places);
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

function headersOf({ pos }: PublishedEvent) {
  const carried = headers();
  carried.set(positionHeader, String(pos));
  return carried;
}
