/** A program that follows an event stream (Server-Sent Events): what a terminal does in place of a browser. */

export interface StreamEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

const patienceMs = 30_000;

export class EventStream {
  /** Pings left out. */
  readonly events: StreamEvent[] = [];
  /** 200 while there is a stream to read; 204 when the client should not connect again. */
  readonly status: number;
  private readonly reading: Promise<void>;
  private readonly waiting = new Set<() => void>();
  private over = false;

  private constructor(status: number, body: AsyncIterable<Uint8Array> | null) {
    this.status = status;
    this.reading = this.read(body);
    // callers that wait for the end get the error; without a caller it must not end the process
    this.reading.catch(() => undefined);
  }

  /** Opens it. `lastEventId` is what a reconnecting browser sends by itself. */
  static async open(url: string, lastEventId?: string): Promise<EventStream> {
    const headers: { [name: string]: string } = { accept: 'text/event-stream' };
    if (lastEventId !== undefined) headers['last-event-id'] = lastEventId;
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(10 * patienceMs) });
    return new EventStream(answer.status, answer.body);
  }

  /** The first event of this name; throws when the stream ends without it, or sends nothing for 30 s. */
  async next(event: string): Promise<StreamEvent> {
    for (;;) {
      const found = this.events.find((each) => each.event === event);
      if (found !== undefined) return found;
      if (this.over) throw new Error(`the stream ended without ${event}`);
      await this.news(event);
    }
  }

  /** Resolves when the service has ended it. */
  ended(): Promise<void> {
    return this.reading;
  }

  private news(event: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const heard = (): void => {
        clearTimeout(timer);
        this.waiting.delete(heard);
        resolve();
      };
      const timer = setTimeout(() => {
        this.waiting.delete(heard);
        reject(new Error(`no ${event} within ${patienceMs} ms`));
      }, patienceMs);
      this.waiting.add(heard);
    });
  }

  private async read(body: AsyncIterable<Uint8Array> | null): Promise<void> {
    const decoder = new TextDecoder();
    let text = '';
    try {
      for await (const chunk of body ?? []) {
        text += decoder.decode(chunk, { stream: true });
        const blocks = text.split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of blocks) this.heard(eventIn(block));
      }
    } finally {
      this.over = true;
      this.wake();
    }
  }

  private heard(event: StreamEvent): void {
    if (event.event === 'ping') return;
    this.events.push(event);
    this.wake();
  }

  private wake(): void {
    for (const heard of this.waiting) heard();
  }
}

function eventIn(block: string): StreamEvent {
  const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? '';
  return { id: field('id'), event: field('event'), data: field('data') };
}
