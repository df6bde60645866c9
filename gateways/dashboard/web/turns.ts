/** Which of several answers to one question count. Pure.
 *  1. Only what is older than the last answer taken is dropped: answers that take longer than the time between two
 *     questions are still shown.
 *  2. Asking by the clock waits for what is under way; asking for a reason does not, as the reason may be newer. */
export class Turns {
  private asked = 0;
  private taken = 0;

  /** Something newer than what was taken last is still to come. */
  get isUnderWay(): boolean {
    return this.asked > this.taken;
  }

  /** The number of a new question. */
  next(): number {
    return ++this.asked;
  }

  /** Whether the answer to this number counts; then no older one does any more. */
  takes(number: number): boolean {
    if (number < this.taken) return false;
    this.taken = number;
    return true;
  }
}
