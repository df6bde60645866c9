/** HTTP written by hand over a TCP socket, for requests no library would send. */
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
}

/** What came back on one connection, and whether the other side ended it. */
export interface Exchanged {
  readonly text: string;
  readonly answers: readonly RawAnswer[];
  readonly closed: boolean;
}

/** A request with a Host header; `body` goes as it is. */
export const head = (line: string, headers: readonly string[] = [], body = ''): string =>
  [`${line} HTTP/1.1`, 'Host: localhost', ...headers, '', body].join('\r\n');

/** A request whose body is announced by its length. */
export const withBody = (line: string, body: string | Buffer, headers: readonly string[] = []): Buffer =>
  Buffer.concat([
    Buffer.from(
      head(line, [
        `Content-Length: ${Buffer.byteLength(body)}`,
        'Content-Type: application/json',
        ...headers,
      ]),
    ),
    Buffer.from(body),
  ]);

const waitMsMax = 5000;

/** One connection to a listener of this machine. */
export class Raw {
  private readonly socket: Socket;
  private text = '';
  private closed = false;
  private woken: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      this.text += chunk.toString('latin1');
      this.woken();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.closed = true;
      this.woken();
    });
  }

  static open(port: number, allowHalfOpen = false): Promise<Raw> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen });
      socket.once('error', reject);
      socket.once('connect', () => resolve(new Raw(socket)));
    });
  }

  send(bytes: string | Buffer): this {
    this.socket.write(bytes);
    return this;
  }

  /** No more will be sent; answers may still come. */
  finish(): this {
    this.socket.end();
    return this;
  }

  /** Closes the connection without a message. */
  leave(): void {
    this.socket.destroy();
  }

  /** What has come once there are `count` whole answers. */
  answers(count: number, heads = false): Promise<Exchanged> {
    return this.until(() => parse(this.text, heads).length >= count, `${count} answers`, heads);
  }

  /** What has come once the other side has closed. */
  end(): Promise<Exchanged> {
    return this.until(() => this.closed, 'the connection to close', false);
  }

  private async until(done: () => boolean, what: string, heads: boolean): Promise<Exchanged> {
    const timeout = AbortSignal.timeout(waitMsMax);
    while (!done()) {
      if (timeout.aborted) throw new Error(`waited in vain for ${what}; came: ${JSON.stringify(this.text)}`);
      await new Promise<void>((resolve) => {
        this.woken = resolve;
        setTimeout(resolve, 20);
      });
    }
    return { text: this.text, answers: parse(this.text, heads), closed: this.closed };
  }
}

/** Whole answers in a text; `heads`: they are answers to HEAD and have no body. */
function parse(text: string, heads: boolean): readonly RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let rest = text; ;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return answers;
    const [line = '', ...lines] = rest.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((each) => {
        const cut = each.indexOf(': ');
        return [each.slice(0, cut).toLowerCase(), each.slice(cut + 2)];
      }),
    );
    const length = heads ? 0 : Number(headers['content-length'] ?? 0);
    const body = rest.slice(end + 4, end + 4 + length);
    if (body.length < length) return answers;
    answers.push({
      status: Number(line.split(' ')[1]),
      headers,
      body: Buffer.from(body, 'latin1').toString('utf8'),
    });
    rest = rest.slice(end + 4 + length);
  }
}
