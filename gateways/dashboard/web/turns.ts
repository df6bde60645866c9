/** Decides which of several answers to one question count. Pure.
 *  1. Only an answer older than the last one accepted is dropped: answers that take longer than the polling
 *     interval are still shown.
 *  2. Polling waits for a request under way; a request with a reason does not, as the reason may be newer. */
export class Turns {
  private asked = 0;
  private taken = 0;

  /** A newer answer than the last one accepted is still expected. */
  get isUnderWay(): boolean {
    return this.asked > this.taken;
  }

  /** The number of a new question. */
  next(): number {
    return ++this.asked;
  }

  /** Whether the answer with this number counts; afterwards no older one does. */
  takes(number: number): boolean {
    if (number < this.taken) return false;
    this.taken = number;
    return true;
  }
}
