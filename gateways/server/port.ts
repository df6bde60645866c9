/** The listener's port: exclusive while open, opened at once or later, and closed quickly when no
 *  connection arrives.
 *  Boundary: one uWS app and its listen socket. */
import { connect } from 'node:net';
import type { TemplatedApp, us_listen_socket, us_socket } from 'uWebSockets.js';
import { assert } from '../../src/kernel/assert.ts';
import type { DurationMs } from '../../src/kernel/time.ts';

/** LIBUS_LISTEN_EXCLUSIVE_PORT: without it a second process would share the port silently. */
const exclusivePort = 1;
/** A process that listens accepts a connection within this time. */
const lookMsMax: DurationMs = 1000;
/** A turn of the event loop this short accepted no connection, and leaves almost no time for one to arrive. */
const idleTurnMs: DurationMs = 0.02;
/** The port closes after this long, idle or not. */
const idleMsMax: DurationMs = 1000;

type Uws = Pick<typeof import('uWebSockets.js'), 'us_listen_socket_close' | 'us_socket_local_port'>;
type Listening = us_listen_socket | false;
type ListenOn = (host: string, port: number, options: number, done: (socket: Listening) => void) => void;

/** The address is in use, or does not belong to this machine. */
export class PortUnavailable extends Error {
  override readonly name = 'PortUnavailable';
  constructor(host: string, port: number) {
    super(
      `cannot listen on ${host}:${port}: the port is taken, or the address is not of this machine; ` +
        'set PORT (0 takes a free one) or HOST',
    );
  }
}

export class Port {
  private readonly uws: Uws;
  private readonly app: TemplatedApp;
  private readonly host: string;
  private readonly wanted: number;
  private socket: us_listen_socket | null = null;

  /** `wanted`: 0 picks a free port. */
  constructor(uws: Uws, app: TemplatedApp, host: string, wanted: number) {
    this.uws = uws;
    this.app = app;
    this.host = host;
    this.wanted = wanted;
  }

  get isOpen(): boolean {
    return this.socket !== null;
  }

  /** The port listened on; before it is open, the requested one. */
  get number(): number {
    // a listen socket is a socket; the types do not declare it
    return this.socket === null ? this.wanted : this.uws.us_socket_local_port(this.socket as us_socket);
  }

  /** Rejects with PortUnavailable. */
  async open(): Promise<void> {
    // uWS accepts host and options together; its types do not declare it
    const listenOn = this.app.listen.bind(this.app) as unknown as ListenOn;
    const listening = await new Promise<Listening>((resolve) =>
      listenOn(this.host, this.wanted, exclusivePort, resolve),
    );
    if (listening === false) throw new PortUnavailable(this.host, this.wanted);
    this.socket = listening;
  }

  /** For a port that opens later. Rejects with PortUnavailable when another process serves there already. */
  async expectFree(): Promise<void> {
    const { host, wanted } = this;
    assert(wanted !== 0, 'a port that opens later has a number');
    if (await isListenedAt(host === '0.0.0.0' ? '127.0.0.1' : host, wanted))
      throw new PortUnavailable(host, wanted);
  }

  /** Accepts pending connections, then closes: connections are refused from now on. */
  async close(): Promise<void> {
    if (this.socket === null) return;
    await idleTurn();
    this.uws.us_listen_socket_close(this.socket);
    this.socket = null;
  }
}

/** Resolves at the end of a turn in which nothing happened. A client that connects between the last poll
 *  for new connections and the closing of the port is cut off, and after a busy turn that poll is long ago. */
async function idleTurn(): Promise<void> {
  const until = performance.now() + idleMsMax;
  // the current turn may be half over, with its poll for new connections already done
  await nextTurn();
  let begun: DurationMs;
  do {
    begun = performance.now();
    await nextTurn();
  } while (performance.now() - begun > idleTurnMs && begun < until);
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function isListenedAt(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (found: boolean) => (): void => {
      socket.destroy();
      resolve(found);
    };
    socket.setTimeout(lookMsMax, end(false));
    socket.once('connect', end(true));
    socket.once('error', end(false));
  });
}
