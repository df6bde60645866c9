/** A process of browsers: each follows one session's stream, records when it received what, and when its stream breaks or asks
 *  for it, reconnects to the next address, after the given time, with the last id it received. */
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { sharedMs } from './streaming-steady.ts';

/** `follow`: opens a stream for each id. `places`: where they go from now on. Whenever everybody is served, the process
 *  says 'served'. `report` answers a Report and forgets. */
export type Order =
  | { readonly is: 'follow'; readonly ids: readonly string[]; readonly places: readonly string[] }
  | { readonly is: 'places'; readonly places: readonly string[] }
  | { readonly is: 'report' }
  | { readonly is: 'leave' };

export interface Report {
  readonly heard: readonly { readonly id: string; readonly n: number; readonly at: number }[];
  /** Since the last report: the instants a follower was connected, and how long each had waited since he asked. */
  readonly served: readonly { readonly at: number; readonly tookMs: number }[];
  /** Streams that said no more than when to come again. */
  readonly toldLater: number;
  /** Connections that failed before they said anything. */
  readonly refused: number;
}

/** Of this process alone: addresses whose ports wait to be used again are slow to connect from. */
const network = 1 + (process.pid % 250);
/** Below what one address may have open. */
const perAddress = 400;
const atOnce = 200;
const retryMsUnlessTold = 3000;
const shared = Buffer.alloc(4096);

const followers: Follower[] = [];
let places: readonly string[] = [];
let open = 0;
let report = nothing();

/** Grows until it is asked for. */
function nothing() {
  const heard: Report['heard'][number][] = [];
  const served: Report['served'][number][] = [];
  return { heard, served, toldLater: 0, refused: 0 } satisfies Report;
}

class Follower {
  private readonly id: string;
  private readonly at: number;
  private turn: number;
  private lastEventId = '';
  private retryMs = retryMsUnlessTold;
  private rest = '';
  private isOpen = false;
  private askedAt = 0;
  private over = false;

  constructor(id: string, at: number) {
    this.id = id;
    this.at = at;
    this.turn = at;
  }

  ask(): void {
    this.askedAt = sharedMs();
    this.rest = '';
    const socket = connect({
      port: Number(new URL(places[this.turn++ % places.length] ?? '').port),
      host: '127.0.0.1',
      localAddress: `127.${network}.${Math.floor(this.at / perAddress)}.2`,
      noDelay: true,
      onread: {
        buffer: shared,
        callback: (length) => {
          if (this.takes(shared.toString('latin1', 0, length))) return true;
          socket.destroy();
          return false;
        },
      },
    });
    socket.on('error', () => undefined);
    socket.on('close', () => this.broken());
    const known = this.lastEventId === '' ? '' : `Last-Event-ID: ${this.lastEventId}\r\n`;
    socket.write(`GET /v1/qr/${this.id}/events HTTP/1.1\r\nHost: localhost\r\n${known}\r\n`);
  }

  /** False when nothing follows. */
  private takes(text: string): boolean {
    const at = sharedMs();
    const frames = (this.rest + text).split('\n\n');
    this.rest = frames.pop() ?? '';
    for (const frame of frames) {
      this.retryMs = Number(/^retry: (\d+)/m.exec(frame)?.[1] ?? this.retryMs);
      const event = /^event: (\S+)/m.exec(frame)?.[1];
      const n = /^id: (\d+)/m.exec(frame)?.[1];
      if (event === 'connected') this.served(at);
      if (event === undefined) {
        report.toldLater++;
        return false;
      }
      if (n === undefined) continue;
      this.lastEventId = n;
      report.heard.push({ id: this.id, n: Number(n), at });
      this.over ||= event === 'qr.expired';
    }
    return !this.over;
  }

  private served(at: number): void {
    this.isOpen = true;
    report.served.push({ at, tookMs: at - this.askedAt });
    if (++open === followers.length) process.send?.('served');
  }

  private broken(): void {
    if (this.isOpen) open--;
    else if (this.rest === '') report.refused++;
    this.isOpen = false;
    if (!this.over) setTimeout(() => this.ask(), this.retryMs);
  }
}

// the process that requested them has ended
process.on('disconnect', () => process.exit(0));

process.on('message', (order: Order) => {
  if (order.is === 'leave') process.exit(0);
  if (order.is === 'report') {
    process.send?.(report);
    report = nothing();
  } else {
    places = order.places;
    if (order.is === 'follow') void follow(order.ids);
  }
});

/** A few at a time: only who comes back comes with all the others. */
async function follow(ids: readonly string[]): Promise<void> {
  followers.push(...ids.map((id, at) => new Follower(id, followers.length + at)));
  const fresh = followers.slice(-ids.length);
  for (let at = 0; at < fresh.length; at += atOnce) {
    const until = open + Math.min(atOnce, fresh.length - at);
    for (const follower of fresh.slice(at, at + atOnce)) follower.ask();
    while (open < until) await pause(2);
  }
}
