/** Single-flight: one read at a time for many callers. Each caller gets a read that began after its call. */
export class SingleFlight<Found> {
  readonly id: string;
  private running: Promise<unknown> | null = null;
  private next: Promise<Found> | null = null;

  constructor(id: string) {
    this.id = id;
  }

  /** The result of a read that begins after this call. Rejects when nothing could be read. */
  fresh(read: (id: string) => Promise<Found>): Promise<Found> {
    if (this.next !== null) return this.next;
    if (this.running === null) return this.run(read);
    const begin = (): Promise<Found> => {
      this.next = null;
      return this.run(read);
    };
    this.next = this.running.then(begin, begin);
    return this.next;
  }

  private run(read: (id: string) => Promise<Found>): Promise<Found> {
    const reading = read(this.id).finally(() => (this.running = null));
    this.running = reading;
    return reading;
  }
}
