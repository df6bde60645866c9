/** Single-flight: one read at a time for many callers. Each caller gets a read that began after its call; callers of
 *  one moment share it. */
export class SingleFlight<Found> {
  readonly id: string;
  private running: Promise<unknown> | null = null;
  /** Not begun yet. */
  private next: Promise<Found> | null = null;

  constructor(id: string) {
    this.id = id;
  }

  get idle(): boolean {
    return this.running === null && this.next === null;
  }

  /** The result of a read that begins after this call. Rejects when nothing could be read. */
  fresh(read: (id: string) => Promise<Found>): Promise<Found> {
    const begin = (): Promise<Found> => {
      this.next = null;
      const reading = read(this.id).finally(() => (this.running = null));
      this.running = reading;
      return reading;
    };
    this.next ??= (this.running ?? Promise.resolve()).then(begin, begin);
    return this.next;
  }
}

/** The same by key; a key is in memory while somebody waits for it. */
export function singleFlights<Found>(read: (key: string) => Promise<Found>): (key: string) => Promise<Found> {
  const flights = new Map<string, SingleFlight<Found>>();
  return (key) => {
    const flight = flights.get(key) ?? new SingleFlight<Found>(key);
    flights.set(key, flight);
    return flight.fresh(read).finally(() => {
      if (flight.idle && flights.get(key) === flight) flights.delete(key);
    });
  };
}
