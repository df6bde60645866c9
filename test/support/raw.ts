/** HTTP written by hand over a TCP socket, for requests no library would send. */
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

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
    return connected(connect({ port, host: '127.0.0.1', allowHalfOpen }), 'connect').then(
      (socket) => new Raw(socket),
    );
  }

  /** One connection to a service anywhere. */
  static async at({ protocol, hostname, port }: URL): Promise<Raw> {
    const host = hostname.replace(/^\[|\]$/g, '');
    const isPlain = protocol === 'http:';
    const to = { host, port: Number(port) || (isPlain ? 80 : 443) };
    const socket = isPlain
      ? connect(to)
      : connectTls({ ...to, servername: host, ALPNProtocols: ['http/1.1'] });
    return new Raw(await connected(socket, isPlain ? 'connect' : 'secureConnect'));
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
  end(heads = false): Promise<Exchanged> {
    return this.until(() => this.closed, 'the connection to close', heads);
  }

  /** What has come once there is a whole answer, the other side has closed, or `ms` are over. */
  first(ms: number, heads = false): Promise<Exchanged> {
    const until = Date.now() + ms;
    return this.until(
      () => this.closed || parse(this.text, heads).some(({ status }) => status >= 200) || Date.now() >= until,
      'an answer',
      heads,
      ms + waitMsMax,
    );
  }

  private async until(done: () => boolean, what: string, heads: boolean, ms = waitMsMax): Promise<Exchanged> {
    const timeout = AbortSignal.timeout(ms);
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

const connected = (socket: Socket, event: 'connect' | 'secureConnect'): Promise<Socket> =>
  new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once(event, () => resolve(socket));
  });

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
