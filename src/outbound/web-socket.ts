/** Opens WebSockets to providers and says what comes of them.
 *  Boundary: bytes and ends; who is listened to, for how long and what a message means is the caller's.
 *  1. A socket that does not open in time, or says more than it may at once, is closed.
 *  2. Exactly one `closed` follows every `open`, whatever happened. */
import { Agent, buildConnector, WebSocket } from 'undici';
import { realScheduler, seconds, type DurationMs } from '../kernel/time.ts';
import { connectMsMax } from './http.ts';

export interface SocketEvents {
  message(text: string): void;
  /** Nothing more will come: it could not be opened, the other side closed it, or we did. */
  closed(): void;
}

export interface WebSockets {
  /** `url` is ws or wss. The returned function closes it. */
  open(url: string, events: SocketEvents): () => void;
  /** Cuts all of them. */
  close(): Promise<void>;
}

/** Of one message. */
export const messageBytesMax = 16 * 1024;
const fragmentsMax = 64;
/** From the name look-up to the answer of the handshake. */
const openMsMax: DurationMs = seconds(5);

export function openWebSockets(connectMs: DurationMs = connectMsMax): WebSockets {
  const agent = new Agent({
    connect: buildConnector({ timeout: connectMs, autoSelectFamily: true }),
    webSocket: { maxPayloadSize: messageBytesMax, maxFragments: fragmentsMax },
  });
  return {
    open: (url, events) => open(agent, url, events),
    close: () => agent.destroy(),
  };
}

function open(dispatcher: Agent, url: string, events: SocketEvents): () => void {
  const socket = new WebSocket(url, { dispatcher });
  let over = false;
  const end = (): void => {
    if (over) return;
    over = true;
    cancel();
    events.closed();
  };
  const close = (): void => {
    socket.close();
    // the other side may never answer a close
    end();
  };
  const cancel = realScheduler.after(openMsMax, close);
  socket.addEventListener('open', () => cancel());
  socket.addEventListener('message', ({ data }) => {
    if (!over && typeof data === 'string') events.message(data);
  });
  socket.addEventListener('error', end);
  socket.addEventListener('close', end);
  return close;
}
