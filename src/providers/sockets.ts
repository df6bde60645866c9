/** Listens on the sockets by which a provider tells what happens to attempts.
 *  Boundary: who is listened to and for how long; what is heard becomes a hint to the session, and no more.
 *  1. A socket only hurries: whatever it says, or fails to say, the look-ups go on beside it.
 *  2. Whoever polls an attempt listens to it: each poll renews, and what is not renewed is closed. So a node's
 *     successor listens from its first poll on, and nobody listens to what is over.
 *  3. A socket that closes is opened again after 1, 2 and 4 s, then given up; one that talks too much at once. */
import type { SessionCommands } from '../../actors/checkout-session/commands.ts';
import { seconds, type Cancel, type DurationMs, type Scheduler } from '../kernel/time.ts';
import type { WebSockets } from '../outbound/web-socket.ts';
import type { Scope } from '../runtime/model/address.ts';
import type { ProviderLog } from './call.ts';
import type { Adapter, Provider, SocketWord } from './provider.ts';

/** An attempt and where its provider tells of it. */
export interface Listened {
  readonly scope: Scope;
  readonly sessionId: string;
  readonly paymentId: string;
  readonly provider: Provider;
  /** What the provider knows the attempt by. */
  readonly reference: string;
  readonly url: string;
}

export interface SocketParts {
  readonly open: WebSockets['open'];
  adapter(provider: Provider): Adapter | null;
  /** Where this socket is reached from here; null when it must not be opened. */
  address(scope: Scope, provider: Provider, url: string): string | null;
  /** Hands a hint to the session. Never rejects. */
  hint(to: Listened, hint: SessionCommands['hint']): Promise<unknown>;
  readonly scheduler: Scheduler;
  readonly log: ProviderLog;
}

/** Waits before a closed socket is opened again. */
export const reopenWaits: readonly DurationMs[] = [1, 2, 4].map(seconds);
/** What nobody has renewed for this long is over, or polled elsewhere: longer than a poll's wait and its call. */
export const leaseMs: DurationMs = seconds(20);
/** Sockets of one node; attempts beyond are polled alone. */
export const socketsMax = 10_000;
/** Messages of one attempt, over all its sockets. */
export const messagesMax = 100;
/** Hints of one attempt: a scan, and what is said of its money. */
export const hintsMax = 10;

interface Entry {
  of: Listened;
  renewedAt: DurationMs;
  /** Sockets opened so far. */
  opened: number;
  messages: number;
  hints: number;
  scanned: boolean;
  /** Closes what is open; null while nothing is. */
  close: (() => void) | null;
  reopening: Cancel | null;
}

export class ProviderSockets {
  private readonly parts: SocketParts;
  private readonly entries = new Map<string, Entry>();
  private sweeping: Cancel | null = null;
  private toldFull = false;
  private stopped = false;

  constructor(parts: SocketParts) {
    this.parts = parts;
  }

  /** Listens from now on, or goes on listening. */
  listen(of: Listened): void {
    if (this.stopped) return;
    const now = this.parts.scheduler.steady();
    const known = this.entries.get(of.paymentId);
    if (known !== undefined) {
      known.renewedAt = now;
      return;
    }
    if (this.entries.size >= socketsMax) return this.full();
    const entry: Entry = {
      of,
      renewedAt: now,
      opened: 0,
      messages: 0,
      hints: 0,
      scanned: false,
      close: null,
      reopening: null,
    };
    this.entries.set(of.paymentId, entry);
    this.open(entry);
    this.sweepLater();
  }

  /** What is over is not listened to any more. */
  drop(paymentId: string): void {
    const entry = this.entries.get(paymentId);
    if (entry === undefined) return;
    this.entries.delete(paymentId);
    this.silence(entry);
  }

  /** How many attempts are listened to. */
  get size(): number {
    return this.entries.size;
  }

  stop(): void {
    this.stopped = true;
    this.sweeping?.();
    for (const paymentId of this.entries.keys()) this.drop(paymentId);
  }

  private open(entry: Entry): void {
    entry.reopening = null;
    entry.opened++;
    const { scope, provider, url } = entry.of;
    const address = this.parts.address(scope, provider, url);
    if (address === null) return;
    // a socket of before says nothing any more
    const mine = entry.opened;
    const current = (): boolean => entry.opened === mine && this.entries.get(entry.of.paymentId) === entry;
    entry.close = this.parts.open(address, {
      message: (text) => {
        if (current()) this.heard(entry, text);
      },
      closed: () => {
        if (current()) this.closed(entry);
      },
    });
  }

  private closed(entry: Entry): void {
    entry.close = null;
    const wait = reopenWaits[entry.opened - 1];
    if (wait === undefined || entry.messages >= messagesMax) return;
    entry.reopening = this.parts.scheduler.after(wait, () => this.open(entry));
  }

  private heard(entry: Entry, text: string): void {
    if (++entry.messages > messagesMax) return this.tooMuch(entry);
    const { provider, reference } = entry.of;
    const word = this.parts.adapter(provider)?.hear?.(text, reference) ?? null;
    if (word === null || (word === 'scanned' && entry.scanned) || entry.hints >= hintsMax) return;
    entry.scanned ||= word === 'scanned';
    entry.hints++;
    void this.parts.hint(entry.of, hintOf(entry.of, word));
  }

  private tooMuch(entry: Entry): void {
    const { paymentId, provider } = entry.of;
    this.parts.log.warn(
      { paymentId, provider },
      'a provider says too much on its socket: polling goes on alone',
    );
    this.silence(entry);
  }

  private silence(entry: Entry): void {
    entry.reopening?.();
    entry.reopening = null;
    const { close } = entry;
    entry.close = null;
    // whatever it says from here on is not current any more
    entry.opened = reopenWaits.length + 1;
    close?.();
  }

  private full(): void {
    if (!this.toldFull)
      this.parts.log.warn({ socketsMax }, 'no more provider sockets: polling goes on alone');
    this.toldFull = true;
  }

  private sweepLater(): void {
    this.sweeping ??= this.parts.scheduler.after(leaseMs / 4, () => {
      this.sweeping = null;
      const until = this.parts.scheduler.steady() - leaseMs;
      for (const [paymentId, { renewedAt }] of this.entries) if (renewedAt < until) this.drop(paymentId);
      if (this.entries.size < socketsMax) this.toldFull = false;
      if (this.entries.size > 0) this.sweepLater();
    });
  }
}

const hintOf = ({ paymentId, provider }: Listened, word: SocketWord): SessionCommands['hint'] => ({
  paymentId,
  ...words[word],
  verified: false,
  summary: `${provider}'s socket: ${word}`,
});

const words = {
  scanned: { from: 'scan', says: 'unknown' },
  paid: { from: 'socket', says: 'paid' },
  failed: { from: 'socket', says: 'failed' },
} as const;
