/** The clients' way to a service that may be gone at any moment: counts what is under way, waits while it is down.
 *  1. A request cut off by a death is told apart from one the dead service never saw.
 *  2. No client polls while it is down: all wait for the same signal. */

export class Line {
  /** Requests and page loads under way right now. */
  inFlight = 0;
  /** Answers since the service came up. */
  answers = 0;
  /** How many were under way at the first sign of the last death; null while it lives. */
  atDeath: number | null = null;
  /** Between two tries. */
  protected readonly againMs: number = 15;
  /** How long a client retries before it gives up, which is a failure of the service. */
  protected readonly patienceMs: number = 60_000;
  private up: Promise<void>;
  private open: () => void = () => undefined;

  constructor() {
    this.up = this.closed();
  }

  /** The service is there. */
  opened(): void {
    this.answers = 0;
    this.atDeath = null;
    this.open();
  }

  /** The service is gone, or seems to be. */
  lost(): void {
    if (this.atDeath !== null) return;
    this.atDeath = this.inFlight;
    this.up = this.closed();
  }

  /** Tries until there is an answer that says something: whatever `work` gives but null. */
  async surely<Value>(what: string, work: () => Promise<Value | null>): Promise<Value> {
    const until = Date.now() + this.patienceMs;
    while (Date.now() < until) {
      await Promise.race([this.up, pause(1000)]);
      const value = await this.once(work);
      if (value !== null) return value;
      await pause(this.againMs);
    }
    throw new Error(`no answer in ${this.patienceMs} ms: ${what}`);
  }

  /** One try; null when it was cut off, refused a connection, or `work` said so. */
  async once<Value>(work: () => Promise<Value | null>): Promise<Value | null> {
    this.inFlight++;
    try {
      const value = await work();
      if (value !== null) this.answers++;
      return value;
    } catch (failure) {
      if (!isNetwork(failure)) throw failure;
      this.lost();
      return null;
    } finally {
      this.inFlight--;
    }
  }

  private closed(): Promise<void> {
    return new Promise((resolve) => (this.open = resolve));
  }
}

/** fetch says TypeError for everything the network did, and a broken body has a cause of undici's. */
const isNetwork = (failure: unknown): boolean =>
  failure instanceof Error &&
  (failure.message === 'fetch failed' ||
    failure.message === 'terminated' ||
    failure.name === 'TimeoutError' ||
    ('cause' in failure && failure.cause instanceof Error && 'code' in failure.cause));

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
