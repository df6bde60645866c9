/** Opens WebSockets to providers and reports messages and closing.
 *  Boundary: bytes and connection ends; the caller decides which sockets to open, for how long, and what a
 *  message means.
 *  1. A socket that does not open in time, or sends more than its limit, is closed.
 *  2. Exactly one `closed` follows every `open`, in every case.
 *  3. A connection ends shortly after its `closed`, whatever the other side does: the protocol waits for
 *     the other side's close frame, which may never arrive. */
import { Socket } from 'node:net';
import { buildConnector, Client, WebSocket } from 'undici';
import { realScheduler, seconds, type DurationMs } from '../kernel/time.ts';
import { connectMsMax } from './http.ts';
import { inPieces } from './in-pieces.ts';

export interface SocketEvents {
  message(text: string): void;
  /** No further messages: it could not be opened, the other side closed it, or we did. */
  closed(): void;
}

export interface WebSockets {
  /** `url` is ws or wss. The returned function closes it. */
  open(url: string, events: SocketEvents): () => void;
  /** Closes all of them at once. */
  close(): Promise<void>;
}

export interface SocketWaits {
  /** Of the TCP connection. */
  readonly connectMs?: DurationMs;
  /** From the name look-up to the answer of the handshake. */
  readonly openMs?: DurationMs;
}

/** The size limit of one message. */
export const messageBytesMax = 16 * 1024;
const fragmentsMax = 64;
const openMsMax: DurationMs = seconds(5);
/** How long to wait for the other side's close frame. */
const goodbyeMsMax: DurationMs = seconds(1);

type Connector = ReturnType<typeof buildConnector>;

export function openWebSockets({
  connectMs = connectMsMax,
  openMs = openMsMax,
}: SocketWaits = {}): WebSockets {
  const connector = inPieces(buildConnector({ timeout: connectMs, autoSelectFamily: true }));
  const lines = new Set<Line>();
  return {
    open(url, events) {
      const line = new Line(connector, url, () => void lines.delete(line));
      lines.add(line);
      return open(line, url, events, openMs);
    },
    async close() {
      for (const line of lines) line.cut();
    },
  };
}

function open(line: Line, url: string, events: SocketEvents, openMs: DurationMs): () => void {
  const socket = new WebSocket(url, { dispatcher: line.client });
  let over = false;
  const end = (): void => {
    if (over) return;
    over = true;
    cancel();
    realScheduler.after(goodbyeMsMax, () => line.cut());
    events.closed();
  };
  const close = (): void => {
    socket.close();
    // the other side may never answer a close
    end();
  };
  const cancel = realScheduler.after(openMs, close);
  socket.addEventListener('open', () => cancel());
  socket.addEventListener('message', ({ data }) => {
    if (!over && typeof data === 'string') events.message(data);
  });
  socket.addEventListener('error', end);
  socket.addEventListener('close', end);
  return close;
}

/** The TCP connection under a socket: after the upgrade, the library no longer closes it on its own. */
class Line {
  readonly client: Client;
  private readonly wires: Socket[] = [];
  private readonly gone: () => void;

  constructor(connector: Connector, url: string, gone: () => void) {
    this.gone = gone;
    this.client = new Client(new URL(url.replace(/^ws/, 'http')).origin, {
      connect: (options, done) => {
        connector(options, (...made) => {
          if (made[1] instanceof Socket) this.wires.push(made[1]);
          done(...made);
        });
      },
      webSocket: { maxPayloadSize: messageBytesMax, maxFragments: fragmentsMax },
    });
  }

  /** May be called twice. */
  cut(): void {
    this.gone();
    for (const wire of this.wires.splice(0)) wire.destroy();
    void this.client.destroy();
  }
}
