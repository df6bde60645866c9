/** A connection between a node and one of its servers that can be cut, slowed, or made silent in one direction.
 *  Boundary: bytes; it knows neither protocol.
 *  1. Where the server names itself (a member of a replica set does), the node reads this line's address instead: else
 *     it would go there by another way. Both are as long: ports have five digits.
 *  2. What was lost stays lost: connections that lost bytes are closed when the fault ends, as TCP would close them. */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { pause } from './line.ts';

/** `out`: what the node says is lost; `in`: what the server says. */
export type Harm = 'none' | 'cut' | 'out' | 'in';

interface Pair {
  readonly node: Socket;
  readonly server: Socket;
  torn: boolean;
  /** Chunks that were delayed and have not gone out, each way: what comes later waits behind them. */
  readonly delayed: { in: number; out: number };
  readonly last: { in: Promise<void>; out: Promise<void> };
}

export class Proxy {
  private readonly server: Server;
  private readonly target: { readonly host: string; readonly port: number };
  private readonly pairs = new Set<Pair>();
  private harm: Harm = 'none';
  private delayMs = 0;
  private lie: ((said: Buffer) => Buffer) | null = null;
  private liesBothWays = false;

  private constructor(target: URL) {
    this.target = { host: target.hostname, port: Number(target.port) };
    this.server = createServer((node) => this.serve(node));
  }

  /** Listens on a free port of this machine, in front of the host and port of `url`. */
  static async open(url: string): Promise<Proxy> {
    const proxy = new Proxy(new URL(url));
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** `url` with this proxy in the place of its host. */
  through(url: string): string {
    const { host } = new URL(url);
    return url.replace(host, this.address);
  }

  /** Connections that lead through it now. */
  get open(): number {
    return this.pairs.size;
  }

  hurt(harm: Exclude<Harm, 'none'>): void {
    this.harm = harm;
    if (harm === 'cut') for (const pair of this.pairs) end(pair);
  }

  /** Every chunk comes so much later, each way. */
  slow(delayMs: number): void {
    this.delayMs = delayMs;
  }

  /** Resets every connection there is; new ones are served. */
  reset(): void {
    for (const { node, server } of this.pairs) {
      node.resetAndDestroy();
      server.destroy();
    }
  }

  /** What the server says reaches the node changed; each chunk as it came. `bothWays`: what the node says, too. */
  falsify(lie: (said: Buffer) => Buffer, bothWays = false): void {
    this.lie = lie;
    this.liesBothWays = bothWays;
  }

  heal(): void {
    this.harm = 'none';
    this.delayMs = 0;
    this.lie = null;
    this.liesBothWays = false;
    for (const pair of this.pairs) if (pair.torn) end(pair);
  }

  async close(): Promise<void> {
    for (const pair of this.pairs) end(pair);
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private serve(node: Socket): void {
    if (this.harm === 'cut') return void node.destroy();
    const server = connect(this.target);
    const pair: Pair = {
      node,
      server,
      torn: false,
      delayed: { in: 0, out: 0 },
      last: { in: Promise.resolve(), out: Promise.resolve() },
    };
    this.pairs.add(pair);
    for (const socket of [node, server]) {
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        end(pair);
        this.pairs.delete(pair);
      });
    }
    node.on('data', (chunk: Buffer) => this.carry(pair, server, 'out', chunk));
    server.on('data', (chunk: Buffer) => this.carry(pair, node, 'in', chunk));
  }

  /** What comes out at the other end. */
  private passed(direction: 'out' | 'in', chunk: Buffer): Buffer {
    if (direction === 'in') return this.told(chunk);
    return this.liesBothWays && this.lie !== null ? this.lie(chunk) : chunk;
  }

  /** What the node receives of a chunk that the server sent. */
  private told(chunk: Buffer): Buffer {
    const { host, port } = this.target;
    const [real, ours] = [Buffer.from(`${host}:${port}`), Buffer.from(this.address)];
    const said = Buffer.from(chunk);
    if (real.length === ours.length)
      for (let at = said.indexOf(real); at >= 0; at = said.indexOf(real, at + ours.length))
        ours.copy(said, at);
    return this.lie === null ? said : this.lie(said);
  }

  private get address(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private carry(pair: Pair, to: Socket, direction: 'out' | 'in', chunk: Buffer): void {
    if (this.harm === direction || pair.torn) {
      pair.torn = true;
      return;
    }
    const said = this.passed(direction, chunk);
    if (this.delayMs === 0 && pair.delayed[direction] === 0) return void to.write(said);
    pair.delayed[direction]++;
    const before = pair.last[direction];
    pair.last[direction] = Promise.all([before, pause(this.delayMs)]).then(() => {
      pair.delayed[direction]--;
      if (!to.destroyed) to.write(said);
    });
  }
}

function end({ node, server }: Pair): void {
  node.destroy();
  server.destroy();
}
