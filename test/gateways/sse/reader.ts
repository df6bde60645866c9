/** Reads a stream from a socket, byte by byte and strictly: the head, then the body out of its chunks. A length
 *  that does not fit, a byte between two chunks or after the end is an error, not something to skip. */
import { connect, type Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';

const patienceMsMax = 8000;

export interface Head {
  readonly status: number;
  /** By lower-case name; one sent twice is an error. */
  readonly headers: { readonly [name: string]: string };
}

export interface Opening {
  readonly port: number;
  readonly path: string;
  readonly method?: string;
  readonly headers?: readonly string[];
  /** The address it comes from; 127.0.0.1 by default. */
  readonly from?: string;
  /** How long anything is waited for; 8 s by default. */
  readonly patienceMs?: number;
}

export class StreamReader {
  /** The body has ended as HTTP ends one. */
  ended = false;
  /** The other side has closed the connection. */
  closed = false;
  private head: Head | null = null;
  private rest: Buffer = Buffer.alloc(0);
  private left = -1;
  private chunks = 0;
  /** Frames that have come whole, and what has come of the next. */
  private readonly whole: string[] = [];
  private tail = '';
  private readonly text = new StringDecoder('utf8');
  private broken: Error | null = null;
  private readonly waiting = new Set<() => void>();
  private readonly patienceMs: number;
  /** When the last bytes came, and the longest silence between two of them; of the steady clock. */
  private heardAt = 0;
  longestSilenceMs = 0;
  readonly socket: Socket;

  private constructor(socket: Socket, patienceMs: number) {
    this.socket = socket;
    this.patienceMs = patienceMs;
    socket.setNoDelay(true);
    socket.on('data', (bytes) => this.take(bytes));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.closed = true;
      this.wake();
    });
  }

  /** Connects, asks, and waits for the whole head. Rejects when there is none. */
  static async open(opening: Opening): Promise<StreamReader> {
    const reader = await StreamReader.asking(opening);
    await reader.until(() => reader.head !== null || reader.closed, 'a head');
    if (reader.head === null) throw new Error('the connection was closed before any answer');
    return reader;
  }

  /** Connects and asks. */
  static async asking(opening: Opening): Promise<StreamReader> {
    const { port, path, method = 'GET', headers = [], from, patienceMs = patienceMsMax } = opening;
    const socket = connect({
      port,
      host: '127.0.0.1',
      ...(from === undefined ? {} : { localAddress: from }),
    });
    await new Promise<void>((ready, reject) => socket.once('connect', ready).once('error', reject));
    const reader = new StreamReader(socket, patienceMs);
    socket.write([`${method} ${path} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n'));
    return reader;
  }

  get status(): number {
    return this.head?.status ?? 0;
  }

  get headers(): Head['headers'] {
    return this.head?.headers ?? {};
  }

  /** The body so far. */
  get body(): string {
    return this.whole.join('') + this.tail;
  }

  /** Frames that have come whole. */
  get frames(): readonly string[] {
    return [...this.whole];
  }

  /** Those that say something. */
  get news(): readonly string[] {
    return this.frames.filter((frame) => !frame.startsWith('event: ping\n'));
  }

  /** Waits until there are so many that say something. */
  async hears(count: number): Promise<readonly string[]> {
    await this.until(() => this.news.length >= count, `${count} frames with news`);
    return this.news;
  }

  /** Waits until so many whole frames are there. */
  async sees(count: number): Promise<readonly string[]> {
    await this.until(() => this.frames.length >= count, `${count} frames`);
    return this.frames;
  }

  /** Waits until nothing more can come. */
  async end(): Promise<readonly string[]> {
    await this.until(() => this.ended || this.closed, 'the end of the stream');
    return this.frames;
  }

  /** Waits until the connection is closed. */
  close(): Promise<void> {
    return this.until(() => this.closed, 'the connection to close');
  }

  leave(): void {
    this.socket.destroy();
  }

  private async until(done: () => boolean, what: string): Promise<void> {
    const late = { is: false };
    const timer = setTimeout(() => {
      late.is = true;
      this.wake();
    }, this.patienceMs);
    try {
      while (!done()) {
        if (this.broken !== null) throw this.broken;
        if (this.closed || late.is) {
          const came = JSON.stringify(this.body.slice(-2000));
          throw new Error(`${this.closed ? 'closed before' : 'waited in vain for'} ${what}; came: ${came}`);
        }
        await new Promise<void>((wake) => void this.waiting.add(wake));
      }
    } finally {
      clearTimeout(timer);
    }
    if (this.broken !== null) throw this.broken;
  }

  private wake(): void {
    const all = [...this.waiting];
    this.waiting.clear();
    for (const wake of all) wake();
  }

  private take(bytes: Buffer): void {
    const now = performance.now();
    if (this.heardAt > 0) this.longestSilenceMs = Math.max(this.longestSilenceMs, now - this.heardAt);
    this.heardAt = now;
    this.rest = Buffer.concat([this.rest, bytes]);
    try {
      if (this.head === null) this.readHead();
      if (this.head !== null) this.readBody(this.head);
    } catch (error) {
      this.broken = error instanceof Error ? error : new Error(String(error));
    }
    this.wake();
  }

  private readHead(): void {
    const end = this.rest.indexOf('\r\n\r\n');
    if (end < 0) return;
    const [line = '', ...lines] = this.rest.subarray(0, end).toString('latin1').split('\r\n');
    const headers: Record<string, string> = {};
    for (const each of lines) {
      const [, name = '', value = ''] = /^([^:\s]+): (.*)$/.exec(each) ?? [];
      if (name === '' || headers[name.toLowerCase()] !== undefined) throw new Error(`a bad header: ${each}`);
      headers[name.toLowerCase()] = value;
    }
    this.head = { status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1]), headers };
    this.rest = this.rest.subarray(end + 4);
  }

  private readBody({ status, headers }: Head): void {
    if (this.ended) {
      if (this.rest.length > 0) throw new Error(`bytes after the end: ${this.rest.toString()}`);
    } else if (status === 204) this.ended = true;
    else if (headers['transfer-encoding'] === 'chunked') while (!this.ended && this.readChunk());
    else {
      const length = Number(headers['content-length']);
      if (this.rest.length < length) return;
      this.grow(this.rest.subarray(0, length));
      this.rest = this.rest.subarray(length);
      this.ended = true;
    }
  }

  /** Cuts off every frame that has come whole. */
  private grow(bytes: Buffer): void {
    let from = Math.max(0, this.tail.length - 1);
    this.tail += this.text.write(bytes);
    for (let end: number; (end = this.tail.indexOf('\n\n', from)) >= 0; from = 0) {
      this.whole.push(this.tail.slice(0, end + 2));
      this.tail = this.tail.slice(end + 2);
    }
  }

  /** A part of a chunk, or the line that begins one; false when more must come first. */
  private readChunk(): boolean {
    if (this.left > 0) {
      const part = this.rest.subarray(0, this.left);
      this.grow(part);
      this.left -= part.length;
      this.rest = this.rest.subarray(part.length);
      return this.left === 0 && this.rest.length > 0;
    }
    const line = this.chunks === 0 ? /^([0-9a-fA-F]+)\r\n/ : /^\r\n([0-9a-fA-F]+)\r\n/;
    const found = line.exec(this.rest.subarray(0, 20).toString('latin1'));
    if (found === null) {
      if (this.rest.length >= 20) throw new Error(`no beginning of a chunk: ${this.rest.toString()}`);
      return false;
    }
    this.chunks++;
    this.left = Number.parseInt(found[1] ?? '', 16);
    this.rest = this.rest.subarray(found[0].length);
    if (this.left > 0) return this.rest.length > 0;
    if (this.rest.length < 2) throw new Error('the last chunk came in pieces');
    if (this.rest.toString('latin1') !== '\r\n')
      throw new Error(`bytes after the end: ${this.rest.toString()}`);
    this.rest = Buffer.alloc(0);
    this.ended = true;
    return false;
  }
}
