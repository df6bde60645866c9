/** A fair queue: serves one at a time, with those who send (a network, a project) taking turns.
 *  1. However many requests one sender sends, every other one waits for only one of them per turn of its own.
 *  2. It is bounded; when full it makes room for a sender with fewer entries, by dropping one of the sender
 *     with the most. */
export class FairQueue {
  private readonly waitingMax: number;
  private waiting = 0;
  private busy = false;
  /** The sender whose turn is next comes first; none is empty. */
  private readonly queues = new Map<string, ((mine: boolean) => void)[]>();

  constructor(waitingMax: number) {
    this.waitingMax = waitingMax;
  }

  /** Resolves when it is this entry's turn, with the function that ends the turn; with null when there is
   *  no room. */
  enter(sender: string): Promise<(() => void) | null> {
    const leave = (): void => this.next();
    if (!this.busy) {
      this.busy = true;
      return Promise.resolve(leave);
    }
    if (this.waiting >= this.waitingMax && !this.makesRoomFor(sender)) return Promise.resolve(null);
    return new Promise((resolve) => {
      const queue = this.queues.get(sender) ?? [];
      queue.push((mine) => resolve(mine ? leave : null));
      this.queues.set(sender, queue);
      this.waiting++;
    });
  }

  private next(): void {
    for (const [sender, queue] of this.queues) {
      const first = queue.shift();
      this.queues.delete(sender);
      if (queue.length > 0) this.queues.set(sender, queue);
      this.waiting--;
      first?.(true);
      return;
    }
    this.busy = false;
  }

  private makesRoomFor(sender: string): boolean {
    const own = this.queues.get(sender)?.length ?? 0;
    let longest: ((mine: boolean) => void)[] = [];
    for (const queue of this.queues.values()) if (queue.length > longest.length) longest = queue;
    if (longest.length <= own + 1) return false;
    longest.pop()?.(false);
    this.waiting--;
    return true;
  }
}
