/** A topic whose readers are streams: the events it has sent so far, and its readers. */
import { Followed } from '../live/topics.ts';

/** The events of a topic so far. */
export interface TopicContent {
  /** The version of what it was made from. */
  readonly v: number;
  /** The position of its newest event; 0 while there is none. */
  readonly last: number;
  /** No more events follow: a reader that has received them all leaves. */
  readonly over: boolean;
  /** The bytes of the events after a position. */
  after(at: number): Readonly<Uint8Array>;
}

/** The committed content of a topic; null when there is none. Rejects when nothing can be read. */
export type Read = (id: string) => Promise<TopicContent | null>;

export class Topic<Viewer extends object> extends Followed<TopicContent> {
  /** The newest content that was read and had events. */
  content: TopicContent | null = null;
  /** Its events are being written. */
  fanningOut = false;
  private viewers: Viewer | Set<Viewer> | null = null;

  get viewerCount(): number {
    if (this.viewers === null) return 0;
    return this.viewers instanceof Set ? this.viewers.size : 1;
  }

  /** The reader that joined first. */
  get oldest(): Viewer | null {
    for (const viewer of this.all()) return viewer;
    return null;
  }

  /** In order of arrival; may change during iteration. */
  all(): Iterable<Viewer> {
    if (this.viewers === null) return [];
    return this.viewers instanceof Set ? this.viewers : [this.viewers];
  }

  add(viewer: Viewer): void {
    // nearly every session has one reader, its buyer
    if (this.viewers === null) this.viewers = viewer;
    else if (this.viewers instanceof Set) this.viewers.add(viewer);
    else this.viewers = new Set([this.viewers, viewer]);
  }

  remove(viewer: Viewer): void {
    if (this.viewers === viewer) this.viewers = null;
    else if (this.viewers instanceof Set) this.viewers.delete(viewer);
  }
}
