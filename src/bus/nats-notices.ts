/** Notices and broadcasts over core NATS, which may be lost.
 *  1. One subscription per id, scope or topic, however many listeners it has; removed with the last of
 *     them. */
import type { Subscription } from 'nats';
import type { Cancel } from '../kernel/time.ts';
import type { Wire } from './nats-wire.ts';

/** Ids and scopes watched by one node at the same time; watchers above this bound only read again at
 *  intervals. */
const subjectsMax = 100_000;

type Listener = (text: string, subject: string) => void;

export class Notices {
  private readonly wire: Wire;
  private readonly topics = new Map<
    string,
    { readonly sub: Subscription; readonly listeners: Set<Listener> }
  >();

  constructor(wire: Wire) {
    this.wire = wire;
  }

  publish(subject: string, text: string): void {
    if (!this.wire.connected) return;
    try {
      this.wire.nc.publish(subject, text);
    } catch (thrown) {
      this.wire.log.error({ err: thrown }, 'a notice could not be sent');
    }
  }

  listen(subject: string, listener: Listener): Cancel {
    const topic = this.topics.get(subject) ?? this.open(subject);
    if (topic === null) return () => undefined;
    // a wrapper of its own: the same function may be registered twice
    const own: Listener = (text, said) => listener(text, said);
    topic.listeners.add(own);
    return () => {
      if (!topic.listeners.delete(own) || topic.listeners.size > 0) return;
      this.topics.delete(subject);
      topic.sub.unsubscribe();
    };
  }

  private open(subject: string): { readonly sub: Subscription; readonly listeners: Set<Listener> } | null {
    if (this.wire.closed) return null;
    if (this.topics.size >= subjectsMax) {
      this.wire.complaints.warn('the limit of watched subjects is reached: changes are found by polling');
      return null;
    }
    const listeners = new Set<Listener>();
    const sub = this.wire.nc.subscribe(subject, {
      callback: (err, msg) => {
        if (err !== null)
          this.wire.complaints.warn('notices cannot be received: check the permissions in NATS', { err });
        else this.notify(listeners, msg.string(), msg.subject);
      },
    });
    const topic = { sub, listeners };
    this.topics.set(subject, topic);
    return topic;
  }

  /** Never throws: an error from a callback would end the library's read loop. */
  private notify(listeners: ReadonlySet<Listener>, text: string, subject: string): void {
    for (const listener of listeners)
      try {
        listener(text, subject);
      } catch (thrown) {
        this.wire.log.error({ err: thrown }, 'a listener of notices threw');
      }
  }
}
