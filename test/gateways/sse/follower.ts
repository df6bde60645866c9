/** Follows a stream as a browser does: connects again after the time it was told, with the id it heard last, until it
 *  is answered 204. Keeps what each connection told, and judges all of it by the promises of docs/reference/api/direct-qr.md. */
import { StreamReader } from './reader.ts';

export interface Told {
  readonly place: string;
  /** 0: the connection was refused. */
  readonly status: number;
  readonly frames: readonly Frame[];
  /** The stream ended as HTTP ends one; else the connection was cut. */
  readonly ended: boolean;
  readonly longestSilenceMs: number;
}

export interface Frame {
  /** null for one without a name: a time to come back. */
  readonly event: string | null;
  readonly id: string | null;
  readonly retryMs: number | null;
  readonly data: { readonly [key: string]: unknown };
}

export interface Following {
  /** Where it may be had, in the order a balancer would send it. */
  readonly places: () => readonly string[];
  readonly path: string;
  /** How much faster than it was told it comes back; 1 by default. */
  readonly haste?: number;
  readonly from?: string;
  readonly headers?: readonly string[];
}

/** How long a browser waits without a given time. */
const retryMsUnlessTold = 3000;
/** Longer than any test follows anything. */
const patienceMs = 300_000;
const terminal: ReadonlySet<string | null> = new Set(['qr.paid', 'qr.expired']);
/** Between two signs of life (I6). */
export const silenceMsMax = 8000;

export class Follower {
  readonly told: Told[] = [];
  /** Resolves when it was answered 204, or left. */
  readonly over: Promise<void>;
  /** Whether it was answered 204. */
  done = false;
  /** Streams it was given so far, and when the newest began; of the steady clock. */
  opened = 0;
  openedAt = 0;
  private readonly following: Following;
  private reader: StreamReader | null = null;
  private lastEventId = '';
  private retryMs = retryMsUnlessTold;
  private turn: number;
  private left = false;
  private wake: () => void = () => undefined;

  /** `first`: which place it goes to first. */
  constructor(following: Following, first = 0) {
    this.following = following;
    this.turn = first;
    this.over = this.follow();
  }

  /** What the current connection has received. */
  get now(): readonly Frame[] {
    return this.reader?.frames.map(frameOf) ?? [];
  }

  /** Every named event it received, except pings, over all connections. */
  get heard(): readonly string[] {
    const before = this.told.flatMap(({ frames }) => frames);
    return [...before, ...this.now].flatMap(({ event }) =>
      event === null || event === 'ping' ? [] : [event],
    );
  }

  leave(): void {
    this.left = true;
    this.reader?.leave();
    this.wake();
  }

  private async follow(): Promise<void> {
    while (!this.left && !this.done) {
      await this.once();
      if (this.done || this.left) return;
      await this.pause(this.retryMs / (this.following.haste ?? 1));
    }
  }

  private async once(): Promise<void> {
    const places = this.following.places();
    const place = places[this.turn++ % places.length] ?? '';
    const { path, from, headers: own = [] } = this.following;
    const known = this.lastEventId === '' ? [] : [`Last-Event-ID: ${this.lastEventId}`];
    const headers = [...own, ...known];
    const opening = { port: Number(new URL(place).port), path, headers, patienceMs };
    let reader: StreamReader;
    try {
      reader = await StreamReader.open({ ...opening, ...(from === undefined ? {} : { from }) });
    } catch {
      // nobody listens there
      this.told.push({ place, status: 0, frames: [], ended: false, longestSilenceMs: 0 });
      return;
    }
    this.reader = reader;
    this.opened += reader.status === 200 ? 1 : 0;
    this.openedAt = performance.now();
    // cut in the middle it says so by `ended`
    await reader.end();
    this.reader = null;
    const frames = reader.frames.map(frameOf);
    const { status, ended, longestSilenceMs } = reader;
    for (const { id, retryMs } of frames) {
      this.lastEventId = id ?? this.lastEventId;
      this.retryMs = retryMs ?? this.retryMs;
    }
    this.told.push({ place, status, frames, ended, longestSilenceMs });
    this.done = status === 204;
    reader.leave();
  }

  private pause(ms: number): Promise<void> {
    return new Promise((go) => {
      const timer = setTimeout(go, ms);
      this.wake = () => {
        clearTimeout(timer);
        go();
      };
    });
  }
}

function frameOf(text: string): Frame {
  const of = (name: string): string | null => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1] ?? null;
  const retry = of('retry');
  return {
    event: of('event'),
    id: of('id'),
    retryMs: retry === null ? null : Number(retry),
    data: JSON.parse(of('data') ?? '{}') as Frame['data'],
  };
}

/** What one follower was told that he must not be told, or was not told; in words. `lateMs`: how late whoever
 *  followed may have looked, or how long a node was made to stand still. */
export function judged({ told, done }: Follower, lateMs = 0): readonly string[] {
  const problems = told.flatMap((one, at) =>
    oneJudged(one, lateMs).map((what) => `connection ${at}: ${what}`),
  );
  const events = told.flatMap(({ frames }) => frames.filter(({ id }) => id !== null));
  const live = events.filter(({ data }) => data['replay'] !== true);
  if (new Set(live.map(({ id }) => id)).size !== live.length) problems.push('an event was told twice');
  const ends = live.filter(({ event }) => terminal.has(event));
  if (ends.length > 1) problems.push(`${ends.length} ends were told as news`);
  const replays = events.filter(({ event, data }) => terminal.has(event) && data['replay'] === true);
  if (done && replays.length !== 1) problems.push(`answered 204 after ${replays.length} replays of the end`);
  return problems;
}

function oneJudged({ status, frames, ended, longestSilenceMs }: Told, lateMs: number): readonly string[] {
  const problems: string[] = [];
  if (status === 204 || status === 0) return problems;
  if (status !== 200) return [`answered ${status}`];
  const [first, ...rest] = frames;
  const notNow = first?.event === null && first.retryMs !== null;
  // a node that died over the request may have said nothing at all
  if (first === undefined) return ended ? ['ended without a word'] : [];
  if (notNow) return rest.length > 0 ? ['told to come again, and then something else'] : [];
  if (first.event !== 'connected') problems.push(`began with ${String(first.event)}`);
  const end = frames.findIndex(({ event }) => terminal.has(event));
  const drained = frames.findIndex(({ event }) => event === null);
  const last = end >= 0 ? end : drained;
  if (last >= 0 && last !== frames.length - 1) problems.push('something was told after the end');
  if (end >= 0 && !ended) problems.push('its end was told, but the stream was not ended');
  if (last < 0 && ended) problems.push('ended without an end');
  if (longestSilenceMs > silenceMsMax + lateMs) problems.push(`silent for ${longestSilenceMs.toFixed(0)} ms`);
  return problems;
}
