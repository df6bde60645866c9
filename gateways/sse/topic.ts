/** What several readers follow together: watched on the bus while somebody follows it, read once for all of them.
 *  1. It is watched before it is read, so a commit after a read is noticed; a notice may be lost, so it is read again
 *     every 15 s and when the bus stands again.
 *  2. One read at a time; who asks during one is given the next, never one that began before he asked. */
import type { Cancel } from '../../src/kernel/time.ts';
import type { Spoke } from './heartbeat.ts';
import { SingleFlight } from './single-flight.ts';

/** What a topic has said so far. */
export interface Feed {
  /** The position of its newest event; 0 while there is none. */
  readonly last: number;
  /** Nothing follows: whoever has heard it leaves. */
  readonly over: boolean;
  /** The bytes of what comes after a position. */
  after(at: number): Readonly<Uint8Array>;
}

/** What there is of a topic, committed; null when there is none. Rejects when nothing can be read. */
export type Read = (id: string) => Promise<Feed | null>;

export class Topic<Viewer extends object> extends SingleFlight<Feed | null> implements Spoke {
  slot = -1;
  place = 0;
  unwatch: Cancel = notWatched;
  /** The newest that was read and had something to say. */
  feed: Feed | null = null;
  /** Its events are being written. */
  spreading = false;
  /** Those who asked and are not served yet keep it too. */
  members = 0;
  private viewers: Viewer | Set<Viewer> | null = null;

  get viewerCount(): number {
    if (this.viewers === null) return 0;
    return this.viewers instanceof Set ? this.viewers.size : 1;
  }

  /** The one that has been here longest. */
  get oldest(): Viewer | null {
    for (const viewer of this.all()) return viewer;
    return null;
  }

  /** In the order they came; may change meanwhile. */
  all(): Iterable<Viewer> {
    if (this.viewers === null) return [];
    return this.viewers instanceof Set ? this.viewers : [this.viewers];
  }

  add(viewer: Viewer): void {
    // nearly every session is followed by one buyer
    if (this.viewers === null) this.viewers = viewer;
    else if (this.viewers instanceof Set) this.viewers.add(viewer);
    else this.viewers = new Set([this.viewers, viewer]);
  }

  remove(viewer: Viewer): void {
    if (this.viewers === viewer) this.viewers = null;
    else if (this.viewers instanceof Set) this.viewers.delete(viewer);
  }
}

const notWatched: Cancel = () => undefined;
