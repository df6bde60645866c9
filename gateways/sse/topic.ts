/** A topic whose readers are streams: what it has said so far, and to whom. */
import { Followed } from '../live/topics.ts';

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

export class Topic<Viewer extends object> extends Followed<Feed> {
  /** The newest that was read and had something to say. */
  feed: Feed | null = null;
  /** Its events are being written. */
  spreading = false;
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
