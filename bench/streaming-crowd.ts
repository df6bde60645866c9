/** The bench's hold on a process of followers (streaming-followers.ts). */
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Order, Report } from './streaming-followers.ts';
import type { Room } from './support.ts';

/** Longer than any crowd takes to be served. */
const tellMsMax = 90_000;

export class Followers {
  private readonly child: ChildProcess;

  constructor(room: Room) {
    this.child = fork(fileURLToPath(new URL('./streaming-followers.js', import.meta.url)));
    room.keep(this.child);
  }

  /** Opens a stream for each id; resolves when all are served. */
  async follow(ids: readonly string[], places: readonly string[]): Promise<void> {
    await this.told({ is: 'follow', ids, places });
  }

  /** Where a broken connection reconnects. */
  goTo(places: readonly string[]): void {
    this.child.send({ is: 'places', places } satisfies Order);
  }

  /** Resolves when everybody is served once more. */
  served(): Promise<unknown> {
    return this.said();
  }

  async report(): Promise<Report> {
    return (await this.told({ is: 'report' })) as Report;
  }

  leave(): Promise<void> {
    const gone = new Promise<void>((resolve) => this.child.once('exit', () => resolve()));
    this.child.send({ is: 'leave' } satisfies Order);
    return gone;
  }

  private told(order: Order): Promise<unknown> {
    const answer = this.said();
    this.child.send(order);
    return answer;
  }

  private said(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(
        () => reject(new Error(`the followers said nothing for ${tellMsMax} ms`)),
        tellMsMax,
      );
      this.child.once('message', (said) => {
        clearTimeout(late);
        resolve(said);
      });
    });
  }
}
