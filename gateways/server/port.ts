/** The listener's port: nobody else's while it is ours, opened at once or later, closed in a moment when nobody comes.
 *  Boundary: one uWS app and its listen socket. */
import { connect } from 'node:net';
import type { TemplatedApp, us_listen_socket, us_socket } from 'uWebSockets.js';
import { assert } from '../../src/kernel/assert.ts';
import type { DurationMs } from '../../src/kernel/time.ts';

/** LIBUS_LISTEN_EXCLUSIVE_PORT: without it a second process shares the port silently. */
const exclusivePort = 1;
/** Nobody who listens takes longer to be connected to. */
const lookMsMax: DurationMs = 1000;
/** A turn of the event loop as short as this let nobody in and leaves hardly time for somebody to come. */
const quietTurnMs: DurationMs = 0.02;
/** The port closes after this long, quiet or not. */
const quietMsMax: DurationMs = 1000;

type Uws = Pick<typeof import('uWebSockets.js'), 'us_listen_socket_close' | 'us_socket_local_port'>;
type Listening = us_listen_socket | false;
type ListenOn = (host: string, port: number, options: number, done: (socket: Listening) => void) => void;

/** The address is taken, or not of this machine. */
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

  /** `wanted`: 0 takes a free one. */
  constructor(uws: Uws, app: TemplatedApp, host: string, wanted: number) {
    this.uws = uws;
    this.app = app;
    this.host = host;
    this.wanted = wanted;
  }

  get isOpen(): boolean {
    return this.socket !== null;
  }

  /** The one listened on; before it is open the one wanted. */
  get number(): number {
    // a listen socket is a socket; the types do not say so
    return this.socket === null ? this.wanted : this.uws.us_socket_local_port(this.socket as us_socket);
  }

  /** Rejects with PortUnavailable. */
  async open(): Promise<void> {
    // uWS takes host and options together; its types do not know
    const listenOn = this.app.listen.bind(this.app) as unknown as ListenOn;
    const listening = await new Promise<Listening>((resolve) =>
      listenOn(this.host, this.wanted, exclusivePort, resolve),
    );
    if (listening === false) throw new PortUnavailable(this.host, this.wanted);
    this.socket = listening;
  }

  /** For one that opens later. Rejects with PortUnavailable when somebody serves there already. */
  async expectFree(): Promise<void> {
    const { host, wanted } = this;
    assert(wanted !== 0, 'a port that opens later has a number');
    if (await isListenedAt(host === '0.0.0.0' ? '127.0.0.1' : host, wanted))
      throw new PortUnavailable(host, wanted);
  }

  /** Lets in who has come, then nobody: connections are refused from now on. */
  async close(): Promise<void> {
    if (this.socket === null) return;
    await quietTurn();
    this.uws.us_listen_socket_close(this.socket);
    this.socket = null;
  }
}

/** Resolves at the end of a turn in which nothing happened: who connects between the last look for new connections and
 *  the closing of the port is cut off, and after a busy turn that look is long ago. */
async function quietTurn(): Promise<void> {
  const until = performance.now() + quietMsMax;
  // the turn we were called in may be half over, and its look for new connections with it
  await nextTurn();
  let begun: DurationMs;
  do {
    begun = performance.now();
    await nextTurn();
  } while (performance.now() - begun > quietTurnMs && begun < until);
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
